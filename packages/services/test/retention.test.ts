import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Executions from "@effect-venue/services/Executions"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Venue from "@effect-venue/services/Venue"
import type * as Failure from "@effect-venue/transport/Failure"
import type * as Windows from "@effect-venue/transport/Windows"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, DateTime, Duration, Effect, Layer, Stream, TestClock } from "effect"
import { settle, today, type Services } from "./utils/exchange.js"

const day = Duration.toMillis("1 day")
const hour = Duration.toMillis("1 hour")
const retention = 730 * day
const category = "linear" as const

/** A clock that differs from the one of the test. */
const shifted = <A, E, R>(effect: Effect.Effect<A, E, R>, skew: number): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) =>
    Effect.withClock(effect, {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + skew,
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + skew),
      currentTimeNanos: clock.currentTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    })
  )

/** Eight days older than the exchange was when its past was made: some of it exceeds the retention. */
const aged = 8 * day

/** Runs against an exchange whose clock is ahead of this machine's by `skew` milliseconds. */
const against = <A, E>(skew: number, effect: Effect.Effect<A, E, Services>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(today.epochMillis - aged)
    const sandbox = Layer.scopedContext(
      Effect.map(shifted(Layer.build(Sandbox.layer({ seed: 5, prices: "still" })), skew), (context) => {
        const inner = Context.get(context, HttpClient.HttpClient)
        const outer = HttpClient.make((request) => shifted(inner.execute(request), skew))
        return Context.add(context, HttpClient.HttpClient, outer)
      })
    )
    const context = yield* Layer.build(Venue.layer.pipe(Layer.provideMerge(sandbox)))
    yield* TestClock.setTime(today.epochMillis)
    return yield* Effect.provide(effect, context)
  }).pipe(Effect.scoped)

type History = (
  range: Windows.HistoryRange
) => Stream.Stream<unknown, Failure.HistoryFailure, Executions.Executions | Orders.Orders | Positions.Positions>

const executions: History = (range) =>
  Stream.unwrap(Effect.map(Executions.Executions, ({ history }) => history({ category, ...range })))

const closedPnl: History = (range) =>
  Stream.unwrap(Effect.map(Positions.Positions, ({ closedPnlHistory }) => closedPnlHistory({ category, ...range })))

const orders: History = (range) =>
  Stream.unwrap(Effect.map(Orders.Orders, ({ historyBetween }) => historyBetween({ category, ...range })))

const preUpgrade: History = (range) =>
  Stream.unwrap(Effect.map(Executions.Executions, ({ preUpgradeHistory }) => preUpgradeHistory({ category, ...range })))

const preUpgradeClosedPnl: History = (range) =>
  Stream.unwrap(
    Effect.map(Positions.Positions, ({ preUpgradeClosedPnlHistory }) =>
      preUpgradeClosedPnlHistory({ category, ...range })
    )
  )

const limited = { executions, closedPnl, orders }
const unlimited = { preUpgrade, preUpgradeClosedPnl }

/** Rows before the end of a history, and how it ended. */
const outcome = (history: History, range: Windows.HistoryRange) =>
  Effect.gen(function* () {
    let rows = 0
    const counted = Stream.runForEach(history(range), () =>
      Effect.sync(() => {
        rows += 1
      })
    )
    const exit = yield* settle(Effect.either(counted))
    return { rows, exit }
  })

const heldExecutions = (from: number, to: number) =>
  Effect.map(
    Effect.flatMap(Sandbox.Sandbox, ({ snapshot, uids }) =>
      Effect.map(snapshot, (state) => state.accounts.get(uids.main))
    ),
    (account) =>
      (account?.executions[category] ?? []).filter(
        ({ execTime: { epochMillis } }) => epochMillis >= from && epochMillis < to
      ).length
  )

const skews = [
  ["the clocks agree", 0],
  ["this machine's clock is 60 days behind", 60 * day],
  ["this machine's clock is 60 days ahead", -60 * day]
] as const

/** In `npm test` clocks that differ with one history, as all histories find their earliest instant by one function; in the long tier all. */
const isChosen = (name: string, skew: number): boolean =>
  process.env.VENUE_TESTS === "long" || skew === 0 || name === "executions"

describe("a history", () => {
  for (const [skewed, skew] of skews) {
    const now = today.epochMillis + skew
    const earliest = now - retention
    const to = earliest + 6 * day

    for (const [name, history] of Object.entries(limited).filter(([name]) => isChosen(name, skew))) {
      it.effect(`of ${name} fails with BeyondRetention before the first row, or has every row, when ${skewed}`, () =>
        against(
          skew,
          Effect.gen(function* () {
            for (const from of [now - 20 * 365 * day, earliest - 30 * day, earliest - 1]) {
              const { exit, rows } = yield* outcome(history, { from, to })
              expect(rows).toBe(0)
              expect(exit).toMatchObject({
                _tag: "Left",
                left: { _tag: "BeyondRetention", from: DateTime.unsafeMake(from), retention: Duration.days(730) }
              })
              if (exit._tag === "Left" && exit.left._tag === "BeyondRetention") {
                expect(Math.abs(exit.left.earliest.epochMillis - earliest)).toBeLessThan(hour)
              }
            }
            const { exit, rows } = yield* outcome(history, { from: earliest + hour, to })
            expect(exit._tag).toBe("Right")
            expect(rows).toBeGreaterThan(0)
            if (name === "executions") expect(rows).toBe(yield* heldExecutions(earliest + hour, to))
          })
        )
      )

      it.effect(`of ${name} begins where the retention begins when asked to, when ${skewed}`, () =>
        against(
          skew,
          Effect.gen(function* () {
            const whole = yield* outcome(history, { from: earliest + hour, to })
            const ranges: ReadonlyArray<Windows.HistoryRange> = [
              { from: "earliest", to },
              { from: "2001-01-01", to, beyondRetention: "clamp" },
              { from: earliest - day, to, beyondRetention: "clamp" }
            ]
            for (const range of ranges) {
              const { exit, rows } = yield* outcome(history, range)
              expect(exit._tag).toBe("Right")
              expect(rows).toBeGreaterThanOrEqual(whole.rows)
              if (name === "executions") {
                const elapsed = (yield* Clock.currentTimeMillis) - today.epochMillis
                expect(rows).toBeGreaterThanOrEqual(yield* heldExecutions(earliest + elapsed, to))
              }
            }
            const older = yield* outcome(history, { from: 0, to: 1000 * day, beyondRetention: "clamp" })
            expect(older).toMatchObject({ rows: 0, exit: { _tag: "Right" } })
            const never = yield* outcome(history, { from: "earliest", to: earliest })
            expect(never).toMatchObject({ exit: { _tag: "Left", left: { _tag: "InvalidRequest", field: "to" } } })
          })
        )
      )
    }
  }

  for (const [name, history] of Object.entries(unlimited)) {
    it.effect(`of ${name}, of which no retention is documented, has no earliest instant`, () =>
      against(
        0,
        Effect.gen(function* () {
          const { exit } = yield* outcome(history, { from: "earliest", to: today })
          expect(exit).toMatchObject({
            left: {
              _tag: "InvalidRequest",
              field: "from",
              rule: "must be an instant: the service documents no retention for this operation"
            }
          })
        })
      )
    )
  }

  for (const [name, history] of Object.entries({ ...limited, ...unlimited })) {
    it.effect(`of ${name} refuses a date that does not exist, by its field and value`, () =>
      against(
        0,
        Effect.gen(function* () {
          for (const [field, range] of [
            ["from", { from: "2026-02-31", to: today }],
            ["to", { from: "2026-02-01", to: "2026-02-31" }],
            ["to", { from: "2026-02-01", to: "2026-11-31", beyondRetention: "clamp" }]
          ] as const) {
            const { exit } = yield* outcome(history, range)
            const value = field === "from" ? range.from : range.to
            expect(exit).toMatchObject({
              left: {
                _tag: "InvalidRequest",
                field,
                rule: `must be an instant, not ${JSON.stringify(value)}: there is no such day`
              }
            })
          }
        })
      )
    )
  }

  it.effect("says in the message of BeyondRetention what to do", () =>
    against(
      0,
      Effect.gen(function* () {
        const failure = yield* settle(Effect.flip(Stream.runCollect(executions({ from: "2001-01-01", to: today }))))
        expect(failure.message).toMatch(
          /^executions\.list: from 2001-01-01T00:00:00\.000Z exceeds the retention of 730 days, .* 2024-06-15T12:3\d:.*: pass from "earliest" or beyondRetention "clamp"/
        )
      })
    )
  )
})
