/**
 * A circuit breaker for each host. Calls pass until the service bans this address. Then nothing is sent until the ban is over. After the ban a single call,
 * the probe, goes first, and the others follow unless it is banned again.
 *
 * In this module a gate that lets calls pass is open, and a gate that stops them is closed.
 *
 * A host is an address: hostname and port. A ban is measured by a monotonic clock; setting the wall clock changes only the time at which its end is reported.
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as address from "../model/address.js"
import * as monotonic from "../time/monotonic.js"
import { Ban } from "../stores/ban.js"
import * as localGate from "./localGate.js"
import * as reachability from "../stores/reachability.js"
import { BanStore } from "../stores/BanStore.js"
import { banLength } from "../limits/DocumentedLimits.js"

export class BanGate extends Context.Tag("@effect-venue/transport/BanGate")<BanGate, BanGate.Shape>() {}

export declare namespace BanGate {
  export interface Shape {
    /** Runs a call if the host is open. If the host is closed, the call ends with `closed` or waits for the end of the ban, depending on `whenBanned`. */
    readonly pass: <A, E, R, E2>(
      call: Effect.Effect<A, E, R>,
      options: PassOptions<A, E2>
    ) => Effect.Effect<A, E | E2, R>
    /** The end of the ban, in milliseconds of the wall clock; 0 when the host is open or half-open. */
    readonly closedUntil: (host: string) => Effect.Effect<number>
    /** Waits until the host closes, and returns the end of the ban in milliseconds of the wall clock. */
    readonly whenClosed: (host: string) => Effect.Effect<number>
    /** The addresses of all calls so far. */
    readonly hosts: Effect.Effect<ReadonlyArray<string>>
  }
}

/** How a call passes the gate. */
export interface PassOptions<in A, out E> {
  /** A base URL, or a hostname with a port. The default ports of http and https count as the same address. */
  readonly host: string
  /** Whether the result of the call is a ban. Only this closes the gate. */
  readonly isBanned: (result: A) => boolean
  /** The result of a call whose host is closed. `until` is the end of the ban in milliseconds of the wall clock. */
  readonly closed: (until: number) => Effect.Effect<never, E>
  /** Whether a call to a closed host ends with `closed` at once (`fail`) or waits for the end of the ban (`wait`). Defaults to `fail`. */
  readonly whenBanned?: "fail" | "wait" | undefined
}

/** Whether a call fails with `Banned` at once while its host is closed, or waits for the end of the ban. Defaults to `fail`. */
export class WhenBanned extends Context.Reference<WhenBanned>()("@effect-venue/transport/BanGate/WhenBanned", {
  defaultValue: (): "fail" | "wait" => "fail"
}) {}

interface Host {
  readonly name: string
  readonly ban: Ban
  /** The end of the ban by the wall clock, as first reported. */
  statedUntil: number
  /** Completed with the end of the ban, by the wall clock, when the host closes. */
  closing: Deferred.Deferred<number>
  /** Completed when the probe ends or the host closes. */
  probed: Deferred.Deferred<void>
}

/** The wall clock has no fractions of a millisecond, so the same instant can be computed with a difference of this much. */
const rounding = 2

/** The end of the ban by the wall clock, rounded up to whole milliseconds. Returns the same number each time, unless the wall clock was set meanwhile. */
const wallEnd = (host: Host, clock: Clock.Clock): number => {
  const left = (host.ban.until ?? 0) - monotonic.unsafeMillis(clock)
  const end = Math.ceil(clock.unsafeCurrentTimeMillis() + left)
  if (Math.abs(end - host.statedUntil) > rounding) host.statedUntil = end
  return host.statedUntil
}

const banMillis = Duration.toMillis(banLength)

/** Wakes the calls that wait for the probe. */
const wake = (host: Host): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { probed } = host
    host.probed = Deferred.unsafeMake(FiberId.none)
    return Deferred.succeed(probed, undefined)
  })

const closeFor = (host: Host, millis: number): Effect.Effect<void> =>
  Effect.clockWith((clock) => {
    host.ban.close(monotonic.unsafeMillis(clock) + millis)
    const { closing } = host
    host.closing = Deferred.unsafeMake(FiberId.none)
    return Effect.zipRight(Deferred.succeed(closing, wallEnd(host, clock)), wake(host))
  })

const leave = (host: Host, probe: number, outcome: "unbanned" | "unknown"): Effect.Effect<void> =>
  Effect.suspend(() => {
    host.ban.leave(probe, outcome)
    return wake(host)
  })

const isClosed = ({ ban }: Host, clock: Clock.Clock): boolean => ban.isClosed(monotonic.unsafeMillis(clock))

/** Returns the effect that closes the gate if the result of a call is a ban. */
type Closing<A> = (result: A) => Effect.Effect<void> | undefined

/**
 * Passes a call through the gate of its host. The waiting is interruptible. Once the call is the probe, only the call itself can be interrupted, so the probe
 * slot is always released.
 */
const passHost = <A, E, R, E2>(
  host: Host,
  call: Effect.Effect<A, E, R>,
  options: Pick<PassOptions<A, E2>, "closed" | "whenBanned">,
  closing: Closing<A>
): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) => {
    const open = Effect.tap(restore(call), (result) => closing(result) ?? Effect.void)
    const first = (probe: number) =>
      Effect.ensuring(
        Effect.tap(restore(call), (result) => closing(result) ?? leave(host, probe, "unbanned")),
        leave(host, probe, "unknown")
      )
    const turn: Effect.Effect<A, E | E2, R> = Effect.clockWith((clock) => {
      const now = monotonic.unsafeMillis(clock)
      const entry = host.ban.enter(now)
      switch (entry._tag) {
        case "Open":
          return open
        case "Closed":
          return options.whenBanned === "wait"
            ? // Whole milliseconds, because a fraction can be too small to move the clock.
              Effect.zipRight(restore(Effect.sleep(Math.max(Math.ceil(entry.until - now), 1))), turn)
            : restore(options.closed(wallEnd(host, clock)))
        case "Probing":
          return Effect.zipRight(restore(Deferred.await(host.probed)), turn)
        case "Probe":
          return first(entry.probe)
      }
    })
    return turn
  })

/** The gates of a process by host, with the members of the service that need only them. */
const makeHosts = (): Pick<BanGate.Shape, "closedUntil" | "hosts" | "whenClosed"> & {
  readonly of: (name: string) => Host
} => {
  const hosts = new Map<string, Host>()

  const of = (name: string): Host => {
    const key = address.of(name)
    const found = hosts.get(key)
    if (found !== undefined) return found
    const host: Host = {
      name: key,
      // A probe of this process always ends.
      ban: new Ban(Number.POSITIVE_INFINITY),
      statedUntil: 0,
      closing: Deferred.unsafeMake(FiberId.none),
      probed: Deferred.unsafeMake(FiberId.none)
    }
    hosts.set(key, host)
    return host
  }

  return {
    of,
    closedUntil: (name) =>
      Effect.clockWith((clock) => {
        const host = of(name)
        return Effect.succeed(isClosed(host, clock) ? wallEnd(host, clock) : 0)
      }),
    whenClosed: (name) => Effect.suspend(() => Deferred.await(of(name).closing)),
    hosts: Effect.sync(() => [...hosts.keys()])
  }
}

/** The gate of one process. */
export const make: Effect.Effect<BanGate.Shape> = Effect.sync(() => {
  const { of, ...reports } = makeHosts()
  const gate: BanGate.Shape = {
    ...reports,
    pass: (call, options) =>
      Effect.suspend(() => {
        const host = of(options.host)
        return passHost(host, call, options, (result) =>
          options.isBanned(result) ? closeFor(host, banMillis) : undefined
        )
      })
  }
  localGate.ofService.set(gate, {
    isOpen: (name) => of(name).ban.until === undefined,
    ban: (name) => closeFor(of(name), banMillis)
  })
  return gate
})

/** The result of a call at a gate that processes share. */
type Passed<A> =
  | { readonly _tag: "Answered"; readonly result: A }
  /** Nothing was sent: another process is probing. */
  | { readonly _tag: "Probing" }
  /** Nothing was sent: the store has reported a ban, or another call of this process did so while the store was being queried. */
  | { readonly _tag: "Closed" }

const shut: Passed<never> = { _tag: "Closed" }

const toAnswered = <A>(result: A): Passed<A> => ({ _tag: "Answered", result })

/** Queries the store, and runs the call if the store lets it pass. Always releases the probe slot when the call ends. */
const throughStore = <A, E, R>(
  store: BanStore.Shape,
  host: Host,
  call: Effect.Effect<A, E, R>,
  isBanned: (result: A) => boolean
): Effect.Effect<Passed<A>, E, R> =>
  Effect.uninterruptibleMask((restore) => {
    // Close this process first, because the store can take seconds.
    const close = Effect.zipRight(closeFor(host, banMillis), store.close(host.name, banLength))
    const closing = (result: A) => (isBanned(result) ? close : Effect.void)
    const send = (call: Effect.Effect<A, E, R>, unsent: Effect.Effect<void>) =>
      Effect.clockWith((clock) => (isClosed(host, clock) ? Effect.as(unsent, shut) : Effect.map(call, toAnswered)))
    const enter: Effect.Effect<Passed<A>, E, R> = Effect.flatMap(store.enter(host.name), (entry) => {
      switch (entry._tag) {
        case "Closed":
          // Runs even if the caller is interrupted: the store's reply is valid for other calls.
          return Effect.as(closeFor(host, Duration.toMillis(entry.remaining)), shut)
        case "Probing":
          // Only the probe of this process waits here.
          return host.ban.until === undefined
            ? Effect.succeed<Passed<A>>({ _tag: "Probing" })
            : Effect.zipRight(restore(Effect.sleep(entry.retryAfter)), enter)
        case "Probe":
          return send(
            Effect.onExit(restore(call), (exit) =>
              Exit.isSuccess(exit) && isBanned(exit.value)
                ? close
                : store.leave(host.name, entry.probe, Exit.isSuccess(exit) ? "unbanned" : "unknown")
            ),
            store.leave(host.name, entry.probe, "unknown")
          )
        case "Open":
        case "Unreachable":
          return send(Effect.tap(restore(call), closing), Effect.void)
      }
    })
    return enter
  })

/** Makes the calls of this process wait while the store decides whether this call is the probe. */
const halfOpen = (host: Host): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    Effect.sync(() => {
      if (host.ban.until === undefined) host.ban.close(monotonic.unsafeMillis(clock))
    })
  )

/**
 * The gate of processes that share a `BanStore`: a ban of one process closes the gate for all, and after the ban a single call of one process goes first.
 * Every call queries the store. While the store is unreachable, each process knows only the bans that it met itself.
 *
 * `closedUntil` and `whenClosed` report only the bans that this process knows: those that it met itself, or that the store reported to one of its calls.
 */
export const makeShared: Effect.Effect<BanGate.Shape, never, BanStore> = /* @__PURE__ */ Effect.map(
  BanStore,
  (store) => {
    const { of, ...reports } = makeHosts()
    const reportReached = reachability.make("the store of the bans")
    const watched: BanStore.Shape = {
      ...store,
      enter: (host) => Effect.tap(store.enter(host), ({ _tag }) => reportReached(_tag !== "Unreachable"))
    }
    const pass = <A, E, R, E2>(
      call: Effect.Effect<A, E, R>,
      options: PassOptions<A, E2>
    ): Effect.Effect<A, E | E2, R> =>
      Effect.suspend(() => {
        const host = of(options.host)
        const closing = (passed: Passed<A>) => {
          switch (passed._tag) {
            case "Answered":
              // The process has already closed its gate, before the store.
              return options.isBanned(passed.result) ? Effect.void : undefined
            case "Closed":
              return Effect.void
            case "Probing":
              return halfOpen(host)
          }
        }
        return Effect.flatMap(
          passHost(host, throughStore(watched, host, call, options.isBanned), options, closing),
          (passed) => (passed._tag === "Answered" ? Effect.succeed(passed.result) : pass(call, options))
        )
      })
    return { ...reports, pass }
  }
)

/** The gate of one process. */
export const layer: Layer.Layer<BanGate> = Layer.effect(BanGate, make)

/** The gate of processes that share a `BanStore`. */
export const layerShared: Layer.Layer<BanGate, never, BanStore> = /* @__PURE__ */ Layer.effect(BanGate, makeShared)
