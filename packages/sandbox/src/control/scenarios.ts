import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import type * as Control from "./Control.js"
import * as Orders from "../handlers/orders/orders.js"
import * as Settings from "../handlers/positions/settings.js"
import * as Exchange from "../state/Exchange.js"
import * as Events from "../engine/events.js"
import type * as Handler from "../handling/handler.js"
import * as Newcomer from "../seed/newcomer.js"
import * as Money from "../trading/money.js"
import * as Accounts from "./accounts.js"
import * as Refusal from "../engine/refusal.js"

type Next = Either.Either<Exchange.State, Refusal.Refusal>

const market = { category: "linear", symbol: "BTCUSDT" } as const

/** A request of an account, as if it had arrived. */
const sendAs = <E extends Endpoint.Any>(
  handler: Handler.Handler<E>,
  request: Endpoint.Accepted<Endpoint.Request<E>>,
  { now, state, uid }: { readonly uid: string; readonly state: Exchange.State; readonly now: number }
): Next => {
  const account = state.accounts.get(uid)
  if (account === undefined) return Refusal.refuse("NotFound", "uid", `has no account: ${uid}`)
  return Either.mapBoth(handler(request, { account, now, state }), {
    onLeft: ({ message }): Refusal.Refusal => ({ reason: "NotPossible", field: "name", detail: message }),
    onRight: (answer) => answer.state
  })
}

const lastPriceOf = (state: Exchange.State): BigDecimal.BigDecimal =>
  Exchange.listing(state, market.category, market.symbol)?.lastPrice ?? Money.zero

/** How much of its price a position can lose, with the maintenance margin of half a percent. */
const distance = BigDecimal.unsafeFromString("0.015")

/** A long position that a fall of about one percent liquidates. Its price is held: nothing happens until somebody moves it. */
const aboutToBeLiquidated = (uid: string, state: Exchange.State, now: number, funds: string): Next =>
  Either.gen(function* () {
    const price = lastPriceOf(state)
    const frozen = yield* Events.setPrice(state, { ...market, price }, now)
    const leveraged = yield* sendAs(
      Settings.setLeverage,
      { ...market, buyLeverage: "100", sellLeverage: "100" },
      { uid, state: frozen, now }
    )
    const value = Money.divide(BigDecimal.unsafeFromString(funds), distance)
    const qty = BigDecimal.format(Money.truncate(Money.divide(value, price), 3))
    return yield* sendAs(
      Orders.create,
      { ...market, side: "Buy", orderType: "Market", qty },
      { uid, state: leveraged, now }
    )
  })

/** As many limit orders as a symbol can have, far under the market, each a tick under the one before. */
const openOrders = (uid: string, state: Exchange.State, now: number): Next => {
  const tick = BigDecimal.unsafeFromString("0.1")
  const highest = Money.truncate(BigDecimal.multiply(lastPriceOf(state), BigDecimal.unsafeFromString("0.8")), 1)
  const prices = Array.from({ length: 500 }, (_, index) =>
    BigDecimal.format(BigDecimal.subtract(highest, BigDecimal.multiply(tick, BigDecimal.make(BigInt(index), 0))))
  )
  return prices.reduce(
    (next: Next, price) =>
      Either.flatMap(next, (state) =>
        sendAs(Orders.create, { ...market, side: "Buy", orderType: "Limit", qty: "0.001", price }, { uid, state, now })
      ),
    Either.right(state)
  )
}

/** Opens an account and brings it into a scenario. */
export const open = (
  { name }: Control.OpenScenario,
  state: Exchange.State,
  now: number
): Refusal.Transition<Control.Opened> =>
  Either.gen(function* () {
    const funds = name === "about-to-be-liquidated" ? "1000" : "10000"
    const [opened, begun] = yield* Accounts.openAccount(
      name === "pre-upgrade" ? {} : { funds: { USDT: funds } },
      state,
      now
    )
    const { uid } = opened
    switch (name) {
      case "about-to-be-liquidated":
        return [opened, yield* aboutToBeLiquidated(uid, begun, now, funds)]
      case "500-open-orders":
        return [opened, yield* openOrders(uid, begun, now)]
      case "pre-upgrade":
        return [opened, Newcomer.upgrade(begun, uid, now)]
    }
  })
