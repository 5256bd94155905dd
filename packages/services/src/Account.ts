/**
 * The account: its wallet, the fees that it pays.
 *
 * @since 0.1.0
 */
import * as Endpoints from "@effect-venue/schemas/Account"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerOf } from "./internal/double.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class Account extends Context.Tag("@effect-venue/services/Account")<Account, Account.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Account {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /**
     * The wallet of an account type; without `coin` only coins with a balance. Fails as any read does. Limit: 10 calls
     * a second. (docs/reference/account.md#walletbalance)
     */
    readonly walletBalance: (
      request: Endpoints.WalletBalanceRequest
    ) => Effect.Effect<Endpoints.WalletBalanceResult, Failure.ReadFailure>
    /**
     * The fee rates of an instrument, or of all of a category. Fails as any read does. Limit: 10 calls a second.
     * (docs/reference/account.md#feerate)
     */
    readonly feeRate: (request: Endpoints.FeeRateRequest) => Effect.Effect<Endpoints.FeeRateResult, Failure.ReadFailure>
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (transport: Transport.Transport.Shape): Account.Shape => {
  return {
    walletBalance: (request) => transport.call(Endpoints.walletBalance, request),
    feeRate: (request) => transport.call(Endpoints.feeRate, request)
  }
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Account, never, Transport.Transport> = Layer.effect(
  Account,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: the service with the members that are given. A call of another member, such as `Account.feeRate`, dies with its name; a stream dies
 * when it is run.
 *
 * @since 0.1.0
 * @category testing
 */
export const layerTest = (given: Partial<Account.Shape>): Layer.Layer<Account> =>
  layerOf(Account, "Account", make, given)
