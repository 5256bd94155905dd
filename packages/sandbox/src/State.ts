/**
 * The state of a sandbox, which a snapshot returns and `Sandbox.layer({ state })` continues. `StateFile` writes it to a file.
 *
 * @since 0.1.0
 */
export {
  /**
   * The records of an account: orders, positions, executions, profits, wallets, deposits, transfers and withdrawals.
   *
   * @since 0.1.0
   * @category models
   */
  type Account,
  /**
   * The whole exchange: its markets, keys and accounts.
   *
   * @since 0.1.0
   * @category models
   */
  type State
} from "./shared/State.js"
