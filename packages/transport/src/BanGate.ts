/**
 * A circuit breaker for each host. It is closed, and calls pass, until the service bans this address. It is then open: nothing is sent
 * until the ban is over. Then it is half-open: one call, the probe, goes first, and the others follow if it was not banned again.
 *
 * In the words of this module a gate that lets calls pass is open, one that does not is closed.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

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
     * Lets a call through to a host that is open. A closed one answers with `closed`, given the end of the ban in milliseconds,
     * or lets the call wait for it, as `WhenBanned` says. `isBanned` tells from the call's result whether it was banned.
     */
    readonly pass: <A, E, R, E2>(
      call: Effect.Effect<A, E, R>,
      options: {
        readonly host: string
        readonly isBanned: (result: A) => boolean
        readonly closed: (until: number) => Effect.Effect<never, E2>
      }
    ) => Effect.Effect<A, E | E2, R>
    /** Until when a host is closed, in milliseconds; 0 when it is open. */
    readonly closedUntil: (host: string) => Effect.Effect<number>
    /** Ends with the end of the ban when the host closes; until then it waits. */
    readonly whenClosed: (host: string) => Effect.Effect<number>
  }
}

/**
 * The shortest ban: 10 minutes. (interface.md, Errors 2)
 *
 * @since 0.1.0
 * @category constants
 */
export const banLength: Duration.Duration = Duration.minutes(10)

/**
 * What a call does that finds its host closed: fail with `Banned` at once, unless told to wait.
 *
 * @since 0.1.0
 * @category references
 */
export class WhenBanned extends Context.Reference<WhenBanned>()("@effect-venue/transport/BanGate/WhenBanned", {
  defaultValue: (): "fail" | "wait" => "fail"
}) {}

interface Host {
  /** In milliseconds; 0 while open. */
  until: number
  /** There while the first call after a ban is under way. */
  probe: Deferred.Deferred<void> | undefined
  /** Fails nobody, wakes everybody who waits for something else, when the host closes. */
  closing: Deferred.Deferred<number>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<BanGate.Shape> = Effect.sync(() => {
  const hosts = new Map<string, Host>()

  const hostOf = (name: string): Effect.Effect<Host> =>
    Effect.suspend(() => {
      const known = hosts.get(name)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.map(Deferred.make<number>(), (closing) => {
        const host: Host = hosts.get(name) ?? { until: 0, probe: undefined, closing }
        hosts.set(name, host)
        return host
      })
    })

  const close = (host: Host): Effect.Effect<void> =>
    Effect.gen(function* () {
      host.until = (yield* Clock.currentTimeMillis) + Duration.toMillis(banLength)
      const closing = host.closing
      host.closing = yield* Deferred.make<number>()
      yield* Deferred.succeed(closing, host.until)
    })

  /** The first call after a ban: the gate opens when it comes back unbanned, whatever else became of it. */
  const probe = <A, E, R>(host: Host, call: Effect.Effect<A, E, R>, isBanned: (result: A) => boolean) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const ended = yield* Deferred.make<void>()
        host.probe = ended
        return yield* restore(call).pipe(
          Effect.tap((result) => {
            if (isBanned(result)) return close(host)
            host.until = 0
            return Effect.void
          }),
          Effect.ensuring(
            Effect.suspend(() => {
              host.probe = undefined
              return Deferred.succeed(ended, undefined)
            })
          )
        )
      })
    )

  /** Until the host is open, or it is this one's turn to be the first. */
  const wait = <E>(
    host: Host,
    closed: (until: number) => Effect.Effect<never, E>
  ): Effect.Effect<"open" | "first", E> =>
    Effect.gen(function* () {
      for (;;) {
        if (host.until === 0) return "open"
        const now = yield* Clock.currentTimeMillis
        if (now < host.until) {
          if ((yield* WhenBanned) === "fail") return yield* closed(host.until)
          // Whole milliseconds: a fraction may be too small to move the clock.
          yield* Effect.sleep(Math.ceil(host.until - now))
        } else if (host.probe === undefined) {
          return "first"
        } else {
          yield* Deferred.await(host.probe)
        }
      }
    })

  return {
    pass: (call, { closed, host: name, isBanned }) =>
      Effect.flatMap(hostOf(name), (host) => {
        const open = Effect.tap(call, (result) => (isBanned(result) ? close(host) : Effect.void))
        return host.until === 0
          ? open
          : Effect.flatMap(wait(host, closed), (turn) => (turn === "open" ? open : probe(host, call, isBanned)))
      }),
    closedUntil: (name) =>
      Effect.suspend(() => {
        const until = hosts.get(name)?.until ?? 0
        if (until === 0) return Effect.succeed(0)
        return Effect.map(Clock.currentTimeMillis, (now) => (now < until ? until : 0))
      }),
    whenClosed: (name) => Effect.flatMap(hostOf(name), (host) => Deferred.await(host.closing))
  }
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<BanGate> = Layer.effect(BanGate, make)
