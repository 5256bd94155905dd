/**
 * What the stores of this package need of a Redis client: to load a script, and to run one that was loaded. ioredis comes as a layer; any
 * other client is two functions.
 *
 * A client has to give up a command that is not answered, and must not keep commands for a connection that is not there: a store that cannot
 * be reached has to answer so at once.
 *
 * @since 0.1.0
 */
import * as SecretUrl from "@effect-venue/transport/SecretUrl"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/**
 * @since 0.1.0
 * @category tags
 */
export class RedisClient extends Context.Tag("@effect-venue/redis/RedisClient")<RedisClient, RedisClient.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace RedisClient {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** `SCRIPT LOAD`: gives the SHA-1 of the script. */
    readonly scriptLoad: (script: string) => Effect.Effect<string, RedisFailed>
    /** `EVALSHA`: gives the reply, whose integers are numbers and whose bulk strings are strings. */
    readonly evalSha: (
      sha: string,
      keys: ReadonlyArray<string>,
      args: ReadonlyArray<string>
    ) => Effect.Effect<unknown, RedisFailed>
  }
}

/**
 * A command failed: Redis could not be reached, did not answer in time, or refused it. `isUnknownScript` where it does not have the script,
 * as after a restart; nothing was done then.
 *
 * @since 0.1.0
 * @category failures
 */
export class RedisFailed extends Data.TaggedError("RedisFailed")<{
  readonly isUnknownScript: boolean
  readonly cause: unknown
}> {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

/**
 * The failure of a command of a client that rejects promises.
 *
 * @since 0.1.0
 * @category constructors
 */
export const failureOf = (cause: unknown): RedisFailed =>
  new RedisFailed({ isUnknownScript: cause instanceof Error && cause.message.startsWith("NOSCRIPT"), cause })

/**
 * The commands of ioredis 5 that are used.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ioredis {
  readonly script: (subcommand: "LOAD", script: string) => Promise<unknown>
  readonly evalsha: (sha: string, keys: number, ...rest: Array<string>) => Promise<unknown>
}

/**
 * Over an ioredis client of the application's own. It should have the options of `layerIoredis`: with the defaults of ioredis a Redis that
 * is down is noticed after 10 seconds.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromIoredis = (client: Ioredis): RedisClient.Shape => ({
  scriptLoad: (script) =>
    Effect.map(Effect.tryPromise({ try: () => client.script("LOAD", script), catch: failureOf }), String),
  evalSha: (sha, keys, args) =>
    Effect.tryPromise({ try: () => client.evalsha(sha, keys.length, ...keys, ...args), catch: failureOf })
})

/**
 * Where Redis is.
 *
 * @since 0.1.0
 * @category models
 */
export interface IoredisOptions {
  /** `redis://user:password@host:port/db`, or `rediss://` for TLS. Redacted, as it may hold a password. */
  readonly url: Redacted.Redacted
  /** After how long a command without a reply fails. Defaults to 250 milliseconds. */
  readonly commandTimeout?: Duration.DurationInput | undefined
}

// How long a program that starts waits for its first connection. Without one it starts all the same.
const firstConnection = Duration.seconds(2)

const connect = ({ commandTimeout = "250 millis", url }: IoredisOptions) =>
  Effect.map(
    Effect.promise(() => import("ioredis")),
    ({ Redis }) => {
      const redis = new Redis(SecretUrl.getOrThrow(url, "RedisClient: url", ["redis", "rediss"]), {
        // A command fails at once while there is no connection: the limiter waits, and asks again.
        enableOfflineQueue: false,
        // What was sent is not sent again: it may have run, and its caller has been answered by then.
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 0,
        commandTimeout: Duration.toMillis(commandTimeout),
        connectTimeout: Duration.toMillis(firstConnection),
        retryStrategy: (attempts) => Math.min(attempts * 50, 500)
      })
      // Every command reports its own failure. Without a listener ioredis prints each attempt to connect.
      redis.on("error", () => undefined)
      return redis
    }
  )

/**
 * Connects with ioredis 5, until the scope ends. Redis need not be there: what asks it finds it unreachable until it is. Dies if `url` is not a URL
 * of Redis; the message does not contain it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeIoredis = (options: IoredisOptions): Effect.Effect<RedisClient.Shape, never, Scope.Scope> =>
  Effect.gen(function* () {
    const redis = yield* Effect.acquireRelease(connect(options), (redis) =>
      Effect.sync(() => {
        redis.disconnect()
      })
    )
    yield* Effect.async<void>((resume) => {
      redis.once("ready", () => {
        resume(Effect.void)
      })
      redis.once("error", () => {
        resume(Effect.void)
      })
    }).pipe(Effect.timeoutOption(firstConnection))
    return fromIoredis(redis)
  })

/**
 * A client of ioredis 5, connected until the layer's scope ends.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerIoredis = (options: IoredisOptions): Layer.Layer<RedisClient> =>
  Layer.scoped(RedisClient, makeIoredis(options))
