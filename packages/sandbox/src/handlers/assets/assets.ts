/**
 * Assets: deposits, coins, bonuses, transfers and the funding account. Internal withdrawals are in `withdrawals.ts`.
 * (docs/reference/assets.md)
 */
import type * as Endpoints from "@effect-venue/schemas/Assets"
import * as DecimalModule from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import type * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Collateral from "../../trading/collateral.js"
import * as Handler from "../../handling/handler.js"
import * as Ids from "../../trading/ids.js"
import * as Margin from "../../trading/margin.js"
import * as Paging from "../../handling/paging.js"
import * as Refusal from "../../handling/refusal.js"
import * as Transfers from "../../trading/transfers.js"
import * as Windows from "../../handling/windows.js"
import * as Exchange from "../../state/Exchange.js"

/** Newest first, on chain by default. The range applies to the time of creation, inclusive at both ends. */
export const deposits: Handler.Handler<typeof Endpoints.deposits> = (request, context) => {
  const { chain, coin, endTime, pageSize, startTime, txId } = request
  const type = request.type ?? 0
  const range = Windows.optional(startTime, endTime)
  return Either.flatMap(
    Paging.page(context, request, {
      name: "deposits",
      items: Paging.backwards(
        context.account.deposits,
        0,
        undefined,
        (deposit) =>
          (type === 2 || deposit.type === String(type)) &&
          (chain === undefined || Option.contains<string>(deposit.chain, chain)) &&
          (coin === undefined || deposit.coin === coin) &&
          (txId === undefined || Option.contains(deposit.txId, txId)) &&
          Windows.contains(range, deposit.createTime.epochMillis)
      ),
      key: (deposit) => Ids.sortable(deposit.createTime.epochMillis) + deposit.transactionId,
      order: "descending",
      size: pageSize ?? 20
    }),
    (page) => Handler.read(context, { rows: page.items, cursor: page.next })
  )
}

/** Returns one coin, or all of them. */
export const coins: Handler.Handler<typeof Endpoints.coins> = ({ coin }, context) => {
  const rows = context.state.coins.filter((info) => coin === undefined || info.coin === coin)
  return coin !== undefined && rows.length === 0 ? Refusal.parameter("coin invalid") : Handler.read(context, { rows })
}

/** Newest first, after `startTime` and before `endTime`, both exclusive. */
export const bonusUsage: Handler.Handler<typeof Endpoints.bonusUsage> = (request, context) => {
  const { from, to } = Windows.optional(request.startTime, request.endTime)
  const rows = context.account.bonusUsage.filter(
    (use) =>
      use.coin === request.coin &&
      (request.awardType === undefined || Option.contains(use.awardType, request.awardType)) &&
      use.time.epochMillis > from &&
      use.time.epochMillis < to
  )
  return Handler.read(context, { rows: rows.toReversed().slice(0, request.limit ?? 10) })
}

interface AnyTransfer {
  readonly transferId: string
  readonly coin: string
  readonly status: string
  readonly timestamp: DateTime.Utc
}

// UUIDs are case-insensitive.
const sameUuid = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The selection that both lists of transfers share. */
const isAskedFor = ({
  coin,
  endTime,
  startTime,
  status,
  transferId
}: Pick<Endpoints.TransfersRequest, "coin" | "endTime" | "startTime" | "status" | "transferId">): ((
  transfer: AnyTransfer
) => boolean) => {
  const range = Windows.optional(startTime, endTime)
  return (transfer) =>
    (transferId === undefined || sameUuid(transfer.transferId, transferId)) &&
    (coin === undefined || transfer.coin === coin) &&
    (status === undefined || transfer.status === status) &&
    Windows.contains(range, transfer.timestamp.epochMillis)
}

// The caller's id does not sort by time.
const transferKey = (transfer: { readonly timestamp: DateTime.Utc; readonly transferId: string }): string =>
  Ids.sortable(transfer.timestamp.epochMillis) + transfer.transferId

// The service documents neither bounds nor a default for this page size.
const usualSubAccountPage = 20

/** Newest first. */
const listTransfers = <A extends AnyTransfer>(
  name: string,
  transfers: ReadonlyArray<A>,
  request: Parameters<typeof isAskedFor>[0] & { readonly cursor?: string | undefined },
  context: Handler.Context,
  size: number
) =>
  Either.flatMap(
    Paging.page(context, request, {
      name,
      items: transfers.filter(isAskedFor(request)).sort((a, b) => (transferKey(a) < transferKey(b) ? 1 : -1)),
      key: transferKey,
      order: "descending",
      size
    }),
    (page) => Handler.read(context, { list: page.items, cursor: page.next })
  )

export const transfers: Handler.Handler<typeof Endpoints.transfers> = (request, context) =>
  listTransfers("transfers", context.account.transfers, request, context, request.limit ?? 10)

export const subAccountTransfers: Handler.Handler<typeof Endpoints.subAccountTransfers> = (request, context) =>
  listTransfers(
    "subAccountTransfers",
    context.account.subAccountTransfers,
    request,
    context,
    request.limit ?? usualSubAccountPage
  )

const sameTransfer = (made: Endpoints.Transfer, request: Endpoints.TransferRequest): boolean =>
  made.coin === request.coin &&
  BigDecimal.equals(made.amount, Handler.decimal(request.amount)) &&
  made.fromAccountType === request.fromAccountType &&
  made.toAccountType === request.toAccountType

/**
 * Makes one transfer per `requestId`, which becomes the transfer's id. A repeated request returns the same result and moves nothing; with
 * different contents it is refused.
 */
export const transfer: Handler.Handler<typeof Endpoints.transfer> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    const transferId = Ids.TransferId(request.requestId)
    const made = account.transfers.find((candidate) => sameUuid(candidate.transferId, transferId))
    if (made !== undefined) {
      return yield* sameTransfer(made, request)
        ? Handler.read(context, { transferId: made.transferId })
        : Refusal.left(131214, "transferId duplicated")
    }
    if (account.banned) return yield* Refusal.left(131208, "Transfer is forbidden")
    if (request.fromAccountType === request.toAccountType) {
      return yield* Refusal.left(131211, "from and to account types are the same")
    }
    const from = Transfers.walletOf(account, request.fromAccountType)
    const to = Transfers.walletOf(account, request.toAccountType)
    if (from === undefined || to === undefined) return yield* Refusal.left(131207, "account does not exist")
    const info = state.coins.find((coin) => coin.coin === request.coin)
    if (info === undefined) return yield* Refusal.parameter("coin invalid")
    const amount = Handler.decimal(request.amount)
    if (Option.exists(info.accuracy, (most) => DecimalModule.decimals(amount) > most)) {
      return yield* Refusal.left(131210, "transfer amount precision is wrong")
    }
    if (BigDecimal.greaterThan(amount, Collateral.available(state, account, from, request.coin))) {
      return yield* Refusal.left(131212, "insufficient balance")
    }
    const moved = Transfers.move(account, { transferId, coin: info.coin, amount, from, to }, now)
    return yield* Handler.write(Exchange.withAccount(state, moved), { transferId })
  })

/** Returns the coins that both account types support. */
export const transferableCoins: Handler.Handler<typeof Endpoints.transferableCoins> = (request, context) => {
  const { account, state } = context
  if (request.fromAccountType === request.toAccountType) {
    return Refusal.left(131211, "from and to account types are the same")
  }
  const known = [request.fromAccountType, request.toAccountType].map((type) => Transfers.walletOf(account, type))
  return known.includes(undefined)
    ? Refusal.left(131207, "account does not exist")
    : Handler.read(context, { coins: state.coins.map((info) => info.coin) })
}

/** Returns the funding account for FUND and the spot account for SPOT. The status shows whether the account is banned. */
export const fundingAssets: Handler.Handler<typeof Endpoints.fundingAssets> = ({ accountType, coin }, context) => {
  const { account, state } = context
  if (coin !== undefined && !Margin.isCoin(state, account, coin)) return Refusal.parameter("coin invalid")
  const wallet = (["FUND", "SPOT"] as const).find((type) => type === accountType)
  if (wallet === undefined) return Refusal.parameter("accountType only support FUND or SPOT")
  const assets = Array.from(account.wallets[wallet])
    .filter(([candidate, amount]) => (coin === undefined ? !BigDecimal.isZero(amount) : candidate === coin))
    .map(([candidate, totalBalance]) => ({
      coin: Ids.Coin(candidate),
      free: Collateral.available(state, account, wallet, candidate),
      totalBalance
    }))
  const balances = Option.some({
    status: account.banned ? ("ACCOUNT_STATUS_UNSPECIFIED" as const) : ("ACCOUNT_STATUS_NORMAL" as const),
    assets
  })
  return Handler.read(
    context,
    wallet === "FUND" ? { spot: Option.none(), fund: balances } : { spot: balances, fund: Option.none() }
  )
}
