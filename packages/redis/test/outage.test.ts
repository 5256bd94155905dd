import * as RedisClient from "@effect-venue/redis/RedisClient"
import * as RedisRateLimitStore from "@effect-venue/redis/RedisRateLimitStore"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import { type Charge, RateLimitStore } from "@effect-venue/transport/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Redacted, Schedule, Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { connect, createServer } from "node:net"
import * as redis from "./utils/redis.js"

const freePort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => {
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
})

/** A Redis of the test's own without anything on disk; `undefined` where this machine has none to start. */
const started = (port: number) =>
  Effect.acquireRelease(
    Effect.async<ChildProcess | undefined>((resume) => {
      const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
      const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] })
      child.once("error", () => {
        resume(Effect.succeed(undefined))
      })
      child.stdout.on("data", (text: Buffer) => {
        if (text.toString().includes("Ready to accept connections")) resume(Effect.succeed(child))
      })
    }),
    (child) => Effect.sync(() => child?.kill("SIGKILL"))
  )

/** A way to a port. After `loseNext` the connection on which the next reply comes is closed, and the reply is lost. */
const way = (to: number) =>
  Effect.gen(function* () {
    const port = yield* freePort
    let isLosing = false
    const server = createServer((near) => {
      const far = connect(to, "127.0.0.1")
      const close = () => {
        near.destroy()
        far.destroy()
      }
      near.on("data", (sent) => far.write(sent))
      far.on("data", (reply) => {
        if (!isLosing) return near.write(reply)
        isLosing = false
        close()
      })
      for (const socket of [near, far]) socket.on("close", close).on("error", close)
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(port, "127.0.0.1", () => {
          resume(Effect.void)
        })
      }),
      () => Effect.sync(() => server.close())
    )
    return { port, loseNext: Effect.sync(() => (isLosing = true)) }
  })

const isMissing = await Effect.runPromise(
  Effect.scoped(
    Effect.map(
      Effect.flatMap(freePort, (port) => started(port)),
      (child) => child === undefined
    )
  )
)

const required = process.env.VENUE_REQUIRE_SERVERS === "1"

const label = isMissing
  ? "a Redis of the test's own, not there: apt-get install redis-server"
  : "a Redis of the test's own"

const charge = (limit: number): Charge => ({
  key: "k",
  scope: "uid",
  limit,
  window: Duration.millis(300),
  cost: 1
})

/** A store and a limiter over a client of the Redis at a port. */
const over = (
  port: number,
  options: RedisRateLimitStore.Options = {},
  { commandTimeout }: Pick<RedisClient.IoredisOptions, "commandTimeout"> = {}
) =>
  Effect.gen(function* () {
    const client = yield* RedisClient.makeIoredis({ url: Redacted.make(`redis://127.0.0.1:${port}`), commandTimeout })
    const store = yield* Effect.provideService(RedisRateLimitStore.make(options), RedisClient.RedisClient, client)
    return { store, limiter: yield* Effect.provideService(RateLimiter.make(), RateLimitStore, store) }
  })

const options = { charges: [charge(5)], priority: "read" } as const

describe.skipIf(redis.server.isSkipped || (isMissing && !required))(`an outage of ${label}`, () => {
  it.scopedLive("lets calls wait for it until their deadline, and continue when it is back", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const first = yield* Scope.make()
      yield* Scope.extend(started(port), first)
      const { limiter } = yield* over(port)
      const call = RateLimiter.charged(limiter, Effect.succeed("called"), options)
      expect(yield* call).toBe("called")
      yield* Scope.close(first, Exit.void)
      const impatient = yield* Effect.either(
        Effect.provideService(call, RateLimiter.StoreDeadline, Duration.millis(500))
      )
      expect(impatient).toMatchObject({ left: { _tag: "StoreUnreachable" } })
      const patient = yield* Effect.fork(call)
      yield* started(port)
      expect(yield* Fiber.join(patient)).toBe("called")
    })
  )

  it.scopedLive("leaves no place taken by a call that was abandoned while it was frozen", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const child = yield* started(port)
      const { store } = yield* over(port, { rest: false })
      expect(yield* store.state(charge(5))).toMatchObject({ remaining: 5 })
      child?.kill("SIGSTOP")
      const given = yield* store.reserve([charge(5)])
      child?.kill("SIGCONT")
      expect(given).toEqual({ _tag: "Unreachable" })
      const remaining = Effect.map(store.state(charge(5)), (state) => state.remaining)
      yield* Effect.repeat(remaining, Schedule.spaced("50 millis").pipe(Schedule.untilInput((left) => left === 5)))
    })
  )

  it.scopedLive("does not resend a command whose connection was lost before its reply", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      yield* started(port)
      const broken = yield* way(port)
      // It would be sent again after 50 milliseconds, and be answered within this time.
      const { store } = yield* over(broken.port, { rest: false }, { commandTimeout: "10 seconds" })
      expect(yield* store.state(charge(5))).toMatchObject({ remaining: 5 })
      yield* store.reserve([{ ...charge(5), key: "loads the script" }])
      yield* broken.loseNext
      expect(yield* store.reserve([charge(5)])).toEqual({ _tag: "Unreachable" })
      const remaining = Effect.map(store.state(charge(5)), (state) => state.remaining)
      yield* Effect.repeat(remaining, Schedule.spaced("50 millis").pipe(Schedule.untilInput((left) => left === 5)))
    })
  )

  it.scopedLive("settles calls that were answered in the meantime when it is back", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const child = yield* started(port)
      const { store } = yield* over(port, { rest: false })
      const taken = yield* store.reserve([charge(1)])
      if (taken._tag !== "Taken") return yield* Effect.dieMessage("no room")
      child?.kill("SIGSTOP")
      yield* store.settle(taken.reservation, "counted", Duration.zero)
      child?.kill("SIGCONT")
      const retry = Effect.map(store.reserve([charge(1)]), ({ _tag }) => _tag)
      yield* Effect.repeat(retry, Schedule.spaced("50 millis").pipe(Schedule.untilInput((tag) => tag === "Taken")))
    })
  )
})
