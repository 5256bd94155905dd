/** Assets: deposits, coins, bonuses, transfers, internal withdrawals and the funding account. */
import * as Endpoints from "@effect-venue/schemas/Assets"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { layerOf, randomIds } from "./calls/making.js"
import * as Pages from "./calls/pages.js"

export {
  BonusUsage,
  BonusUsageRequest,
  BonusUsageResult,
  CoinInfo,
  CoinsRequest,
  CoinsResult,
  Deposit,
  DepositsRequest,
  DepositsResult,
  FundingAssets,
  FundingAssetsRequest,
  SubAccountTransfer,
  SubAccountTransfersRequest,
  SubAccountTransfersResult,
  Transfer,
  TransferAck,
  TransferableCoinsRequest,
  TransferableCoinsResult,
  TransfersRequest,
  TransfersResult,
  WithdrawInternalResult
} from "@effect-venue/schemas/Assets"

export class Assets extends Context.Tag("@effect-venue/services/Assets")<Assets, Assets.Shape>() {}

export declare namespace Assets {
  export interface Shape {
    /**
     * Returns one page of deposits, by default those on chain; 1 to 50 rows, default 20. Fails as any read does. Limit: 300 calls a minute.
     * (docs/reference/assets/deposits.md)
     */
    readonly deposits: (
      request?: Endpoints.DepositsRequest
    ) => Effect.Effect<Endpoints.DepositsResult, Failure.ReadFailure>
    /** All pages of `deposits`, row by row. Each page is a call, and fails as `deposits` does. */
    readonly depositsStream: (
      request?: Endpoints.DepositsRequest
    ) => Stream.Stream<Endpoints.Deposit, Failure.ReadFailure>
    /**
     * Returns coins with the chains on which they can be deposited and withdrawn. Fails as any read does. Limit: 5 calls a second.
     * (docs/reference/assets/coins.md)
     */
    readonly coins: (request?: Endpoints.CoinsRequest) => Effect.Effect<Endpoints.CoinsResult, Failure.ReadFailure>
    /**
     * Returns the use of bonuses and coupons: at most `limit` records (1 to 50, default 10), without a cursor. Fails as any read does.
     * Limit: 60 calls a minute. (docs/reference/assets/bonusUsage.md)
     */
    readonly bonusUsage: (
      request: Endpoints.BonusUsageRequest
    ) => Effect.Effect<Endpoints.BonusUsageResult, Failure.ReadFailure>
    /**
     * Returns one page of transfers between account types of this UID; 1 to 50 rows, default 10. Fails as any read does. Limit: none is
     * documented. (docs/reference/assets/transfers.md)
     */
    readonly transfers: (
      request?: Endpoints.TransfersRequest
    ) => Effect.Effect<Endpoints.TransfersResult, Failure.ReadFailure>
    /** All pages of `transfers`, row by row. Each page is a call, and fails as `transfers` does. */
    readonly transfersStream: (
      request?: Endpoints.TransfersRequest
    ) => Stream.Stream<Endpoints.Transfer, Failure.ReadFailure>
    /**
     * Returns one page of transfers between this account and its sub-accounts. Fails as any read does. Limit: none is documented.
     * (docs/reference/assets/subAccountTransfers.md)
     */
    readonly subAccountTransfers: (
      request?: Endpoints.SubAccountTransfersRequest
    ) => Effect.Effect<Endpoints.SubAccountTransfersResult, Failure.ReadFailure>
    /** All pages of `subAccountTransfers`, row by row. Each page is a call, and fails as `subAccountTransfers` does. */
    readonly subAccountTransfersStream: (
      request?: Endpoints.SubAccountTransfersRequest
    ) => Stream.Stream<Endpoints.SubAccountTransfer, Failure.ReadFailure>
    /**
     * Moves coins between account types of this UID. The service makes one transfer per `requestId`: make it with `newTransferId` outside of
     * what is retried (docs/money.md). Fails as any write does, with
     * `Rejected` (`InsufficientBalance`). Limit: 1 call a second. (docs/reference/assets/transfer.md)
     */
    readonly transfer: (request: TransferRequest) => Effect.Effect<Endpoints.TransferAck, Failure.WriteFailure>
    /**
     * Returns the coins that can be moved from one account type to another. Fails as any read does. Limit: 60 calls a minute.
     * (docs/reference/assets/transferableCoins.md)
     */
    readonly transferableCoins: (
      request: Endpoints.TransferableCoinsRequest
    ) => Effect.Effect<Endpoints.TransferableCoinsResult, Failure.ReadFailure>
    /**
     * Withdraws to another user of the service, who must be in the address book. The service makes one withdrawal per `requestId`: make it with
     * `newWithdrawalId` outside of what is retried (docs/money.md). Requires
     * the key of a master UID. Fails as any write does, with `Unauthorized` for any other key. Limit: 1 call a second.
     * (docs/reference/assets/withdrawInternal.md)
     */
    readonly withdrawInternal: (
      request: WithdrawInternalRequest
    ) => Effect.Effect<Endpoints.WithdrawInternalResult, Failure.WriteFailure>
    /**
     * Returns the balances of the funding or spot account. Fails as any read does. Limit: none is documented.
     * (docs/reference/assets/fundingAssets.md)
     */
    readonly fundingAssets: (
      request: Endpoints.FundingAssetsRequest
    ) => Effect.Effect<Endpoints.FundingAssets, Failure.ReadFailure>
  }
}

/** The parameters of `transfer`. */
export interface TransferRequest extends Endpoints.TransferRequest {
  /** The id of the transfer, a UUID that the caller chooses. The service executes each once: `newTransferId`. */
  readonly requestId: string
}

/** The schema of the parameters of `transfer`. */
export const TransferRequest = Endpoints.TransferRequest

/** The parameters of `withdrawInternal`. */
export type WithdrawInternalRequest = Endpoints.WithdrawInternalRequest

/** The schema of the parameters of `withdrawInternal`. */
export const WithdrawInternalRequest = Endpoints.WithdrawInternalRequest

/** Generates the ids of `newTransferId` and `newWithdrawalId`. Each must be a UUID that was never used before. Default: random UUIDs. */
export class RequestIds extends Context.Reference<RequestIds>()("@effect-venue/services/Assets/RequestIds", {
  defaultValue: randomIds
}) {}

/** A new `requestId` for a transfer, a UUID. Run it once for each transfer, outside of what is retried. */
export const newTransferId: Effect.Effect<string> = Effect.map(RequestIds, (next) => next())

/** A new `requestId` for a withdrawal, letters and digits. Run it once for each withdrawal, outside of what is retried. */
export const newWithdrawalId: Effect.Effect<string> = Effect.map(newTransferId, (id) => id.replaceAll("-", ""))

export const make = (transport: Transport.Transport.Shape): Assets.Shape => {
  const deposits = (request: Endpoints.DepositsRequest = {}) => transport.call(Endpoints.deposits, request)
  const depositsPage = (request: Endpoints.DepositsRequest) =>
    Effect.map(deposits(request), ({ cursor, rows }) => Pages.page(rows, cursor))

  const transfers = (request: Endpoints.TransfersRequest = {}) => transport.call(Endpoints.transfers, request)
  const transfersPage = (request: Endpoints.TransfersRequest) =>
    Effect.map(transfers(request), ({ cursor, list }) => Pages.page(list, cursor))

  const subAccountTransfers = (request: Endpoints.SubAccountTransfersRequest = {}) =>
    transport.call(Endpoints.subAccountTransfers, request)
  const subAccountTransfersPage = (request: Endpoints.SubAccountTransfersRequest) =>
    Effect.map(subAccountTransfers(request), ({ cursor, list }) => Pages.page(list, cursor))

  return Trace.namedAll<Assets.Shape>("Assets", {
    deposits,
    depositsStream: (request) => Pages.rows(Endpoints.deposits, request, depositsPage),
    coins: (request = {}) => transport.call(Endpoints.coins, request),
    bonusUsage: (request) => transport.call(Endpoints.bonusUsage, request),
    transfers,
    transfersStream: (request) => Pages.rows(Endpoints.transfers, request, transfersPage),
    subAccountTransfers,
    subAccountTransfersStream: (request) => Pages.rows(Endpoints.subAccountTransfers, request, subAccountTransfersPage),
    transfer: (request) => transport.call(Endpoints.transfer, request),
    transferableCoins: (request) => transport.call(Endpoints.transferableCoins, request),
    withdrawInternal: (request) => transport.call(Endpoints.withdrawInternal, request),
    fundingAssets: (request) => transport.call(Endpoints.fundingAssets, request)
  })
}

export const layer: Layer.Layer<Assets, never, Transport.Transport> = Layer.effect(
  Assets,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: a service with only these members. Calling another member dies with an error that names it, such as `Assets.transfer`; a missing stream
 * dies when it is run.
 */
export const layerTest = (members: Partial<Assets.Shape>): Layer.Layer<Assets> =>
  layerOf(Assets, "Assets", make, members)
