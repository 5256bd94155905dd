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
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as address from "./internal/address.js"
import * as monotonic from "./internal/monotonic.js"

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
     * `WhenBanned` says.
     */
    readonly pass: <A, E, R, E2>(
      call: Effect.Effect<A, E, R>,
      options: PassOptions<A, E2>
    ) => Effect.Effect<A, E | E2, R>
    /** The end of the ban, in milliseconds of the wall clock; 0 when the host is open or half-open. */
    readonly closedUntil: (host: string) => Effect.Effect<number>
    /** Ends with the end of the ban when the host closes; until then it waits. */
    readonly whenClosed: (host: string) => Effect.Effect<number>
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
}

/**
 * The shortest ban: 10 minutes. (interface.md, Errors 2)
 *
 * @since 0.1.0
 * @category constants
 */
export const banLength: Duration.Duration = Duration.minutes(10)

/**
 * Whether a call to a closed host fails with `Banned` at once or waits for the end of the ban. Defaults to `fail`.
 *
 * @since 0.1.0
 * @category references
 */
export class WhenBanned extends Context.Reference<WhenBanned>()("@effect-venue/transport/BanGate/WhenBanned", {
  defaultValue: (): "fail" | "wait" => "fail"
}) {}

interface Host {
  /** The end of the ban in monotonic milliseconds; 0 while open. */
  until: number
  /** There while the first call after a ban is under way. */
  probe: Deferred.Deferred<void> | undefined
  /** Done with the end of the ban, by the wall clock, when the host closes. */
  closing: Deferred.Deferred<number>
}

/** An instant in monotonic milliseconds, by the wall clock as it stands now: whole milliseconds, none too early. */
const onTheWall = (instant: number, clock: Clock.Clock): number =>
  Math.ceil(clock.unsafeCurrentTimeMillis() + (instant - monotonic.unsafeMillis(clock)))

const close = (host: Host): Effect.Effect<void> =>
  Effect.clockWith((clock) => {
    const { closing } = host
    host.until = monotonic.unsafeMillis(clock) + Duration.toMillis(banLength)
    host.closing = Deferred.unsafeMake(FiberId.none)
    return Deferred.succeed(closing, onTheWall(host.until, clock))
  })

const isOver = (host: Host, clock: Clock.Clock): boolean => monotonic.unsafeMillis(clock) >= host.until

/** Makes room for another probe, and wakes the calls that wait for this one. */
const unclaim = (host: Host): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { probe } = host
    host.probe = undefined
    return probe === undefined ? Effect.void : Deferred.succeed(probe, undefined)
  })

/**
 * A call that finds its host closed, or half-open. It waits interruptibly, and is the probe if it claims that place: from the claim on
 * nothing can interrupt it but within the call itself, so the place is always given back.
 */
const passClosed = <A, E, R, E2>(
  host: Host,
  call: Effect.Effect<A, E, R>,
  { closed, isBanned }: Pick<PassOptions<A, E2>, "closed" | "isBanned">
): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) => {
    const open = Effect.tap(restore(call), (result) => (isBanned(result) ? close(host) : Effect.void))
    // The gate opens when the probe comes back unbanned, whatever else its outcome is.
    const probe = Effect.ensuring(
      Effect.tap(restore(call), (result) => {
        if (isBanned(result)) return close(host)
        // A call that was sent before may have been banned since.
        return Effect.clockWith((clock) =>
          Effect.sync(() => {
            if (isOver(host, clock)) host.until = 0
          })
        )
      }),
      unclaim(host)
    )
    const wait = (clock: Clock.Clock): Effect.Effect<A, E | E2, R> =>
      Effect.flatMap(WhenBanned, (whenBanned) =>
        whenBanned === "fail"
          ? restore(closed(onTheWall(host.until, clock)))
          : // Whole milliseconds: a fraction may be too small to move the clock.
            Effect.zipRight(
              restore(Effect.sleep(Math.max(Math.ceil(host.until - monotonic.unsafeMillis(clock)), 1))),
              turn
            )
      )
    const turn: Effect.Effect<A, E | E2, R> = Effect.clockWith((clock) => {
      if (host.until === 0) return open
      if (!isOver(host, clock)) return wait(clock)
      if (host.probe !== undefined) return Effect.zipRight(restore(Deferred.await(host.probe)), turn)
      // Claimed in one step with finding it free.
      host.probe = Deferred.unsafeMake(FiberId.none)
      return probe
    })
    return turn
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<BanGate.Shape> = Effect.sync(() => {
  const hosts = new Map<string, Host>()

  const hostOf = (name: string): Host => {
    const key = address.of(name)
    const found = hosts.get(key)
    if (found !== undefined) return found
    const host: Host = { until: 0, probe: undefined, closing: Deferred.unsafeMake(FiberId.none) }
    hosts.set(key, host)
    return host
  }

  return {
    pass: (call, options) =>
      Effect.suspend(() => {
        const host = hostOf(options.host)
        return host.until === 0
          ? Effect.tap(call, (result) => (options.isBanned(result) ? close(host) : Effect.void))
          : passClosed(host, call, options)
      }),
    closedUntil: (name) =>
      Effect.clockWith((clock) => {
        const host = hostOf(name)
        return Effect.succeed(host.until === 0 || isOver(host, clock) ? 0 : onTheWall(host.until, clock))
      }),
    whenClosed: (name) => Effect.suspend(() => Deferred.await(hostOf(name).closing))
  }
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<BanGate> = Layer.effect(BanGate, make)
