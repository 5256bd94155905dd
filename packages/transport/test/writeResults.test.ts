/** The results of successful writes, with values that cannot be read: only what decides the outcome is needed. */
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "@effect-venue/transport/Failure"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { fieldsOf, specification } from "@effect-venue/testing/Specification"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Logger } from "effect"
import * as scripted from "./utils/scripted.js"

type Json = Readonly<Record<string, unknown>>

const requestId = "87c18caa-539a-449e-99cc-c39e4329bcc5"
const market = { category: "linear", symbol: "BTCUSDT" }
const slot = { ...market, orderId: "1", orderLinkId: "mine-1" }
const codes = {
  extInfo: {
    list: [
      { code: 0, msg: "OK" },
      { code: 110001, msg: "no" }
    ]
  }
}
const slots = { result: { list: [slot, { ...slot, orderId: "2", orderLinkId: "mine-2" }] }, ...codes }
const created = {
  result: { list: slots.result.list.map((slot) => ({ ...slot, createAt: "1700000000000" })) },
  ...codes
}
const ids = { orderId: "1", orderLinkId: "mine-1" }

const position = {
  ...market,
  positionIdx: 0,
  riskId: 1,
  riskLimitValue: "1",
  size: "1",
  avgPrice: "1",
  positionValue: "1",
  positionStatus: "Normal",
  leverage: "1",
  markPrice: "1",
  liqPrice: "1",
  bustPrice: "1",
  positionIM: "1",
  positionMM: "1",
  takeProfit: "1",
  stopLoss: "1",
  trailingStop: "1",
  unrealisedPnl: "1",
  cumRealisedPnl: "1",
  autoAddMargin: 0,
  createdTime: "1700000000000",
  updatedTime: "1700000000000"
}

interface Write {
  readonly request: unknown
  readonly result: Json
  /** The fields that decide the outcome besides those that the document requires. */
  readonly decides?: ReadonlyArray<string>
}

/** A request of each write, and its result: of a batch `{ result, extInfo }`. */
const writes: Readonly<Record<string, Write>> = {
  "orders.create": {
    request: { ...market, side: "Buy", orderType: "Limit", qty: "1", price: "1", orderLinkId: "mine-1" },
    result: ids
  },
  "orders.amend": { request: { ...market, orderId: "1", price: "1" }, result: ids },
  "orders.cancel": { request: { ...market, orderId: "1" }, result: ids },
  "orders.cancelAll": { request: market, result: { list: [ids, ids], success: "1" }, decides: ["success"] },
  "orders.createBatch": {
    request: { category: "linear", request: [{ symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "1" }] },
    result: created
  },
  "orders.amendBatch": {
    request: { category: "linear", request: [{ symbol: "BTCUSDT", orderId: "1", price: "1" }] },
    result: slots
  },
  "orders.cancelBatch": {
    request: { category: "linear", request: [{ symbol: "BTCUSDT", orderId: "1" }] },
    result: slots
  },
  "positions.addMargin": { request: { ...market, margin: "1" }, result: position },
  "positions.setTradingStop": { request: { ...market, takeProfit: "1", positionIdx: 0 }, result: {} },
  "positions.setRiskLimit": {
    request: { ...market, riskId: 1 },
    result: { category: "linear", riskId: 1, riskLimitValue: "1" }
  },
  "positions.confirmNewRiskLimit": { request: market, result: {} },
  "positions.setLeverage": { request: { ...market, buyLeverage: "1", sellLeverage: "1" }, result: {} },
  "positions.setTpslMode": { request: { ...market, tpSlMode: "Full" }, result: { tpSlMode: "Full" } },
  "assets.transfer": {
    request: { requestId, coin: "USDT", amount: "1", fromAccountType: "UNIFIED", toAccountType: "FUND" },
    result: { transferId: requestId }
  },
  "assets.withdrawInternal": {
    request: { coin: "USDT", addressType: 3, address: "1", amount: "1", requestId: "abc" },
    result: { withdraw_id: "1" }
  },
  "apiLimits.set": {
    request: { list: [{ uids: ["1"], bizType: "SPOT", rate: 5 }] },
    result: { result: [{ uids: "1", bizType: "SPOT", rate: 5, success: true, msg: "OK" }] }
  }
}

type Path = ReadonlyArray<string | number>

const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => {
        const here = [...path, Array.isArray(value) ? Number(key) : key]
        return [here, ...pathsOf(inner, here)]
      })
    : []

const replaced = (value: unknown, [key, ...rest]: Path, by: unknown): unknown =>
  key === undefined
    ? by
    : Array.isArray(value)
      ? value.map((item: unknown, index) => (index === key ? replaced(item, rest, by) : item))
      : Object.fromEntries(
          Object.entries(value as object).map(([name, inner]) => [
            name,
            name === key ? replaced(inner, rest, by) : inner
          ])
        )

const withField = (record: Json, path: Path, by: unknown): Json => replaced(record, path, by) as Json

const nameOf = (path: Path): string =>
  path.map((key, index) => (typeof key === "number" ? "[]" : `${index === 0 ? "" : "."}${key}`)).join("")

const answerOf = ({ envelope, extended }: Endpoint.Any, wire: Json | null): scripted.Answer => {
  const { extInfo, result } = extended === true && wire !== null ? wire : { extInfo: {}, result: wire }
  return envelope === "standard"
    ? { body: JSON.stringify({ retCode: 0, retMsg: "OK", result, retExtInfo: extInfo, time: 0 }) }
    : { body: JSON.stringify({ ret_code: 0, ret_msg: "OK", ext_code: "", result, ext_info: null, time_now: 0 }) }
}

/** What a caller gets for a result, and what is logged. */
const outcomeOf = (endpoint: Endpoint.Any, request: unknown, wire: Json | null) => {
  const logged: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void logged.push(String(message)))
  )
  const far = scripted.make(() => answerOf(endpoint, wire))
  return Effect.map(
    Effect.either(
      Effect.flatMap(Transport.Transport, (transport): Effect.Effect<unknown, Failure.Failure> =>
        transport.call(endpoint as never, request as never)
      )
    ).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(far.layer),
      Effect.provide(logger)
    ),
    (outcome) => ({ outcome, logged })
  )
}

const strange: ReadonlyArray<unknown> = [{}, { toString: 1 }, [[]], [null]]

describe("the result of a successful write", () => {
  it("is tested for every write", () => {
    expect(Object.keys(writes)).toEqual(Endpoints.all.filter(({ safety }) => safety !== "read").map(({ name }) => name))
  })

  for (const endpoint of Endpoints.all.filter(({ safety }) => safety !== "read")) {
    const { decides = [], request, result } = writes[endpoint.name]!
    const required = fieldsOf(specification[endpoint.name as keyof typeof specification].required)

    it.effect(`${endpoint.name}: is read without the details that cannot be read, with a notice of each`, () =>
      Effect.gen(function* () {
        const whole = yield* outcomeOf(endpoint, request, result)
        expect(whole).toMatchObject({ outcome: { _tag: "Right" }, logged: [] })
        for (const path of pathsOf(result)) {
          const name = nameOf(path)
          const isEntry = typeof path.at(-1) === "number"
          const isDetailList = endpoint.name === "orders.cancelAll" && path[0] === "list"
          for (const value of strange) {
            // A list of lists of nothing is a list, and text can be anything.
            if (Array.isArray(value) && (isDetailList || isEntry || name.endsWith("list") || name === "result"))
              continue
            const { logged, outcome } = yield* outcomeOf(endpoint, request, withField(result, path, value))
            const isNeeded = name in required || decides.includes(name) || (isEntry && !isDetailList)
            if (isNeeded && !isDetailList) {
              // An entry of a batch can be an object without fields.
              if (isEntry && Either.isRight(outcome)) continue
              expect([name, value, outcome]).toMatchObject([name, value, { left: { _tag: "OutcomeUnknown" } }])
              continue
            }
            expect([name, value, outcome]).toMatchObject([name, value, { _tag: "Right" }])
            expect([name, value, logged]).toEqual([
              name,
              value,
              [expect.stringMatching(new RegExp(`^${endpoint.name}: \\S+ cannot be read and is left out`))]
            ])
            // The slots of a batch stay in their places.
            if (endpoint.extended === true) expect(outcome).toMatchObject({ right: { length: 2 } })
          }
        }
      })
    )
  }

  it.effect("can be null if it decides nothing", () =>
    Effect.gen(function* () {
      const readable = yield* Effect.filter(Object.keys(writes), (name) =>
        Effect.map(
          outcomeOf(
            Endpoints.all.find((endpoint) => endpoint.name === name)!,
            writes[name]!.request,
            null
          ),
          ({ outcome }) => Either.isRight(outcome)
        )
      )
      expect(readable).toEqual([
        "orders.cancelAll",
        "positions.addMargin",
        "positions.setTradingStop",
        "positions.setRiskLimit",
        "positions.confirmNewRiskLimit",
        "positions.setLeverage",
        "positions.setTpslMode"
      ])
    })
  )

  it.effect("shows no secret in a notice", () =>
    Effect.gen(function* () {
      const endpoint = Endpoints.all.find(({ name }) => name === "orders.amend")!
      const { logged, outcome } = yield* outcomeOf(endpoint, writes["orders.amend"]!.request, {
        orderId: "1",
        orderLinkId: { [scripted.canarySecret]: scripted.canaryKey }
      })
      expect(outcome).toMatchObject({ _tag: "Right" })
      expect(logged).toHaveLength(1)
      expect(logged.join()).not.toContain(scripted.canarySecret)
      expect(logged.join()).not.toContain(scripted.canaryKey)
    })
  )
})
