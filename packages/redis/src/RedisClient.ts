/**
 * The Redis commands that the stores use: load a script, and run a loaded script. A layer for ioredis is included; any other client needs
 * two functions. A client must give up on a command without a reply, and must not queue commands without a connection, so that an
 * unreachable store fails at once.
 */
import * as SecretUrl from "@effect-venue/transport/siblings/SecretUrl"
import * as TimeLimit from "@effect-venue/transport/siblings/TimeLimit"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

export class RedisClient extends Context.Tag("@effect-venue/redis/RedisClient")<RedisClient, RedisClient.Shape>() {}

export declare namespace RedisClient {
  export interface Shape {
    /** `SCRIPT LOAD`: returns the SHA-1 of the script. */
    readonly scriptLoad: (script: string) => Effect.Effect<string, RedisFailed>
    /** `EVALSHA`: returns the reply. Integers are numbers, bulk strings are strings. */
    readonly evalSha: (
      sha: string,
      keys: ReadonlyArray<string>,
      args: ReadonlyArray<string>
    ) => Effect.Effect<unknown, RedisFailed>
    /** The server of the commands, for their spans. */
    readonly server?: Server | undefined
  }
}

/** A Redis server, for the spans of its commands. */
export interface Server {
  /** A name, an IP address or the path of a socket. */
  readonly address?: string | undefined
  readonly port?: number | undefined
  /** The index of the database, from 0. */
  readonly database?: number | undefined
}

/**
 * A command failed: Redis was unreachable, did not reply in time, or refused the command. With `isUnknownScript`, Redis does not have the
 * script, for example after a restart, and did nothing.
 */
export class RedisFailed extends Data.TaggedError("RedisFailed")<{
  readonly isUnknownScript: boolean
  readonly cause: unknown
}> {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

/** Converts the rejection of a client's promise to a failure. */
export const failureOf = (cause: unknown): RedisFailed =>
  new RedisFailed({ isUnknownScript: cause instanceof Error && cause.message.startsWith("NOSCRIPT"), cause })

/** The commands of ioredis 5 that the stores use. */
export interface Ioredis {
  readonly script: (subcommand: "LOAD", script: string) => Promise<unknown>
  readonly evalsha: (sha: string, keys: number, ...rest: Array<string>) => Promise<unknown>
  /** For spans. */
  readonly options?: {
    readonly host?: string | undefined
    readonly port?: number | undefined
    readonly path?: string | undefined
    readonly db?: number | undefined
    readonly sentinels?: ReadonlyArray<unknown> | null | undefined
  }
}

/** The server that a client names. Behind sentinels, host and port are defaults that it does not use. */
const serverOf = ({ options = {} }: Ioredis): Server => {
  const { db: database, host, path, port, sentinels } = options
  if (Array.isArray(sentinels)) return { database }
  return typeof path === "string" ? { address: path, database } : { address: host, port, database }
}

/**
 * Wraps an existing ioredis client. Configure it like `layerIoredis`: with the defaults of ioredis, an outage is noticed only after 10
 * seconds.
 *
 * @category constructors
 */
export const fromIoredis = (client: Ioredis): RedisClient.Shape => ({
  scriptLoad: (script) =>
    Effect.map(Effect.tryPromise({ try: () => client.script("LOAD", script), catch: failureOf }), String),
  evalSha: (sha, keys, args) =>
    Effect.tryPromise({ try: () => client.evalsha(sha, keys.length, ...keys, ...args), catch: failureOf }),
  server: serverOf(client)
})

/** The address and timeout of Redis. */
export interface IoredisOptions {
  /** `redis://user:password@host:port/db`, or `rediss://` for TLS. Redacted, because it can contain a password. */
  readonly url: Redacted.Redacted
  /** The time after which a command without a reply fails. Default: 250 milliseconds. */
  readonly commandTimeout?: Duration.DurationInput | undefined
}

// How long a starting program waits for the first connection. It starts without one after this time.
const firstConnection = Duration.seconds(2)

const connect = ({ commandTimeout = "250 millis", url }: IoredisOptions) =>
  Effect.map(
    Effect.promise(() => import("ioredis")),
    ({ Redis }) => {
      const redis = new Redis(SecretUrl.getOrThrow(url, "RedisClient: url", ["redis", "rediss"]), {
        // Without a connection a command fails at once; the limiter waits and tries again.
        enableOfflineQueue: false,
        // A sent command is not repeated: it can have run, and its caller has already received a failure.
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 0,
        commandTimeout: Duration.toMillis(commandTimeout),
        connectTimeout: Duration.toMillis(firstConnection),
        retryStrategy: (attempts) => Math.min(attempts * 50, 500)
      })
      // Every command reports its failure. Without a listener ioredis logs each connection attempt.
      redis.on("error", () => undefined)
      return redis
    }
  )

/**
 * Connects with ioredis 5 until the scope ends. Redis can be down at the start; commands fail until it is reachable. Dies if `url` is not a
 * Redis URL; the message does not contain the URL.
 */
export const makeIoredis = (options: IoredisOptions): Effect.Effect<RedisClient.Shape, never, Scope.Scope> =>
  Effect.gen(function* () {
    const redis = yield* Effect.acquireRelease(connect(options), (redis) =>
      Effect.sync(() => {
        redis.disconnect()
      })
    )
    const settled = Effect.async<void>((resume) => {
      redis.once("ready", () => {
        resume(Effect.void)
      })
      redis.once("error", () => {
        resume(Effect.void)
      })
    })
    yield* Effect.ignore(TimeLimit.within(settled, firstConnection, constVoid))
    return fromIoredis(redis)
  })

/** A client of ioredis 5, connected until the scope of the layer ends. */
export const layerIoredis = (options: IoredisOptions): Layer.Layer<RedisClient> =>
  Layer.scoped(RedisClient, makeIoredis(options))
