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
import * as reachability from "../stores/reachability.js"
import { BanStore } from "../stores/BanStore.js"
import { banLength } from "../limits/DocumentedLimits.js"

export class BanGate extends Context.Tag("@effect-venue/transport/BanGate")<BanGate, BanGate.Shape>() {}

export declare namespace BanGate {
  /**
   * A gate of one process acts when a member is called, and returns an effect that has ended unless it waits: call its members in the step that needs them.
   * `clock` is the local clock of the call.
   */
  export interface Shape {
    /**
     * Waits while another call is the probe, and returns 0 if the call may pass. Otherwise the call must not be sent, and the number is the end of the ban in
     * milliseconds of the wall clock. What the passage has, such as the place of the probe, is stored in the step that takes it: leave with it however the call
     * ends, as `pass` does.
     */
    readonly enter: (passage: Passage, host: string, options: EnterOptions) => Effect.Effect<number>
    /** Ends a passage. `banned`: the result of the call is a ban, which closes the gate. `unknown`: the call has no result. */
    readonly leave: (
      passage: Passage,
      host: string,
      outcome: "banned" | "unbanned" | "unknown",
      clock: Clock.Clock
    ) => Effect.Effect<void>
    /** The end of the ban, in milliseconds of the wall clock; 0 when the host is open or half-open. */
    readonly closedUntil: (host: string, clock: Clock.Clock) => Effect.Effect<number>
    /** Waits until the host closes, and returns the end of the ban in milliseconds of the wall clock. */
    readonly whenClosed: (host: string) => Effect.Effect<number>
    /** The addresses of all calls so far. */
    readonly hosts: Effect.Effect<ReadonlyArray<string>>
  }
}

/** How a call enters a gate: its local clock, and whether it waits for the end of a ban. */
export interface EnterOptions {
  readonly clock: Clock.Clock
  readonly whenBanned: "fail" | "wait"
}

/** What a call has while it passes a gate. Create it with `makePassage` for each call. */
export interface Passage {
  /** The call is the probe of this process. */
  probe: number | undefined
  /** The call is the probe of all processes that share a `BanStore`. */
  sharedProbe: string | undefined
}

/** Creates the passage of a call, before it has passed a gate. */
export const makePassage = (): Passage => ({ probe: undefined, sharedProbe: undefined })

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
const wake = (host: Host): void => {
  const { probed } = host
  host.probed = Deferred.unsafeMake(FiberId.none)
  Deferred.unsafeDone(probed, Effect.void)
}

const closeFor = (host: Host, millis: number, clock: Clock.Clock): void => {
  host.ban.close(monotonic.unsafeMillis(clock) + millis)
  const { closing } = host
  host.closing = Deferred.unsafeMake(FiberId.none)
  Deferred.unsafeDone(closing, Effect.succeed(wallEnd(host, clock)))
  wake(host)
}

const isClosed = ({ ban }: Host, clock: Clock.Clock): boolean => ban.isClosed(monotonic.unsafeMillis(clock))

/** Waits until the host lets a call of this process pass. Returns the end of a ban, or 0. */
const enterHost = (host: Host, passage: Passage, options: EnterOptions): Effect.Effect<number> => {
  const { clock, whenBanned } = options
  const now = monotonic.unsafeMillis(clock)
  const entry = host.ban.enter(now)
  const again = () => enterHost(host, passage, options)
  switch (entry._tag) {
    case "Open":
      return Exit.succeed(0)
    case "Closed":
      return whenBanned === "wait"
        ? // Whole milliseconds, because a fraction can be too small to move the clock.
          Effect.flatMap(Effect.sleep(Math.max(Math.ceil(entry.until - now), 1)), again)
        : Exit.succeed(wallEnd(host, clock))
    case "Probing":
      return Effect.flatMap(Deferred.await(host.probed), again)
    case "Probe":
      passage.probe = entry.probe
      return Exit.succeed(0)
  }
}

/** Releases the place of the probe of this process. A gate that was closed since stays closed. */
const leaveHost = (host: Host, passage: Passage, outcome: "unbanned" | "unknown"): void => {
  const { probe } = passage
  if (probe === undefined) return
  passage.probe = undefined
  host.ban.leave(probe, outcome)
  wake(host)
}

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
    closedUntil: (name, clock) => {
      const host = of(name)
      return Exit.succeed(isClosed(host, clock) ? wallEnd(host, clock) : 0)
    },
    whenClosed: (name) => Effect.suspend(() => Deferred.await(of(name).closing)),
    hosts: Effect.sync(() => [...hosts.keys()])
  }
}

/** The gate of one process. */
export const make: Effect.Effect<BanGate.Shape> = Effect.sync(() => {
  const { of, ...reports } = makeHosts()
  return {
    ...reports,
    enter: (passage, host, options) => enterHost(of(host), passage, options),
    leave: (passage, name, outcome, clock) => {
      const host = of(name)
      if (outcome === "banned") closeFor(host, banMillis, clock)
      leaveHost(host, passage, outcome === "banned" ? "unknown" : outcome)
      return Exit.void
    }
  }
})

/** Makes the calls of this process wait while the store decides whether this call is the probe. */
const halfOpen = (host: Host, clock: Clock.Clock): void => {
  if (host.ban.until === undefined) host.ban.close(monotonic.unsafeMillis(clock))
}

/** Releases the place of the probe in the store. */
const leaveStore = (
  store: BanStore.Shape,
  host: Host,
  passage: Passage,
  outcome: "unbanned" | "unknown"
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { sharedProbe } = passage
    passage.sharedProbe = undefined
    return sharedProbe === undefined ? Effect.void : store.leave(host.name, sharedProbe, outcome)
  })

/** The reply of the store to a call that the gate of this process lets pass. */
type StoreReply = "passed" | "again" | { readonly waits: Duration.Duration }

/** The gate of a host in this process and in the store. */
interface SharedHost {
  readonly store: BanStore.Shape
  readonly host: Host
}

/** Queries the store. Its reply is also valid for other calls, so it is applied even if the caller is interrupted. */
const queryStore = ({ host, store }: SharedHost, passage: Passage, clock: Clock.Clock): Effect.Effect<StoreReply> =>
  Effect.uninterruptible(
    Effect.map(store.enter(host.name), (entry): StoreReply => {
      switch (entry._tag) {
        case "Closed":
          closeFor(host, Duration.toMillis(entry.remaining), clock)
          return "again"
        case "Probing":
          // Only the probe of this process waits here.
          if (host.ban.until !== undefined) return { waits: entry.retryAfter }
          halfOpen(host, clock)
          return "again"
        case "Probe":
          passage.sharedProbe = entry.probe
          break
        case "Open":
        case "Unreachable":
          break
      }
      // Another call of this process can have met a ban while the store was queried.
      return isClosed(host, clock) ? "again" : "passed"
    })
  )

/** Enters the gate of this process, then queries the store. */
const enterShared = (shared: SharedHost, passage: Passage, options: EnterOptions): Effect.Effect<number> => {
  const { host, store } = shared
  const query: Effect.Effect<number> = Effect.flatMap(queryStore(shared, passage, options.clock), (reply) => {
    if (reply === "passed") return Effect.succeed(0)
    if (reply !== "again") return Effect.zipRight(Effect.sleep(reply.waits), query)
    const left = Effect.zipLeft(
      leaveStore(store, host, passage, "unknown"),
      Effect.sync(() => leaveHost(host, passage, "unknown"))
    )
    return Effect.flatMap(Effect.uninterruptible(left), () => enterShared(shared, passage, options))
  })
  return Effect.flatMap(enterHost(host, passage, options), (until) => (until > 0 ? Effect.succeed(until) : query))
}

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
    return {
      ...reports,
      enter: (passage, host, options) =>
        Effect.suspend(() => enterShared({ store: watched, host: of(host) }, passage, options)),
      leave: (passage, name, outcome, clock) =>
        Effect.suspend(() => {
          const host = of(name)
          // Close this process first, because the store can take seconds.
          if (outcome === "banned") {
            passage.sharedProbe = undefined
            closeFor(host, banMillis, clock)
          }
          const left =
            outcome === "banned" ? store.close(host.name, banLength) : leaveStore(store, host, passage, outcome)
          return Effect.map(left, () => leaveHost(host, passage, outcome === "banned" ? "unknown" : outcome))
        })
    }
  }
)

/** The gate of one process. */
export const layer: Layer.Layer<BanGate> = Layer.effect(BanGate, make)

/** The gate of processes that share a `BanStore`. */
export const layerShared: Layer.Layer<BanGate, never, BanStore> = /* @__PURE__ */ Layer.effect(BanGate, makeShared)

/**
 * Runs a call if its host is open. If the host is closed, the call ends with `closed` or waits for the end of the ban, depending on `whenBanned`.
 *
 * @category combinators
 */
export const pass = <A, E, R, E2>(
  gate: BanGate.Shape,
  call: Effect.Effect<A, E, R>,
  { closed, host, isBanned, whenBanned = "fail" }: PassOptions<A, E2>
): Effect.Effect<A, E | E2, R> =>
  Effect.clockWith((clock) => {
    const passage = makePassage()
    const entered = Effect.flatMap(
      Effect.suspend(() => gate.enter(passage, host, { clock, whenBanned })),
      (until): Effect.Effect<A, E | E2, R> => (until > 0 ? closed(until) : call)
    )
    return Effect.onExit(entered, (exit) => {
      const outcome = Exit.isFailure(exit) ? "unknown" : isBanned(exit.value) ? "banned" : "unbanned"
      return gate.leave(passage, host, outcome, clock)
    })
  })
