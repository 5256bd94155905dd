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

/** A clock that differs is tested with one history, as all histories find their earliest instant by one function. */
const clocks: ReadonlyArray<readonly [clocks: string, skew: number, histories: Readonly<Record<string, History>>]> = [
  ["the clocks agree", 0, limited],
  ["this machine's clock is 60 days behind", 60 * day, { executions }],
  ["this machine's clock is 60 days ahead", -60 * day, { executions }]
]

describe("a history", () => {
  for (const [skewed, skew, histories] of clocks) {
    const now = today.epochMillis + skew
    const earliest = now - retention
    const to = earliest + 6 * day

    for (const [name, history] of Object.entries(histories)) {
      it.effect(
        `of ${name} fails with BeyondRetention before the first row, or returns every row, when ${skewed}`,
        () =>
          against(
            skew,
            Effect.gen(function* () {
              for (const from of [now - 20 * 365 * day, earliest - 30 * day, earliest - 1]) {
                const { exit, rows } = yield* outcome(history, { from, to })
                expect(rows).toBe(0)
                expect(exit).toMatchObject({
                  left: { _tag: "BeyondRetention", from: DateTime.unsafeMake(from), retention: Duration.days(730) }
                })
                if (exit._tag === "Left" && exit.left._tag === "BeyondRetention") {
                  expect(Math.abs(exit.left.earliest.epochMillis - earliest)).toBeLessThan(hour)
                  expect(exit.left.message).toMatch(/: pass from "earliest" or beyondRetention "clamp"/)
                }
              }
              const { exit, rows } = yield* outcome(history, { from: earliest + hour, to })
              expect(exit._tag).toBe("Right")
              expect(rows).toBeGreaterThan(0)
              if (name === "executions") expect(rows).toBe(yield* heldExecutions(earliest + hour, to))
            })
          )
      )

      it.effect(`of ${name} begins at the retention on request, when ${skewed}`, () =>
        against(
          skew,
          Effect.gen(function* () {
            const whole = yield* outcome(history, { from: earliest + hour, to })
            for (const range of [
              { from: "earliest", to },
              { from: earliest - day, to, beyondRetention: "clamp" }
            ] as const) {
              const { exit, rows } = yield* outcome(history, range)
              expect(exit._tag).toBe("Right")
              expect(rows).toBeGreaterThanOrEqual(whole.rows)
              if (name === "executions") {
                const elapsed = (yield* Clock.currentTimeMillis) - today.epochMillis
                expect(rows).toBeGreaterThanOrEqual(yield* heldExecutions(earliest + elapsed, to))
              }
            }
          })
        )
      )
    }
  }

  for (const [name, history] of Object.entries({ preUpgrade, preUpgradeClosedPnl })) {
    it.effect(`of ${name} refuses "earliest" because no retention is documented`, () =>
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
})
