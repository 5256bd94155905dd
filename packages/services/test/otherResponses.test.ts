import * as Samples from "@effect-venue/testing/Samples"
import * as Account from "@effect-venue/services/Account"
import * as Orders from "@effect-venue/services/Orders"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { type Change, onThatDay, settle, watched } from "./utils/exchange.js"
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
        const create = Effect.map(Effect.either(orders.create(order)), outcome)
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

interface Write {
  readonly request: object
  readonly result: object
  /** Other values for every field of the result that repeats a parameter. */
  readonly others: object
}

const market = { category: "linear", symbol: "BTCUSDT" }
const transferId = "42c0cfb0-6bca-4242-bc76-4e6df6cbcb16"
const transfer = Samples.requests["assets.transfer"]
const limit = { uids: "1,2", bizType: "SPOT", rate: 20, success: true, msg: "" }

/** The writes whose result repeats what was sent. */
const writes: Readonly<Record<string, Write>> = {
  "orders.create": {
    request: { ...order, orderLinkId: "link-1" },
    result: { orderId: "o-1", orderLinkId: "link-1" },
    others: { orderLinkId: "link-2" }
  },
  "orders.amend": {
    request: { ...market, orderLinkId: "link-1", price: "1" },
    result: { orderId: "o-1", orderLinkId: "link-1" },
    others: { orderLinkId: "link-2" }
  },
  "orders.cancel": {
    request: { ...market, orderId: "o-1" },
    result: { orderId: "o-1", orderLinkId: "link-1" },
    others: { orderId: "o-2" }
  },
  "positions.addMargin": {
    request: { ...market, margin: "1", positionIdx: 1 },
    result: { ...market, positionIdx: 1, riskId: 1, size: "1" },
    others: { symbol: "ETHUSDT", positionIdx: 2 }
  },
  "positions.setRiskLimit": {
    request: { ...market, riskId: 2 },
    result: { category: "linear", riskId: 2, riskLimitValue: "1" },
    others: { riskId: 3 }
  },
  "positions.setTpslMode": {
    request: { ...market, tpSlMode: "Full" },
    result: { tpSlMode: "Full" },
    others: { tpSlMode: "Partial" }
  },
  "assets.transfer": {
    request: { ...transfer, requestId: transferId },
    result: { transferId: transferId.toUpperCase() },
    others: { transferId: "52c0cfb0-6bca-4242-bc76-4e6df6cbcb16" }
  },
  "apiLimits.set": {
    request: { list: [{ uids: ["1", "2"], bizType: "SPOT", rate: 20 }] },
    result: { result: [limit] },
    others: {
      result: [{ ...limit, uids: "1,3" }],
      list: [{ ...limit, bizType: "DERIVATIVES" }]
    }
  }
}

/** Writes whose result has nothing that was sent. The slots of a batch are compared one by one (`batchAnswers.test.ts`). */
const withoutRepetition = [
  ...["orders.cancelAll", "positions.setTradingStop", "positions.setLeverage", "positions.confirmNewRiskLimit"],
  ...["assets.withdrawInternal", "orders.createBatch", "orders.amendBatch", "orders.cancelBatch"]
]

describe("the result of a write", () => {
  it("is compared with the request for every write whose result repeats a parameter", () => {
    const all = Samples.all.flatMap(({ endpoint: { name, safety } }) => (safety === "read" ? [] : [name]))
    expect([...Object.keys(writes), ...withoutRepetition].sort()).toEqual([...all].sort())
  })

  for (const [name, { others, request, result }] of Object.entries(writes)) {
    it.scopedLive(`of ${name} returns OutcomeUnknown if it repeats a value that was not sent`, () =>
      Effect.gen(function* () {
        let answered = result
        const { url } = yield* serve(() => enveloped(answered))
        const { endpoint } = Samples.all.find((sample) => sample.name === name) ?? {}
        if (endpoint === undefined) return yield* Effect.dieMessage(name)
        const sent = Effect.flatMap(Transport.Transport, (transport) => transport.call(endpoint, request)).pipe(
          Effect.either,
          Effect.map(outcome),
          Effect.provide(venueAt(url))
        )
        const results: Record<string, string> = { same: yield* sent }
        for (const [field, other] of Object.entries(others)) {
          answered = field === "list" ? { list: other } : { ...result, [field]: other }
          results[field] = yield* sent
        }
        expect(results).toEqual({
          same: "success",
          ...Object.fromEntries(Object.keys(others).map((field) => [field, "OutcomeUnknown"]))
        })
      })
    )
  }
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
