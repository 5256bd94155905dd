import * as Samples from "@effect-venue/testing/Samples"
import * as Account from "@effect-venue/services/Account"
import * as Orders from "@effect-venue/services/Orders"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { type Change, onThatDay, watched } from "./utils/exchange.js"
import { enveloped, serve, venueAt } from "./utils/server.js"

const order = { category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "20" } as const

const outcome = (result: Either.Either<unknown, { readonly _tag: string }>): string =>
  Either.match(result, { onLeft: ({ _tag }) => _tag, onRight: () => "success" })

describe("an answer that a proxy delivers to a second request", () => {
  for (const [answer, body] of [
    ["an accepted order", (orderLinkId: string) => enveloped({ orderId: "o-1", orderLinkId })],
    ["an accepted order without its name", () => enveloped({ orderId: "o-1", orderLinkId: "" })],
    ["a refused order", () => ({ ...enveloped(null), retCode: 110007, retMsg: "balance" })]
  ] as const) {
    it.scopedLive(`of ${answer} returns OutcomeUnknown for the second order`, () =>
      Effect.gen(function* () {
        let first: string | undefined
        const { received, url } = yield* serve(
          ({ parameters }) => (first ??= JSON.stringify(body(String(parameters.orderLinkId))))
        )
        const results = yield* Effect.gen(function* () {
          const orders = yield* Orders.Orders
          const one = yield* Effect.either(orders.create({ ...order, orderLinkId: "one" }))
          yield* Effect.sleep("100 millis")
          return [one, yield* Effect.either(orders.create({ ...order, orderLinkId: "two" }))].map(outcome)
        }).pipe(Effect.provide(venueAt(url)))
        expect(received).toHaveLength(2)
        expect(results).toEqual([answer === "a refused order" ? "Rejected" : "success", "OutcomeUnknown"])
      })
    )
  }

  it.scopedLive("is read again by a read", () =>
    Effect.gen(function* () {
      let replayed: string | undefined
      let requests = 0
      const { url } = yield* serve(() => {
        requests += 1
        const answer = JSON.stringify(
          enveloped({ list: [{ symbol: `S${requests}`, takerFeeRate: "1", makerFeeRate: "1" }] })
        )
        replayed ??= answer
        return requests === 2 ? replayed : answer
      })
      const rates = yield* Effect.gen(function* () {
        const account = yield* Account.Account
        yield* account.feeRate({ category: "spot" })
        yield* Effect.sleep("100 millis")
        const { list } = yield* account.feeRate({ category: "spot" })
        return list
      }).pipe(Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.standard), Effect.provide(venueAt(url)))
      expect(rates).toMatchObject([{ symbol: { value: "S3" } }])
    })
  )

  it.scopedLive("is accepted after one attempt if the service's clock was set back", () =>
    Effect.gen(function* () {
      let setBack = 0
      const { url } = yield* serve(({ parameters }) =>
        enveloped({ orderId: "o-1", orderLinkId: parameters.orderLinkId }, Date.now() - setBack)
      )
      const results = yield* Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const create = Effect.map(Effect.either(orders.create({ ...order, orderLinkId: "mine" })), outcome)
        const before = yield* create
        yield* Effect.sleep("20 millis")
        setBack = 60_000
        const first = yield* create
        yield* Effect.sleep("20 millis")
        return [before, first, yield* create, yield* create]
      }).pipe(Effect.provide(venueAt(url)))
      expect(results).toEqual(["success", "OutcomeUnknown", "success", "success"])
    })
  )
})

const withoutTime = new Set(
  Samples.all.flatMap(({ endpoint: { envelope, name } }) => (envelope === "bare" ? [name] : []))
)
const unsigned = new Set(Samples.all.flatMap(({ endpoint: { name, signing } }) => (signing === "public" ? [name] : [])))

const earlier = (text: string, millis: number) =>
  text.replace(/"(time|time_now)":(\d+)\}$/, (_, name: string, time: string) => `"${name}":${Number(time) - millis}}`)

describe("an envelope whose time is before the signature", () => {
  it.effect("makes a write OutcomeUnknown and repeats a read, for every signed operation", () => {
    let by = 0
    const change: Change = (answer) => {
      const text = earlier(answer.text, by)
      by = 0
      return { ...answer, text }
    }
    const { seen, venue } = watched({ prices: "still" }, change)
    const call = ({ endpoint, request }: Samples.Sample) =>
      Effect.flatMap(Transport.Transport, (transport) => settle(Effect.either(transport.call(endpoint, request))))
    return onThatDay(
      venue,
      Effect.gen(function* () {
        yield* settle(Effect.flatMap(Account.Account, (account) => account.walletBalance({ accountType: "UNIFIED" })))
        for (const [index, sample] of Samples.all.entries()) {
          const { name, safety } = sample.endpoint
          const requests = seen.length
          by = 10_000 * (index + 1)
          const result = outcome(yield* call(sample))
          const isChecked = !withoutTime.has(name) && !unsigned.has(name)
          expect([name, seen.length - requests, result]).toEqual(
            isChecked && safety === "write"
              ? [name, 1, "OutcomeUnknown"]
              : // A transfer is sent again with its request id.
                [name, isChecked ? 2 : 1, "success"]
          )
          by = 0
        }
      })
    )
  })
})
