/** The account: its wallet and its fee rates. */
import * as Endpoints from "@effect-venue/schemas/Account"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerOf } from "./calls/making.js"

export {
  CoinBalance,
  FeeRate,
  FeeRateRequest,
  FeeRateResult,
  WalletBalance,
  WalletBalanceRequest,
  WalletBalanceResult
} from "@effect-venue/schemas/Account"

export class Account extends Context.Tag("@effect-venue/services/Account")<Account, Account.Shape>() {}

export declare namespace Account {
  export interface Shape {
    /**
     * Returns the wallet of an account type; without `coin` all coins with a balance. Fails as any read does. Limit: 10 calls a second.
     * (docs/reference/account/walletBalance.md)
     */
    readonly walletBalance: (
      request: Endpoints.WalletBalanceRequest
    ) => Effect.Effect<Endpoints.WalletBalanceResult, Failure.ReadFailure>
    /**
     * Returns the fee rates of one instrument, or of every instrument of a category. Fails as any read does. Limit: 10 calls a second. The
     * service's document contains only the path of this operation. (docs/reference/account/feeRate.md)
     */
    readonly feeRate: (request: Endpoints.FeeRateRequest) => Effect.Effect<Endpoints.FeeRateResult, Failure.ReadFailure>
  }
}

export const make = (transport: Transport.Transport.Shape): Account.Shape => {
  return Trace.namedAll<Account.Shape>("Account", {
    walletBalance: (request) => transport.call(Endpoints.walletBalance, request),
    feeRate: (request) => transport.call(Endpoints.feeRate, request)
  })
}

export const layer: Layer.Layer<Account, never, Transport.Transport> = Layer.effect(
  Account,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: a service with only these members. Calling another member dies with an error that names it, such as `Account.feeRate`; a missing stream
 * dies when it is run.
 */
export const layerTest = (members: Partial<Account.Shape>): Layer.Layer<Account> =>
  layerOf(Account, "Account", make, members)
