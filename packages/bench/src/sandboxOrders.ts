import type * as Edge from "@effect-venue/sandbox/shared/Edge"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as State from "@effect-venue/sandbox/shared/State"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"
import * as Processor from "./processor.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"

const uid = "77"
const recvWindow = "3600000"

/** The number of orders per measurement. */
const orders = 500

const [few, many] = [10_000, 1_000_000] as const

interface Market {
  readonly sandbox: Sandbox.Sandbox.Shape
  /** Signed requests for orders that open and close, each with a unique `orderLinkId`. */
  readonly next: Effect.Effect<ReadonlyArray<Edge.Request>>
}

const bodyOf = (index: number): string =>
  JSON.stringify({
    category: "linear",
    symbol: "LTCUSDT",
    side: index % 2 === 0 ? "Buy" : "Sell",
    orderType: "Market",
    qty: "1",
    orderLinkId: `order-${index}`
  })

const opened = Effect.gen(function* () {
  const sandbox = yield* Sandbox.make({ seed: 5, world: "empty", prices: "still", limits: "off" })
  const credentials = yield* Effect.orDie(sandbox.control.openAccount({ uid, funds: { USDT: "100000000" } }))
  const [key, secret] = [Redacted.value(credentials.apiKey), Redacted.value(credentials.apiSecret)]
  let count = 0
  const next = Effect.map(Clock.currentTimeMillis, (now) =>
    Array.from({ length: orders }, (): Edge.Request => {
      const [body, timestamp] = [bodyOf(count++), String(now)]
      return {
        method: "POST",
        target: "/cloud/trade/v3/order/create",
        headers: {
          "x-bapi-api-key": key,
          "x-bapi-timestamp": timestamp,
          "x-bapi-recv-window": recvWindow,
          "x-bapi-sign": createHmac("sha256", secret)
            .update(timestamp + key + recvWindow + body)
            .digest("hex")
        },
        body: new TextEncoder().encode(body)
      }
    })
  )
  return { sandbox, next } satisfies Market
})

const place = ({ sandbox }: Market, requests: ReadonlyArray<Edge.Request>) =>
  Effect.forEach(
    requests,
    (request) =>
      Effect.flatMap(Effect.orDie(sandbox.handle(request)), ({ body }) =>
        body.startsWith('{"retCode":0') ? Effect.void : Effect.dieMessage(body)
      ),
    { discard: true }
  )

const repeated = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => items[index % items.length]).filter((item) => item !== undefined)

/** Adds copies of existing records to the history of an account. */
const aged = (account: State.Account, count: number): State.Account => ({
  ...account,
  closedOrders: repeated(account.closedOrders, count),
  executions: { ...account.executions, linear: repeated(account.executions.linear, count) },
  closedPnl: { ...account.closedPnl, linear: repeated(account.closedPnl.linear, count) }
})

/** A market whose account has closed `count` orders. */
const after = (count: number) =>
  Effect.gen(function* () {
    const market = yield* opened
    yield* place(market, yield* market.next)
    const state = yield* market.sandbox.snapshot
    const account = state.accounts.get(uid)
    if (account === undefined) return yield* Effect.dieMessage("there is no such account")
    yield* market.sandbox.control.restore({
      ...state,
      accounts: new Map(state.accounts).set(uid, aged(account, count))
    })
    // The first order afterwards builds the lists.
    yield* place(market, yield* market.next)
    return market
  })

const cost = (market: Market) =>
  Effect.gen(function* () {
    const requests = yield* market.next
    const micros = yield* Processor.micros(place(market, requests))
    return micros / orders
  })

/** The cost of an order after a million others, compared with one after ten thousand: it must not grow. */
export const orderGrowth: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  const [young, old] = [yield* after(few), yield* after(many)]
  const pairs = yield* Rounds.pairs({ count: 17, warmUp: 2 }, cost(old), cost(young))
  return [
    Row.ofPairs(
      {
        name: "sandbox.orders.million",
        baselineName: "after 10,000 orders",
        unit: "us of processor an order",
        target: { atMost: 1.2 }
      },
      pairs
    )
  ]
})
