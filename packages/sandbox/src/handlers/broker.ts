/** The direct customers of a broker and their trading volume. (docs/reference/broker.md) */
import type * as Endpoints from "@effect-venue/schemas/Broker"
import type * as Executions from "@effect-venue/schemas/Executions"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"
import * as Paging from "../handling/paging.js"
import * as Refusal from "../handling/refusal.js"
import * as Windows from "../handling/windows.js"
import * as Exchange from "../state/Exchange.js"
import { RecordList } from "../state/recordList.js"

const notABroker = () => Refusal.left(10005, "Permission denied, the caller is not a broker.")

/** Selects by the time of becoming a customer, inclusive at both ends, oldest first. */
export const customers: Handler.Handler<typeof Endpoints.customers> = (request, context) => {
  if (context.account.customers.length === 0) return notABroker()
  const range = Windows.optional(request.begin, request.end)
  return Handler.read(context, {
    userList: context.account.customers
      .filter((customer) => Windows.contains(range, customer.since))
      .map((customer) => Ids.Uid(customer.uid))
  })
}

interface Sum {
  tradeVolume: BigDecimal.BigDecimal
  fee: BigDecimal.BigDecimal
}

type Filter = Pick<Endpoints.TradeVolumeRequest, "productType" | "contractType" | "coin">

const counts = (listing: Exchange.Listing, { contractType, productType }: Filter): boolean => {
  const product = productType ?? "ALL"
  const spot = listing.category === "spot"
  return (
    (product === "ALL" || (product === "SPOT") === spot) &&
    (contractType === undefined || Option.contains(listing.instrument.contractType, contractType))
  )
}

/** Contracts count with their value in the settle coin, spot with the amount of the base coin. Spot fees are in the coin that was bought. */
const add = (sums: Map<string, Sum>, listing: Exchange.Listing, fill: Executions.Execution): void => {
  const into = (coin: string, volume: BigDecimal.BigDecimal, fee: BigDecimal.BigDecimal) => {
    const sum = sums.get(coin) ?? { tradeVolume: Money.zero, fee: Money.zero }
    sums.set(coin, { tradeVolume: BigDecimal.sum(sum.tradeVolume, volume), fee: BigDecimal.sum(sum.fee, fee) })
  }
  const value = Option.getOrElse(fill.execValue, () => Money.zero)
  if (listing.category !== "spot") {
    into(listing.settleCoin, value, fill.execFee)
    return
  }
  const { baseCoin, quoteCoin } = listing.instrument
  into(baseCoin, fill.execQty, fill.side === "Buy" ? fill.execFee : Money.zero)
  if (fill.side === "Sell") into(quoteCoin, Money.zero, fill.execFee)
}

const volume = (state: Exchange.State, uid: string, range: Windows.Range, filter: Filter): Endpoints.Volume => {
  const sums = new Map<string, Sum>()
  const account = state.accounts.get(uid)
  for (const category of account === undefined ? [] : Exchange.categories) {
    const fills = account?.executions[category] ?? RecordList.from()
    const [start, end] = Windows.slice(fills, (fill) => fill.execTime.epochMillis, range)
    for (const fill of fills.slice(start, end)) {
      const listing = Exchange.listing(state, category, fill.symbol)
      // Funding is not a fill.
      const isFilled = !Option.contains(fill.execType, "Funding")
      if (listing !== undefined && isFilled && counts(listing, filter)) add(sums, listing, fill)
    }
  }
  return {
    userId: Ids.Uid(uid),
    coins: Array.from(sums)
      .filter(([coin]) => filter.coin === undefined || coin === filter.coin)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([coin, sum]) => ({ coin: Ids.Coin(coin), ...sum }))
  }
}

/** From `from` (inclusive) to `to` (exclusive), in pages ordered by UID. */
export const tradeVolume: Handler.Handler<typeof Endpoints.tradeVolume> = (request, context) => {
  const { account, state } = context
  const { from, limit, to, uid } = request
  if (account.customers.length === 0) return notABroker()
  const chosen = account.customers.filter((customer) => uid === undefined || customer.uid === uid)
  if (uid !== undefined && chosen.length === 0) return Refusal.parameter("uid is not a direct customer")
  const requested = Windows.optional(from, to)
  const range = { from: requested.from, to: requested.to - 1 }
  return Either.flatMap(
    Paging.page(context, request, {
      items: chosen.map((customer) => customer.uid.padStart(20, "0")).sort(),
      key: (padded) => padded,
      order: "ascending",
      name: "tradeVolume",
      size: limit ?? 20
    }),
    (page) =>
      Handler.read(context, {
        list: page.items.map((padded) => volume(state, padded.replace(/^0+/, ""), range, request)),
        nextCursor: page.next
      })
  )
}
