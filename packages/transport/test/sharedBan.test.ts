import * as BanGate from "@effect-venue/transport/BanGate"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as BanStore from "@effect-venue/transport/BanStore"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, TestClock } from "effect"

type Store = BanStore.BanStore.Shape

const unreachable = Effect.map(BanStore.makeMemory(), (store): Store => ({
  ...store,
  enter: () => Effect.succeed({ _tag: "Unreachable" })
}))

const host = "https://h.example"

/** Gates of as many processes, which share one store. */
const gates = <A, E>(
  count: number,
  use: (
    processes: ReadonlyArray<{
      readonly gate: BanGate.BanGate.Shape
      readonly pass: <E2>(call: Effect.Effect<string, E2>) => Effect.Effect<string, E2 | number>
    }>
  ) => Effect.Effect<A, E>,
  store: Effect.Effect<Store> = BanStore.makeMemory(),
  whenBanned?: "fail" | "wait"
) =>
  Effect.gen(function* () {
    const shared = yield* store
    const made = yield* Effect.replicateEffect(
      Effect.provideService(BanGate.makeShared, BanStore.BanStore, shared),
      count
    )
    return yield* use(
      made.map((gate) => ({
        gate,
        pass: (call) =>
          BanGate.pass(gate, call, {
            host,
            isBanned: (answer) => answer === "banned",
            closed: (until) => Effect.fail(until),
            whenBanned
          })
      }))
    )
  })

const end = Duration.toMillis(DocumentedLimits.banLength)

describe("a shared gate", () => {
  it.effect("closes for every process after the ban of one, until the same instant", () =>
    gates(2, ([a, b]) =>
      Effect.gen(function* () {
        if (a === undefined || b === undefined) return
        expect(yield* b.pass(Effect.succeed("ok"))).toBe("ok")
        const closing = yield* Effect.fork(b.gate.whenClosed(host))
        expect(yield* a.pass(Effect.succeed("banned"))).toBe("banned")
        yield* TestClock.adjust("4 minutes")
        let sent = 0
        const call = Effect.sync(() => {
          sent += 1
          return "ok"
        })
        expect(yield* Effect.flip(b.pass(call))).toBe(end)
        expect(yield* Fiber.join(closing)).toBe(end)
        expect(yield* Effect.clockWith((time) => b.gate.closedUntil(host, time))).toBe(end)
        yield* TestClock.adjust(Duration.millis(end - 240_001))
        expect(yield* Effect.flip(b.pass(call))).toBe(end)
        expect(sent).toBe(0)
      })
    )
  )

  it.effect("lets one call of all processes pass after a ban, and the others once it was not banned", () =>
    gates(4, (processes) =>
      Effect.gen(function* () {
        const [first] = processes
        if (first === undefined) return
        yield* first.pass(Effect.succeed("banned"))
        yield* TestClock.adjust(DocumentedLimits.banLength)
        let sent = 0
        const answer = yield* Deferred.make<string>()
        const call = Effect.suspend(() => {
          sent += 1
          return Deferred.await(answer)
        })
        const calls = yield* Effect.forEach(processes, ({ pass }) => Effect.replicateEffect(Effect.fork(pass(call)), 5))
        yield* TestClock.adjust("5 seconds")
        expect(sent).toBe(1)
        yield* Deferred.succeed(answer, "ok")
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(Fiber.all(calls.flat()))).toEqual(Array.from({ length: 20 }, () => "ok"))
        expect(sent).toBe(20)
      })
    )
  )

  it.effect("stays closed for every process if the first call after a ban is banned again", () =>
    gates(2, ([a, b]) =>
      Effect.gen(function* () {
        if (a === undefined || b === undefined) return
        yield* a.pass(Effect.succeed("banned"))
        yield* TestClock.adjust(DocumentedLimits.banLength)
        expect(yield* b.pass(Effect.succeed("banned"))).toBe("banned")
        expect(yield* Effect.flip(a.pass(Effect.succeed("ok")))).toBe(2 * end)
      })
    )
  )

  it.effect("releases the probe slot if the probe fails, dies or is interrupted", () =>
    gates(2, ([a, b]) =>
      Effect.gen(function* () {
        if (a === undefined || b === undefined) return
        yield* a.pass(Effect.succeed("banned"))
        yield* TestClock.adjust(DocumentedLimits.banLength)
        expect(yield* Effect.flip(a.pass(Effect.fail("broken")))).toBe("broken")
        expect(Exit.isFailure(yield* Effect.exit(b.pass(Effect.die("planned"))))).toBe(true)
        const interrupted = yield* Effect.fork(b.pass(Effect.never))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(interrupted)
        expect(yield* a.pass(Effect.succeed("ok"))).toBe("ok")
        expect(yield* b.pass(Effect.succeed("ok"))).toBe("ok")
      })
    )
  )

  it.effect("makes callers wait for the end of another process' ban with whenBanned: wait", () =>
    gates(
      2,
      ([a, b]) =>
        Effect.gen(function* () {
          if (a === undefined || b === undefined) return
          yield* a.pass(Effect.succeed("banned"))
          const waiting = yield* Effect.fork(b.pass(Effect.succeed("ok")))
          yield* TestClock.adjust(Duration.millis(end - 1))
          expect((yield* Fiber.poll(waiting))._tag).toBe("None")
          yield* TestClock.adjust("1 millis")
          expect(yield* Fiber.join(waiting)).toBe("ok")
        }),
      BanStore.makeMemory(),
      "wait"
    )
  )

  it.effect("closes for a process after a ban that it received while the store is unreachable", () =>
    gates(
      1,
      ([a]) =>
        Effect.gen(function* () {
          if (a === undefined) return
          expect(yield* a.pass(Effect.succeed("ok"))).toBe("ok")
          yield* a.pass(Effect.succeed("banned"))
          expect(yield* Effect.flip(a.pass(Effect.succeed("ok")))).toBe(end)
          yield* TestClock.adjust(DocumentedLimits.banLength)
          expect(yield* a.pass(Effect.succeed("ok"))).toBe("ok")
        }),
      unreachable
    )
  )
})
