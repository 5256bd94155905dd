import type * as State from "@effect-venue/sandbox/State"
import * as Assets from "@effect-venue/schemas/Assets"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Service from "@effect-venue/services/Orders"
import * as Transport from "@effect-venue/transport/Transport"
import * as Positions from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Call from "./Call.js"
import type * as Dice from "../shared/Dice.js"

/** Makes the next write of some kind. */
export type Next = () => Call.Call

const decimal = (units: number, scale: number) => BigDecimal.make(BigInt(units), scale)

type Route = readonly [from: State.WalletType, to: State.WalletType]

/** Moves to and fro, of more than there is, and with an id that is none. */
const transfers = (dice: Dice.Dice): Next => {
  let last: Call.Call | undefined
  const wallets = (caller: Call.Caller): Route =>
    caller === "classic"
      ? dice.pick<Route>([
          ["FUND", "CONTRACT"],
          ["CONTRACT", "SPOT"],
          ["SPOT", "FUND"]
        ])
      : dice.pick<Route>([
          ["FUND", "UNIFIED"],
          ["UNIFIED", "FUND"]
        ])
  return () => {
    // The same wish once more: it is granted once.
    if (last !== undefined && dice.roll(12) === 0) return last
    const caller = dice.pick<Call.Caller>(["main", "sub", "customer", "classic"])
    const [fromAccountType, toAccountType] = wallets(caller)
    const isExcessive = dice.roll(20) === 0
    last = Call.make(caller, Assets.transfer, {
      requestId: dice.roll(40) === 0 ? "not an id" : [8, 4, 4, 4, 12].map(dice.hex).join("-"),
      coin: "USDT",
      amount: isExcessive ? "99999999" : decimal(1 + dice.roll(500), 2),
      fromAccountType,
      toAccountType
    })
    return last
  }
}

/** To those in the address book, and to one who is not; by a key that may, and by one that may not. */
const withdrawals =
  (dice: Dice.Dice, state: State.State, uid: string): Next =>
  () => {
    const known = state.accounts.get(uid)?.addressBook.find(({ addressType }) => addressType === 3)?.address ?? ""
    return Call.make(dice.roll(20) === 0 ? "sub" : "main", Assets.withdrawInternal, {
      requestId: dice.hex(20),
      coin: "USDT",
      amount: decimal(1 + dice.roll(300), 2),
      addressType: 3,
      address: dice.roll(20) === 0 ? "99999999" : known
    })
  }

const tickOf = (state: State.State, category: State.Category, symbol: string): BigDecimal.BigDecimal | undefined =>
  state.listings.find((one) => one.category === category && one.instrument.symbol === symbol)?.instrument.priceFilter
    .tickSize

/** Each order a tick further from the market every time, so that no two amendments are alike. */
const amendments = (dice: Dice.Dice, state: State.State, uid: string): Next | undefined => {
  const orders = (state.accounts.get(uid)?.openOrders ?? []).flatMap((order) => {
    const tick = tickOf(state, order.category, order.symbol)
    return order.orderType === "Limit" &&
      order.category === "linear" &&
      Option.isSome(order.price) &&
      tick !== undefined
      ? [{ order, price: order.price.value, tick, times: 0 }]
      : []
  })
  const [first, ...others] = orders
  if (first === undefined) return undefined
  return () => {
    const one = dice.pick([first, ...others])
    one.times += 1
    const step = BigDecimal.multiply(one.tick, decimal(one.order.side === "Buy" ? -one.times : one.times, 0))
    return Call.make("main", Orders.amend, {
      category: "linear",
      symbol: one.order.symbol,
      orderId: one.order.orderId,
      price: BigDecimal.sum(one.price, step)
    })
  }
}

/** A different amount every time, to an isolated position. */
const margins = (state: State.State, uid: string): Next | undefined => {
  const position = state.accounts.get(uid)?.positions.find(({ tradeMode }) => tradeMode === "isolated")
  if (position === undefined) return undefined
  let times = 0
  return () =>
    Call.make("main", Positions.addMargin, {
      category: position.category,
      symbol: position.symbol,
      margin: decimal(++times, 4),
      positionIdx: position.positionIdx
    })
}

/** A take profit that is a tick further away every time. */
const stops = (state: State.State, uid: string): Next | undefined => {
  const position = state.accounts.get(uid)?.positions.find((one) => Option.isSome(one.takeProfit))
  const tick = position === undefined ? undefined : tickOf(state, position.category, position.symbol)
  if (position === undefined || Option.isNone(position.takeProfit) || tick === undefined) return undefined
  const from = position.takeProfit.value
  const isLong = BigDecimal.isPositive(position.size)
  let times = 0
  return () => {
    times += 1
    return Call.make("main", Positions.setTradingStop, {
      category: position.category,
      symbol: position.symbol,
      tpslMode: "Full",
      takeProfit: BigDecimal.sum(from, BigDecimal.multiply(tick, decimal(isLong ? times : -times, 0))),
      positionIdx: position.positionIdx
    })
  }
}

const word = (outcome: Service.BatchOutcome): Call.Word =>
  Either.isRight(outcome) ? "taken" : outcome.left._tag === "OutcomeUnknown" ? "unknown" : "refused"

/** A batch, sent through the service, which returns an outcome for each order. */
const batch = (
  call: Call.Call,
  verb: Call.OrderWish["verb"],
  names: ReadonlyArray<string>,
  send: (orders: Service.Orders.Shape) => ReturnType<Service.Orders.Shape["createBatch"]>
): Call.Call => ({
  ...call,
  orders: names.map((orderLinkId) => ({ verb, orderLinkId })),
  send: Effect.flatMap(Transport.Transport, (transport) =>
    Effect.map(send(Service.make(transport)), (outcomes) => outcomes.map(word))
  )
})

/**
 * Orders that wait at half the market, each under a name of its own, now and then wished for twice; and the end of them, of each
 * once, so that no other call can have cancelled it. One at a time or a few at once.
 */
const waiting = (dice: Dice.Dice, state: State.State): Next | undefined => {
  const symbol = "LTCUSDT"
  const listing = state.listings.find((one) => one.category === "linear" && one.instrument.symbol === symbol)
  if (listing === undefined) return undefined
  const price = BigDecimal.scale(BigDecimal.multiply(listing.lastPrice, decimal(5, 1)), 1)
  const order = { symbol, side: "Buy", orderType: "Limit", qty: "1", price } as const
  const placed: Array<string> = []
  let last: Call.Call | undefined
  const name = () => {
    const orderLinkId = `soak-${dice.hex(16)}`
    placed.push(orderLinkId)
    return orderLinkId
  }
  const some = () => 2 + dice.roll(4)
  const kinds = [
    [
      8,
      () => {
        if (last !== undefined && dice.roll(12) === 0) return last
        const orderLinkId = name()
        const call = Call.make("main", Orders.create, { ...order, category: "linear", orderLinkId })
        last = { ...call, orders: [{ verb: "place", orderLinkId }] }
        return last
      }
    ],
    [
      3,
      () => {
        const names = Array.from({ length: some() }, name)
        const request = {
          category: "linear" as const,
          request: names.map((orderLinkId) => ({ ...order, orderLinkId }))
        }
        return batch(Call.make("main", Orders.createBatch, request), "place", names, (orders) =>
          orders.createBatch(request)
        )
      }
    ],
    [
      8,
      () => {
        const [orderLinkId = `soak-none-${dice.hex(8)}`] = placed.splice(0, 1)
        const call = Call.make("main", Orders.cancel, { category: "linear", symbol, orderLinkId })
        return { ...call, orders: [{ verb: "cancel", orderLinkId }] }
      }
    ],
    [
      3,
      () => {
        const found = placed.splice(0, some())
        const names = found.length === 0 ? [`soak-none-${dice.hex(8)}`] : found
        const request = {
          category: "linear" as const,
          request: names.map((orderLinkId) => ({ symbol, orderLinkId }))
        }
        return batch(Call.make("main", Orders.cancelBatch, request), "cancel", names, (orders) =>
          orders.cancelBatch(request)
        )
      }
    ]
  ] satisfies ReadonlyArray<readonly [number, Next]>
  const [first, ...others] = kinds
  return first === undefined ? undefined : () => dice.weighed<Next>([first, ...others])()
}

const riskLimits =
  (dice: Dice.Dice): Next =>
  () =>
    Call.make("customer", Positions.setRiskLimit, {
      category: "linear",
      symbol: "SOLUSDT",
      riskId: dice.roll(5),
      positionIdx: 0
    })

const cancellations = (): Call.Call =>
  Call.make("classic", Orders.cancelAll, { category: "linear", settleCoin: "USDT" })

/** Writes of every kind that this world has something for. */
export const make = (dice: Dice.Dice, state: State.State, uid: string): Next => {
  const maybe = (weight: number, next: Next | undefined): ReadonlyArray<readonly [number, Next]> =>
    next === undefined ? [] : [[weight, next]]
  const kinds = [
    [40, transfers(dice)],
    [20, withdrawals(dice, state, uid)],
    [2, riskLimits(dice)],
    [1, cancellations],
    ...maybe(15, amendments(dice, state, uid)),
    ...maybe(14, margins(state, uid)),
    ...maybe(8, stops(state, uid)),
    ...maybe(30, waiting(dice, state))
  ] as const
  return () => dice.weighed<Next>(kinds)()
}
