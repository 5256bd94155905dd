/**
 * A circuit breaker for each host. It is closed, and calls pass, until the service bans this address. It is then open: nothing is sent
 * until the ban is over. Then it is half-open: one call, the probe, goes first, and the others follow if it was not banned again.
 *
 * In this module a gate that lets calls pass is open, one that does not is closed.
 *
 * A host is an address: hostname and port. A ban is measured by a monotonic clock; setting the wall clock changes only the time at
 * which its end is reported.
 *
 * @since 0.1.0
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as address from "./internal/connections/address.js"
import * as monotonic from "./internal/time/monotonic.js"
import { Ban } from "./internal/limits/ban.js"
import * as localGate from "./internal/limits/localGate.js"
import * as reachability from "./internal/limits/reachability.js"
import { BanStore } from "./BanStore.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class BanGate extends Context.Tag("@effect-venue/transport/BanGate")<BanGate, BanGate.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace BanGate {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /**
     * Lets a call through to an open host. A call to a closed one ends with `closed`, or waits for the end of the ban, as
     * `whenBanned` says.
     */
    readonly pass: <A, E, R, E2>(
      call: Effect.Effect<A, E, R>,
      options: PassOptions<A, E2>
    ) => Effect.Effect<A, E | E2, R>
    /** The end of the ban, in milliseconds of the wall clock; 0 when the host is open or half-open. */
    readonly closedUntil: (host: string) => Effect.Effect<number>
    /** Ends with the end of the ban when the host closes; until then it waits. */
    readonly whenClosed: (host: string) => Effect.Effect<number>
    /** The addresses of all calls so far. */
    readonly hosts: Effect.Effect<ReadonlyArray<string>>
  }
}

/**
 * How a call passes the gate.
 *
 * @since 0.1.0
 * @category models
 */
export interface PassOptions<in A, out E> {
  /** A base URL or an address: hostname and port, of which http and https on their default ports are one. */
  readonly host: string
  /** Whether the result of the call is a ban. It alone closes the gate. */
  readonly isBanned: (result: A) => boolean
  /** The result of a call whose host is closed, given the end of the ban in milliseconds of the wall clock. */
  readonly closed: (until: number) => Effect.Effect<never, E>
  /** Whether a call to a closed host ends with `closed` at once or waits for the end of the ban. Defaults to `fail`. */
  readonly whenBanned?: "fail" | "wait" | undefined
}

/**
 * The shortest ban: 10 minutes. (rule errors/2.wait)
 *
 * @since 0.1.0
 * @category constants
 */
export const banLength: Duration.Duration = Duration.minutes(10)

/**
 * Whether a call fails with `Banned` at once while its host is closed, or waits for the end of the ban. Defaults to `fail`.
 *
 * @since 0.1.0
 * @category references
 */
export class WhenBanned extends Context.Reference<WhenBanned>()("@effect-venue/transport/BanGate/WhenBanned", {
  defaultValue: (): "fail" | "wait" => "fail"
}) {}

interface Host {
  readonly name: string
  readonly ban: Ban
  /** The end of the ban by the wall clock, as it was stated first. */
  statedUntil: number
  /** Done with the end of the ban, by the wall clock, when the host closes. */
  closing: Deferred.Deferred<number>
  /** Done when the probe ends, or the host closes. */
  probed: Deferred.Deferred<void>
}

/** What the fractions of a millisecond, which the wall clock does not have, may make of one instant. */
const rounding = 2

/**
 * The end of the ban by the wall clock, in whole milliseconds and none too early: the same number each time, unless the wall clock was set
 * meanwhile.
 */
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

/** What closes the gate, if the result of a call is a ban. */
type Closing<A> = (result: A) => Effect.Effect<void> | undefined

/**
 * A call at its host. It waits interruptibly. From the step in which it becomes the probe, nothing can interrupt it but within the call itself, so
 * the place is always given back.
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
            ? // Whole milliseconds: a fraction may be too small to move the clock.
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

/** The gates of a process, by host, and what is asked of them alone. */
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

/**
 * The gate of one process.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/** How a call ended at a gate that processes share. */
type Passed<A> =
  | { readonly _tag: "Answered"; readonly result: A }
  /** Nothing was sent: another process probes. */
  | { readonly _tag: "Probing" }
  /** Nothing was sent: the store, or another call of this process while it was asked, has reported a ban. */
  | { readonly _tag: "Closed" }

const shut: Passed<never> = { _tag: "Closed" }

const answered = <A>(result: A): Passed<A> => ({ _tag: "Answered", result })

/** Asks the store, and calls where it lets the call through. What the store has to be given back is given back, however the call ends. */
const throughStore = <A, E, R>(
  store: BanStore.Shape,
  host: Host,
  call: Effect.Effect<A, E, R>,
  isBanned: (result: A) => boolean
): Effect.Effect<Passed<A>, E, R> =>
  Effect.uninterruptibleMask((restore) => {
    // This process first: the store may take seconds.
    const close = Effect.zipRight(closeFor(host, banMillis), store.close(host.name, banLength))
    const closing = (result: A) => (isBanned(result) ? close : Effect.void)
    const sent = (call: Effect.Effect<A, E, R>, unsent: Effect.Effect<void>) =>
      Effect.clockWith((clock) => (isClosed(host, clock) ? Effect.as(unsent, shut) : Effect.map(call, answered)))
    const enter: Effect.Effect<Passed<A>, E, R> = Effect.flatMap(store.enter(host.name), (entry) => {
      switch (entry._tag) {
        case "Closed":
          // Also where the caller is interrupted: what the store has said holds for the others.
          return Effect.as(closeFor(host, Duration.toMillis(entry.remaining)), shut)
        case "Probing":
          // Of the calls of this process only its own probe waits here.
          return host.ban.until === undefined
            ? Effect.succeed<Passed<A>>({ _tag: "Probing" })
            : Effect.zipRight(restore(Effect.sleep(entry.retryAfter)), enter)
        case "Probe":
          return sent(
            Effect.onExit(restore(call), (exit) =>
              Exit.isSuccess(exit) && isBanned(exit.value)
                ? close
                : store.leave(host.name, entry.probe, Exit.isSuccess(exit) ? "unbanned" : "unknown")
            ),
            store.leave(host.name, entry.probe, "unknown")
          )
        case "Open":
        case "Unreachable":
          return sent(Effect.tap(restore(call), closing), Effect.void)
      }
    })
    return enter
  })

/** Lets this process' calls wait for one of them, which asks the store for the place of the probe. */
const halfOpen = (host: Host): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    Effect.sync(() => {
      if (host.ban.until === undefined) host.ban.close(monotonic.unsafeMillis(clock))
    })
  )

/**
 * The gate of processes that share a `BanStore`: a ban of one closes it for all, and after it one call of one process goes first. Every call asks
 * the store. While that cannot be reached, each process has what it saw itself.
 *
 * `closedUntil` and `whenClosed` report what this process has found out: by a ban of its own, or by a call that asked the store.
 *
 * @since 0.1.0
 * @category constructors
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
              // It was closed before the store was.
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

/**
 * The gate of one process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<BanGate> = Layer.effect(BanGate, make)

/**
 * The gate of processes that share a `BanStore`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerShared: Layer.Layer<BanGate, never, BanStore> = /* @__PURE__ */ Layer.effect(BanGate, makeShared)
