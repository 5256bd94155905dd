import * as Orders from "@effect-venue/schemas/Orders"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, FiberId, Layer, type Scheduler } from "effect"
import * as net from "node:net"
import { once, write } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"
import { listen } from "@effect-venue/testing/Listening"
import { type Client, clients, transportTo } from "./utils/servers.js"

/** Answers each request with the text of a response, then ends the connection or falls silent. */
const serving = (response: string, ends: boolean) => {
  const server = net.createServer((socket) => {
    socket.once("data", () => {
      socket.write(response)
      if (ends) socket.end()
    })
  })
  return Effect.map(listen(server), ({ url }) => url)
}

describe("a response that `100 Continue` announces", () => {
  const body = JSON.stringify({ retCode: 0, retMsg: "OK", result: { orderId: "o-1", orderLinkId: "" }, retExtInfo: {} })
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  const announced = `HTTP/1.1 100 Continue\r\n\r\n${head}${body}`
  const done = { _tag: "Right", right: { orderId: "o-1" } }
  // undici takes it for a broken response. (docs/money.md)
  const unknown = { _tag: "Left", left: { _tag: "OutcomeUnknown", because: { _tag: "ConnectionFailed", sent: true } } }

  it.scopedLive.each(Object.entries(clients))(
    "is that of the write over node:http, and else leaves it unknown: %s",
    ([name, client]) =>
      Effect.gen(function* () {
        const layer = transportTo(yield* serving(announced, true), client)
        const result = yield* Effect.either(once(write)).pipe(Effect.provide(layer))
        expect(result).toMatchObject(name === "node:http" ? done : unknown)
      })
  )
})

describe("an HTTP 403 with a truncated body", () => {
  const failed = (client: Client, text: string, ends: boolean) =>
    Effect.gen(function* () {
      // Shorter than it says.
      const baseUrl = yield* serving(`HTTP/1.1 403 Forbidden\r\ncontent-length: 1000\r\n\r\n${text}`, ends)
      const layer = transportTo(baseUrl, client)
      return yield* Effect.gen(function* () {
        const failure = yield* Effect.flip(once(write))
        const closedUntil = yield* Effect.flatMap(BanGate.BanGate, (gate) =>
          Effect.clockWith((time) => gate.closedUntil(baseUrl, time))
        )
        return { failure, isShut: closedUntil > 0 }
      }).pipe(Effect.provide(layer), Effect.provideService(CallOptions.AttemptTimeout, Duration.millis(500)))
    })

  for (const [name, client] of Object.entries(clients)) {
    it.scopedLive(`is a ban if the received part contains its text, over ${name}`, () =>
      Effect.gen(function* () {
        for (const text of [
          "access too frequent",
          "access too",
          'x{"retCode":10018,"retMsg":"',
          "<p>Access too frequent"
        ]) {
          for (const end of [true, false]) {
            expect(yield* failed(client, text, end)).toMatchObject({ failure: { _tag: "Banned" }, isShut: true })
          }
        }
      })
    )

    it.scopedLive(`leaves the outcome of a write unknown otherwise, over ${name}`, () =>
      Effect.gen(function* () {
        for (const text of ["", "<html>", "access denied", '{"retCode":1']) {
          expect(yield* failed(client, text, true)).toMatchObject({
            failure: { _tag: "OutcomeUnknown", because: { _tag: "ConnectionFailed", sent: true } },
            isShut: false
          })
        }
      })
    )
  }
})

describe("an interrupted write", () => {
  /** Lets a fiber run as it would, but for one step: before it the fiber yields, and is interrupted. */
  const interruptingAt = (step: number) => {
    let steps = 0
    let target: Fiber.RuntimeFiber<unknown, unknown> | undefined
    let isDue = false
    const scheduler: Scheduler.Scheduler = {
      shouldYield: () => {
        steps += 1
        if (steps !== step) return false
        isDue = true
        return 0
      },
      scheduleTask: (task) => {
        queueMicrotask(() => {
          if (isDue) {
            isDue = false
            target?.unsafeInterruptAsFork(FiberId.none)
          }
          task()
        })
      }
    }
    return {
      scheduler,
      interrupts: (fiber: Fiber.RuntimeFiber<unknown, unknown>) => void (target = fiber),
      steps: () => steps
    }
  }

  const timeouts = { "without a timeout": Duration.infinity, "with a timeout": Duration.minutes(1) }

  for (const [name, timeout] of Object.entries(timeouts)) {
    it.scopedLive(`reaches its caller, was not sent, or is reported once, ${name}`, () =>
      Effect.gen(function* () {
        const seen = { success: 0, unsent: 0, accepted: 0, unanswered: 0, lost: 0 }
        const lost: Array<number> = []
        const far = scripted.make((arrived) => scripted.ok({ orderId: "o-1", orderLinkId: "" }, arrived.at))
        const context = yield* Layer.build(far.layer)
        let total = Number.POSITIVE_INFINITY
        // Every ninth step, and the last ones all.
        for (let step = 100_000; seen.success < 5; step = step > total ? 1 : step + (step < total - 60 ? 9 : 1)) {
          const reports: Array<Failure.OutcomeUnknown> = []
          far.arrived.length = 0
          // The fibers of a step run in microtasks, which leave the test's worker no time to report.
          if (step % 50 === 0) yield* Effect.sleep(1)
          const interrupting = interruptingAt(step)
          const delivered: Array<unknown> = []
          const exit = yield* Effect.gen(function* () {
            const transport = yield* Transport.Transport
            const start = yield* Deferred.make<void>()
            const call = transport.call(Orders.amend, {
              category: "linear",
              symbol: "BTCUSDT",
              orderId: "o-1",
              price: "1"
            })
            const run = Effect.map(call, (ack) => void delivered.push(ack))
            const fiber = yield* Effect.fork(
              Effect.withScheduler(Effect.zipRight(Deferred.await(start), run), interrupting.scheduler)
            )
            interrupting.interrupts(fiber)
            yield* Effect.yieldNow()
            yield* Deferred.succeed(start, undefined)
            return yield* Fiber.await(fiber)
          }).pipe(
            Effect.provideService(CallOptions.CallTimeout, timeout),
            Effect.provideService(CallOptions.OnInterruptedWrite, (failure) =>
              Effect.sync(() => void reports.push(failure))
            ),
            Effect.provideService(Limits.Limits, Limits.none),
            Effect.provide(context)
          )
          if (Exit.isSuccess(exit) || delivered.length > 0) {
            expect({ step, reports }).toEqual({ step, reports: [] })
            // The first run is not interrupted at all: it counts the steps.
            if (total === Number.POSITIVE_INFINITY) total = interrupting.steps()
            else seen.success += 1
          } else {
            expect({ step, isInterrupted: Exit.isInterrupted(exit) }).toEqual({ step, isInterrupted: true })
            // What is about to leave is reported too.
            const expected = Math.max(far.arrived.length, Math.min(reports.length, 1))
            if (reports.length < expected) lost.push(step)
            else expect({ step, reports: reports.length }).toEqual({ step, reports: expected })
            const kind = lost.includes(step)
              ? "lost"
              : reports[0] === undefined
                ? "unsent"
                : reports[0].accepted === undefined
                  ? "unanswered"
                  : "accepted"
            seen[kind] += 1
            if (kind === "accepted") {
              expect(reports[0]).toMatchObject({
                accepted: [{ category: "linear", symbol: "BTCUSDT", orderId: "o-1" }],
                because: { _tag: "ConnectionFailed", reason: "Interrupted", sent: true }
              })
            }
          }
        }
        for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
        // The runtime hands a result over in three steps, of which none is the call's any more.
        const [first = 0] = lost
        expect(lost).toEqual([first, first + 1, first + 2])
      })
    )
  }
})
