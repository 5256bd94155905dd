import * as BanGate from "@effect-venue/transport/BanGate"
import * as Gauges from "@effect-venue/transport/Gauges"
import * as Limits from "@effect-venue/transport/Limits"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import type * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Sources from "@effect-venue/transport/siblings/GaugeReadings"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Layer, Metric, MetricState, Ref, Scope, TestClock } from "effect"
import * as Readings from "../src/telemetry/readings.js"
import { intent } from "./utils/writeJournals.js"

/** The values of a gauge for these labels, by its remaining labels. A value that is absent now is NaN. */
const valuesOf = (name: string, labels: Readonly<Record<string, string>>) =>
  Effect.map(Metric.snapshot, (pairs) =>
    Object.fromEntries(
      pairs.flatMap(({ metricKey, metricState }) => {
        const tags = Object.fromEntries(metricKey.tags.map(({ key, value }) => [key, value]))
        const isMeant = metricKey.name === name && Object.entries(labels).every(([key, value]) => tags[key] === value)
        if (!isMeant || !MetricState.isGaugeState(metricState)) return []
        const rest = metricKey.tags.filter(({ key }) => !(key in labels)).map(({ value }) => value)
        return [[rest.sort().join(" "), metricState.value]]
      })
    )
  )

describe("the labels of a limit", () => {
  const digest = "0123456789abcdef0123456789abcdef"
  const { open, opening } = Limits.streamConnection("linear", { address: "wss://stream.example.com" })
  it.each([
    ["api.example.com", "api.example.com", "address"],
    ["api.example.com:8443", "api.example.com:8443", "address"],
    [`api.example.com key:${digest} /v3/order/list`, "api.example.com", "/v3/order/list"],
    ["api.example.com uid:1001 /v3/order/create linear", "api.example.com", "/v3/order/create linear"],
    ["api.example.com uid:a b /v3/order/list", "api.example.com", "/v3/order/list"],
    ["api.example.com uid:1001 /v3/order/list ", "api.example.com", "/v3/order/list"],
    [opening.key, "stream.example.com", "stream linear opening"],
    [open.key, "stream.example.com", "stream linear open"],
    [Limits.streamConnection("spot").open.key, "", "stream spot open"],
    ["a limit of the application", "", "custom"]
  ])("of the key %s have its address and name, and neither account nor key", (key, address, limit) => {
    expect(Readings.limitOf(key)).toEqual({ address, limit })
  })
})

it("the room of a limit is the least of all accounts, and never negative", () => {
  const key = (uid: string) => `h uid:${uid} /list`
  expect(
    Readings.roomOf([
      { key: key("1"), remaining: 7 },
      { key: "h", remaining: 590 },
      { key: key("2"), remaining: 3 },
      { key: "g", remaining: -1 }
    ])
  ).toEqual([
    { address: "h", limit: "/list", room: 3 },
    { address: "h", limit: "address", room: 590 },
    { address: "g", limit: "address", room: 0 }
  ])
})

describe("gauges of an address", () => {
  const charge: RateLimitStore.Charge = {
    key: "banning.example",
    scope: "ip",
    limit: 600,
    window: Duration.seconds(5),
    cost: 1
  }

  const call = (host: string, answer: "ok" | "banned") =>
    Effect.gen(function* () {
      const gate = yield* BanGate.BanGate
      const limiter = yield* RateLimiter.RateLimiter
      yield* RateLimiter.charged(
        limiter,
        BanGate.pass(gate, Effect.succeed(answer), {
          host,
          isBanned: (answer) => answer === "banned",
          closed: () => Effect.die("closed")
        }),
        { charges: [{ ...charge, key: host }], priority: "read" }
      )
    })

  it.scoped("are computed when read: the rest of a ban decreases, the room of a limit increases", () =>
    Effect.gen(function* () {
      const egress = { egress: "counting" }
      yield* Sources.limits(egress)
      yield* call("banning.example", "banned")
      yield* call("quiet.example", "ok")
      const read = Effect.zipRight(
        Gauges.refresh,
        Effect.all({ bans: valuesOf("venue_ban_seconds", egress), room: valuesOf("venue_limit_room", egress) })
      )
      expect(yield* read).toEqual({
        bans: { "banning.example": 600, "quiet.example": 0 },
        room: { "address banning.example": 599, "address quiet.example": 599 }
      })
      yield* TestClock.adjust("4 minutes")
      // Not read again: it is what it was.
      expect(yield* valuesOf("venue_ban_seconds", egress)).toMatchObject({ "banning.example": 600 })
      expect(yield* read).toEqual({
        bans: { "banning.example": 360, "quiet.example": 0 },
        room: { "address banning.example": 600, "address quiet.example": 600 }
      })
      yield* TestClock.adjust("6 minutes")
      expect((yield* read).bans).toEqual({ "banning.example": 0, "quiet.example": 0 })
    }).pipe(Effect.provide(Layer.merge(BanGate.layer, RateLimiter.layerMemory)))
  )
})

describe("writes without an outcome", () => {
  it.scoped("are those of an earlier process, without those in flight", () =>
    Effect.gen(function* () {
      const storage = WriteJournal.memoryStorage()
      const killed = yield* WriteJournal.makeMemory(storage)
      yield* killed.begin(intent("lost"))
      const journal = yield* WriteJournal.makeMemory(storage)
      yield* journal.begin(intent("under-way"))
      yield* Layer.build(Gauges.layerWrites).pipe(Effect.provideService(WriteJournal.WriteJournal, journal))
      const read = Effect.zipRight(Gauges.refresh, valuesOf("venue_unresolved_writes", {}))
      expect(yield* read).toEqual({ "": 1 })
      yield* journal.end("lost", { _tag: "Reconciled", executed: "yes", reason: "it is listed" })
      expect(yield* read).toEqual({ "": 0 })
    })
  )
})

describe("a source of gauges", () => {
  const gauge = Metric.gauge("test_source")
  const reading = (account: string, value: number) => ({ gauge, labels: { account }, value })

  it.scoped(
    "leaves no value behind: of labels that it returns no more, when it fails or hangs, and when its scope ends",
    () =>
      Effect.gen(function* () {
        const current = yield* Ref.make<Effect.Effect<ReadonlyArray<Readings.Reading>, string>>(Effect.succeed([]))
        const scope = yield* Scope.make()
        yield* Scope.extend(Sources.register("a test", Effect.flatten(Ref.get(current))), scope)
        const read = (next: Effect.Effect<ReadonlyArray<Readings.Reading>, string>) =>
          Effect.zipRight(Effect.zipRight(Ref.set(current, next), Gauges.refresh), valuesOf("test_source", {}))
        expect(yield* read(Effect.succeed([reading("a", 1), reading("b", 2)]))).toEqual({ a: 1, b: 2 })
        expect(yield* read(Effect.succeed([reading("b", 3)]))).toEqual({ a: NaN, b: 3 })
        expect(yield* read(Effect.fail("no answer"))).toEqual({ a: NaN, b: NaN })
        expect(yield* read(Effect.succeed([reading("a", 4)]))).toEqual({ a: 4, b: NaN })
        const hanging = yield* Effect.fork(read(Effect.never))
        yield* TestClock.adjust("5 seconds")
        expect(yield* hanging).toEqual({ a: NaN, b: NaN })
        yield* read(Effect.succeed([reading("a", 5)]))
        yield* Scope.close(scope, Exit.void)
        expect(yield* valuesOf("test_source", {})).toEqual({ a: NaN, b: NaN })
      })
  )
})
