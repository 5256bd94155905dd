import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Executions from "@effect-venue/services/Executions"
import * as Assets from "@effect-venue/services/Assets"
import * as Orders from "@effect-venue/services/Orders"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Endpoints from "@effect-venue/schemas/Executions"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { onThatDay, settle, today, watched } from "../utils/exchange.js"

const request = { category: "linear", limit: 20 } as const
const fills = Effect.flatMap(Executions.Executions, (executions) => executions.list(request))

/** Every list's rows with one of their fields spelled otherwise. */
const spelled = (field: string, value: unknown) =>
  watched({}, (answer) => {
    const body = JSON.parse(answer.text) as { result: { list: ReadonlyArray<object> }; retExtInfo: unknown }
    const list = body.result.list.map((row) => ({ ...row, [field]: value }))
    return { ...answer, text: JSON.stringify({ ...body, retExtInfo: value, result: { ...body.result, list } }) }
  })

describe("a page", () => {
  for (const nothing of [null, ""]) {
    it.effect(`is read in which a field is ${JSON.stringify(nothing)}`, () => {
      const { venue } = spelled("feeRate", nothing)
      return onThatDay(
        venue,
        Effect.map(fills, ({ list }) => {
          expect(list).toHaveLength(20)
          expect(list.every(({ feeRate, markPrice }) => Option.isNone(feeRate) && Option.isSome(markPrice))).toBe(true)
        })
      )
    })
  }

  it.effect("with unknown values and fields is read, and an export loses neither", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        const transport = yield* Transport.Transport
        for (const kind of ["unknownEnumValue", "unknownField"] as const) {
          yield* faults.set([{ fault: { kind } }])
          expect((yield* fills).list).toHaveLength(20)
          const wire = yield* transport.callWire(Endpoints.list, request)
          const sent = JSON.parse(seen.at(-1)?.answer ?? "") as { readonly result: unknown }
          expect(wire).toEqual(sent.result)
        }
        expect((yield* faults.log).every(({ fault }) => Option.isSome(fault))).toBe(true)
      })
    )
  })
})

describe("a number that a double cannot hold", () => {
  const numbers = ["9007199254740993", "18446744073709551615", "123456789012345678901234567890"]

  /** Every row with a bare number in `seq`, and one in an unknown field. */
  const numbered = (seq: string, unknown: string) =>
    watched({}, (answer) => ({
      ...answer,
      text: answer.text.replaceAll(/"seq":\d+/g, `"seq":${seq},"text":"\\"a\\",${seq}","unknown":${unknown}`)
    }))

  for (const seq of numbers) {
    it.effect(`does not lose the page, and is exact as a cross sequence: ${seq}`, () =>
      onThatDay(
        numbered(seq, "1234567890.123456789012345").venue,
        Effect.gen(function* () {
          const { list } = yield* fills
          expect(new Set(list.map((fill) => Option.getOrUndefined(fill.seq)))).toEqual(new Set([seq]))
          const transport = yield* Transport.Transport
          const wire = yield* transport.callWire(Endpoints.list, request)
          const exact = { seq, text: `"a",${seq}`, unknown: "1234567890.123456789012345" }
          for (const row of wire.list ?? []) expect(row).toMatchObject(exact)
        })
      )
    )
  }
})

describe("an answer that is none", () => {
  it.effect("is never a result: pages of something in between, other envelopes, nothing at all", () => {
    const { venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        const assets = yield* Assets.Assets
        for (const fault of [
          { kind: "html", executed: true },
          { kind: "empty", executed: true },
          { kind: "truncated", breaks: false },
          { kind: "wrongEnvelope" },
          { kind: "nullResult" }
        ] as const) {
          yield* faults.set([{ fault }])
          // Instead of a response in the standard envelope, and of one in the legacy envelope.
          for (const call of [Effect.asVoid(fills), Effect.asVoid(assets.deposits({ pageSize: 1 }))]) {
            expect(yield* settle(Effect.flip(call))).toMatchObject({ _tag: "UnexpectedResponse" })
          }
        }
        // One that comes back in a second is the answer.
        yield* faults.set([{ fault: { kind: "html", executed: true }, count: 1 }])
        expect((yield* settle(fills)).list).toHaveLength(20)
      })
    )
  })

  it.effect("is not what the older envelope is taken for: its success is a success, its refusal a refusal", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const assets = yield* Assets.Assets
        expect((yield* assets.deposits({ type: 2, pageSize: 2 })).rows).toHaveLength(2)
        expect(seen.at(-1)?.answer).toMatch(/"ret_code":0/)
        const failure = yield* Effect.flip(
          assets.transfer({ coin: "USDT", amount: "99999999", fromAccountType: "FUND", toAccountType: "UNIFIED" })
        )
        expect(failure).toMatchObject({ _tag: "Rejected", reason: "InsufficientBalance" })
        expect(seen.at(-1)?.answer).toMatch(/"ret_code":131212/)
      })
    )
  })
})

describe("a reset of the limit", () => {
  for (const [when, resetMillis] of [
    ["in the past", -5000],
    ["now", 0],
    ["in a year", 31_536_000_000]
  ] as const) {
    it.effect(`${when} is neither slept for nor believed, and the call succeeds a window later`, () => {
      const { seen, venue } = watched()
      return onThatDay(
        venue,
        Effect.gen(function* () {
          const { faults } = yield* Sandbox.Sandbox
          yield* faults.set([{ fault: { kind: "rateRefusal", headers: true, resetMillis }, count: 1 }])
          expect((yield* settle(fills)).list).toHaveLength(20)
          const waited = (seen[1]?.at ?? 0) - today.epochMillis
          expect(waited).toBeGreaterThanOrEqual(1000)
          expect(waited).toBeLessThan(10_000)
        })
      )
    })
  }

  it.effect("that never comes is reported as a rate limit, with the service's own code", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        yield* faults.set([{ fault: { kind: "rateRefusal", headers: true, resetMillis: -1 } }])
        const failure = yield* settle(Effect.flip(fills))
        expect(failure).toMatchObject({ _tag: "RateLimited", status: 200, retCode: 10006, retMsg: "Too many visits!" })
        expect(failure._tag === "RateLimited" ? failure.attempts : []).toHaveLength(seen.length - 1)
        expect(seen.length).toBeGreaterThan(1)
      })
    )
  })
})

describe("a decimal", () => {
  it.effect("goes out plainly however small or large, and comes back without loss", () => {
    const { seen, venue } = watched()
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        const orders = yield* Orders.Orders
        const amounts = [
          [BigDecimal.make(1n, 5), "0.00001"],
          [BigDecimal.unsafeFromNumber(1e-7), "0.0000001"],
          [BigDecimal.make(12n, -3), "12000"],
          ["123456789012345678.000000000000000001", "123456789012345678.000000000000000001"]
        ] as const
        for (const [qty] of amounts) {
          yield* settle(Effect.exit(orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "unknown", qty })))
        }
        expect((yield* faults.log).map(({ parameters }) => parameters.qty)).toEqual(amounts.map(([, text]) => text))
        const exponent = orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "unknown", qty: "1e-05" })
        expect(yield* Effect.flip(settle(exponent))).toMatchObject({ _tag: "InvalidRequest", field: "qty" })
        const { list } = yield* fills
        const wire = JSON.parse(seen.at(-1)?.answer ?? "") as { readonly result: { readonly list: Array<object> } }
        expect(list.map(({ execFee, execPrice }) => [execFee, execPrice].map(Decimal.format))).toEqual(
          wire.result.list.map((row) => ["execFee", "execPrice"].map((field) => Reflect.get(row, field) as unknown))
        )
      })
    )
  })
})
