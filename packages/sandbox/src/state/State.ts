/**
 * The state of a sandbox, which a snapshot returns and `Sandbox.layer({ state })` continues.
 *
 * `print` writes it as text, to store it and start from it again. The text is JSON that can be read and edited, and lossless: decimals keep
 * their scale, and nones their spelling. Values without a JSON form are objects with one key: `$decimal`, `$some`, `$none`, `$utc`, `$map`,
 * `$records`, `$secret`, `$bigint`, `$number`, `$undefined`, and `$object` for an object that has such a key. This module does not access files; the
 * program decides how to store the text.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as stateFile from "./stateFile.js"
import type { State } from "./Exchange.js"

export {
  /** The records of an account: orders, positions, executions, profits, wallets, deposits, transfers and withdrawals. */
  type Account,
  /** The whole exchange: its markets, keys and accounts. */
  type State
} from "./Exchange.js"
export {
  /** The records of an account of one kind, oldest first. */
  type RecordList
} from "./recordList.js"

/**
 * The text is not a state. `path` is the position of the mistake, such as `state.accounts.10000001.openOrders.0.price`; empty for the whole
 * text.
 */
export class StateFileInvalid extends Schema.TaggedError<StateFileInvalid>("@effect-venue/sandbox/StateFileInvalid")(
  "StateFileInvalid",
  { path: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `not a state of the sandbox: ${this.path === "" ? "" : `${this.path} `}${this.reason}`
  }
}

const invalid = (mistake: { readonly path: string; readonly reason: string }) => new StateFileInvalid(mistake)

/**
 * Prints a state as text. Throws a `TypeError` if the state contains a value that no state has, such as a function.
 *
 * @category conversions
 */
export const print = (state: State): string => `${JSON.stringify(stateFile.toJson(state))}\n`

/**
 * Parses the text of `print`. Wire records are validated; unknown fields are kept.
 *
 * @category conversions
 */
export const parse = (text: string): Either.Either<State, StateFileInvalid> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => invalid({ path: "", reason: `is not JSON: ${String(cause)}` })
  }).pipe(Either.flatMap((json) => Either.mapLeft(stateFile.fromJson(json), invalid)))
