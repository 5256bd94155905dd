import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as OnDemand from "../state/onDemand.js"
import type * as Exchange from "../state/Exchange.js"
import * as Money from "../trading/money.js"
import * as Accounts from "../state/accounts.js"
import * as Closing from "./closing.js"
import * as Forced from "./forced.js"

const second = 1000

// The status of a delivered contract, without trading and positions.
const delivered: Enumerations.InstrumentStatus = "Closed"

const isDated = ({ instrument }: Exchange.Listing): boolean =>
  Option.contains(instrument.contractType, "LinearFutures") ||
  Option.contains(instrument.contractType, "InverseFutures")

/** The delivery instant of a dated future: the full second at or after its delivery time. */
const instantOf = (listing: Exchange.Listing): number =>
  isDated(listing) && listing.instrument.status !== delivered
    ? Option.match(listing.instrument.deliveryTime, {
        onNone: () => Number.POSITIVE_INFINITY,
        onSome: (at) => Math.ceil(at.epochMillis / second) * second
      })
    : Number.POSITIVE_INFINITY

const instants = OnDemand.perObject((listings: Exchange.State["listings"]) =>
  listings.map(instantOf).filter(Number.isFinite)
)

/** Returns the first delivery instant after `at`, or infinity. */
export const next = (state: Exchange.State, at: number): number =>
  Math.min(...instants(state.listings).filter((instant) => instant > at), Number.POSITIVE_INFINITY)

/** Whether a contract is delivered at an instant. */
export const isDue = (state: Exchange.State, at: number): boolean =>
  instants(state.listings).some((instant) => instant <= at)

const closePositions = (state: Exchange.State, uid: string, listing: Exchange.Listing, at: number): Exchange.State =>
  (state.accounts.get(uid)?.positions ?? [])
    .filter(
      ({ category, size, symbol }) =>
        category === listing.category && symbol === listing.instrument.symbol && !BigDecimal.isZero(size)
    )
    .reduce(
      (after, position) =>
        Forced.close(
          after,
          uid,
          position,
          { qty: BigDecimal.abs(position.size), price: listing.indexPrice },
          {
            execType: listing.category === "inverse" ? "Settle" : "Delivery",
            createType: "CreateBySettle",
            feeRate: Option.getOrElse(listing.instrument.deliveryFeeRate, () => Money.zero)
          },
          at
        ),
      state
    )

/** Delivers a dated future: cancels its open orders and closes its positions at the index price. */
const deliver = (state: Exchange.State, listing: Exchange.Listing, at: number): Exchange.State => {
  const isOf = (order: Exchange.Order): boolean =>
    order.category === listing.category && order.symbol === listing.instrument.symbol
  const settled = Array.from(state.accounts.keys()).reduce((after, uid) => {
    const cleared = Accounts.update(after, uid, (account) =>
      Closing.cancelOrders(account, account.openOrders.filter(isOf), at, { cancelType: "CancelBySettle" })
    )
    return closePositions(cleared, uid, listing, at)
  }, state)
  const closed = {
    ...listing,
    instrument: {
      ...listing.instrument,
      status: delivered,
      offlineTime: Option.orElseSome(listing.instrument.offlineTime, () => DateTime.unsafeMake(at))
    }
  }
  return { ...settled, listings: settled.listings.map((candidate) => (candidate === listing ? closed : candidate)) }
}

/** Delivers the contracts that are due, at the prices of that instant. */
export const settle = (state: Exchange.State, at: number): Exchange.State =>
  state.listings
    .filter((listing) => instantOf(listing) <= at)
    .reduce((next, listing) => deliver(next, listing, at), state)
