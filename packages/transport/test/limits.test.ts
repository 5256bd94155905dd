import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Limits from "@effect-venue/transport/Limits"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option, Record, TestClock } from "effect"
import { page } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

/** A service with a rolling limit, which may change, and which its headers report or not. */
const service = (limit: (at: number) => number, reports: boolean) => {
  const accepted: Array<number> = []
  let refusals = 0
  const far = scripted.make((arrived) => {
    const used = accepted.filter((at) => at > arrived.at - 1000).length
    const max = limit(arrived.at)
    const isRefused = used >= max
    if (isRefused) refusals += 1
    else accepted.push(arrived.at)
    const body = isRefused
      ? { retCode: 10006, retMsg: "Too many visits!", result: {}, retExtInfo: {}, time: arrived.at }
      : { retCode: 0, retMsg: "OK", result: page, retExtInfo: {}, time: arrived.at }
    return {
      body: JSON.stringify(body),
      headers: reports
        ? {
            "X-Bapi-Limit": String(max),
            "X-Bapi-Limit-Status": String(Math.max(max - used - 1, 0)),
            "X-Bapi-Limit-Reset-Timestamp": String(isRefused ? (accepted[0] ?? arrived.at) + 1000 : arrived.at)
          }
        : {}
    }
  })
  return { far, refusals: () => refusals, accepted }
}

/** One caller after the other, for a minute. */
const asking = (far: ReturnType<typeof scripted.make>) =>
  Effect.gen(function* () {
    const transport = yield* Transport.Transport
    const fiber = yield* Effect.fork(
      Effect.forever(Effect.either(transport.call(Executions.list, { category: "linear" })))
    )
    yield* TestClock.adjust("1 minute")
    yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(far.layer))

describe("a limit that the service lowers without notice", () => {
  for (const reports of [true, false]) {
    it.effect(`is honoured after at most one refusal, when the headers ${reports ? "report it" : "are missing"}`, () =>
      Effect.gen(function* () {
        const { accepted, far, refusals } = service((at) => (at < 20_000 ? 10 : 3), reports)
        yield* asking(far)
        expect(refusals()).toBeLessThanOrEqual(1)
        // It goes on at the lower limit, and does not stop.
        const late = accepted.filter((at) => at > 30_000 && at <= 50_000).length
        expect(late).toBeGreaterThan(20)
        expect(late).toBeLessThanOrEqual(60)
      })
    )
  }

  it.effect("is used in full again when the headers report that it was raised", () =>
    Effect.gen(function* () {
      const { accepted, far, refusals } = service((at) => (at < 20_000 ? 3 : 10), true)
      yield* asking(far)
      expect(refusals()).toBeLessThanOrEqual(1)
      expect(accepted.filter((at) => at > 30_000 && at <= 50_000).length).toBeGreaterThan(190)
    })
  )
})

describe("the limits of an account", () => {
  const granted = (limits: Limits.Shape, category: string) =>
    Option.getOrThrow(limits.perUid(Orders.amend, category)).count

  it("[limits/upper.account] are those of a normal account's level, on futures", () => {
    const levels = {
      Default: 10,
      "VIP 1": 20,
      "VIP 2": 40,
      "VIP 3": 60,
      "VIP 4": 60,
      "VIP 5": 60,
      "Supreme VIP": 60,
      PRO1: 100,
      PRO2: 150,
      PRO3: 200
    } as const
    expect(DocumentedLimits.accountLevels).toEqual(levels)
    for (const [level, count] of Record.toEntries(levels)) {
      expect(granted(Limits.accountLevel(level), "linear")).toBe(count)
      expect(granted(Limits.accountLevel(level), "inverse")).toBe(count)
      expect(granted(Limits.accountLevel(level), "spot")).toBe(10)
    }
  })

  it("[limits/upper.uid] are those of a UID's level, on futures as on spot", () => {
    const levels = { PRO1: 200, PRO2: 400, PRO3: 600, PRO4: 800, PRO5: 1000, PRO6: 1200 } as const
    expect(DocumentedLimits.uidLevels).toEqual(levels)
    for (const [level, count] of Record.toEntries(levels)) {
      expect(granted(Limits.uidLevel(level), "linear")).toBe(count)
      expect(granted(Limits.uidLevel(level), "spot")).toBe(count)
    }
    // What an account cannot be granted more of stays as it is.
    expect(Option.getOrThrow(Limits.uidLevel("PRO6").perUid(Orders.cancelAll, "linear")).count).toBe(10)
  })

  it("[limits/upper.master] are those of a master's level, for all its accounts together", () => {
    const levels = { PRO1: 10_000, PRO2: 20_000, PRO3: 30_000, PRO4: 40_000, PRO5: 50_000, PRO6: 60_000 }
    expect(DocumentedLimits.masterLevels).toEqual(levels)
  })

  it("[limits/upper.not-automatic] are the documented ones unless others are granted", () => {
    for (const category of ["linear", "inverse", "spot"]) expect(granted(Limits.documented, category)).toBe(10)
  })

  it("do not change the limit of an address", () => {
    expect(Limits.documented.perIp).toStrictEqual(Option.some({ count: 600, window: Duration.seconds(5) }))
  })

  it("are the granted ones for a type of business, and the documented ones for the other", () => {
    const limit = (limits: Limits.Shape, category: string | undefined) =>
      Option.getOrThrow(limits.perUid(Orders.amend, category))
    expect(limit(Limits.accountLevel("PRO1"), undefined)).toMatchObject({ count: 100 })
    expect(limit(Limits.accountLevel("PRO1"), "spot")).toStrictEqual(limit(Limits.documented, "spot"))
    expect(limit(Limits.accountLevel("PRO1"), "linear")).toStrictEqual({
      ...limit(Limits.documented, "linear"),
      count: 100
    })
    expect(Limits.accountLevel("PRO1").perIp).toStrictEqual(Limits.documented.perIp)
    expect(Limits.accountLevel("PRO1").perUid(Executions.preUpgrade, "linear")).toStrictEqual(Option.none())
  })

  it("default to the documented ones, and can be switched off", () => {
    expect(Limits.none.perUid(Orders.amend, "linear")).toStrictEqual(Option.none())
    expect(Limits.none.perIp).toStrictEqual(Option.none())
    expect(Effect.runSync(Limits.Limits)).toBe(Limits.documented)
  })
})
