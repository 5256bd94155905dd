import * as Effect from "effect/Effect"
import type { RedisClient, RedisFailed } from "./RedisClient.js"

/** The key names of a prefix. */
export const keysOf =
  (prefix = "venue") =>
  (...parts: ReadonlyArray<string>): string =>
    `{${prefix}}:${parts.join(":")}`

export type Run = (
  keys: ReadonlyArray<string>,
  args: ReadonlyArray<string | number>
) => Effect.Effect<ReadonlyArray<unknown>, RedisFailed>

const isArray = (reply: unknown): reply is ReadonlyArray<unknown> => Array.isArray(reply)

/** The code that a refusal by Redis begins with, such as NOSCRIPT. */
const codeOf = ({ message }: RedisFailed): string | undefined => /^[A-Z]{2,}(?= )/.exec(message)?.[0]

/** Spans of commands follow OpenTelemetry's convention for Redis. They contain neither keys nor arguments. */
const addSpan =
  ({ server: { address, database, port } = {} }: RedisClient.Shape, script: string, operation: string) =>
  <A>(command: Effect.Effect<A, RedisFailed>): Effect.Effect<A, RedisFailed> =>
    command.pipe(
      Effect.tapError((failure) => {
        const code = codeOf(failure)
        const error = { "error.type": code ?? failure._tag }
        return Effect.annotateCurrentSpan(code === undefined ? error : { ...error, "db.response.status_code": code })
      }),
      Effect.withSpan(`${operation} ${script}`, {
        kind: "client",
        captureStackTrace: false,
        attributes: {
          "db.system.name": "redis",
          "db.operation.name": operation,
          "db.stored_procedure.name": script,
          ...(database === undefined ? {} : { "db.namespace": String(database) }),
          ...(address === undefined ? {} : { "server.address": address }),
          ...(port === undefined ? {} : { "server.port": port })
        }
      })
    )

/** Runs a script by its digest. It is loaded on first use and after a restart of Redis. `name` is for its spans. */
export const make = (client: RedisClient.Shape, name: string, script: string): Run => {
  let sha: string | undefined
  const load = client.scriptLoad(script).pipe(
    addSpan(client, name, "SCRIPT LOAD"),
    Effect.tap((loaded) =>
      Effect.sync(() => {
        sha = loaded
      })
    )
  )
  return (keys, args) => {
    const texts = args.map(String)
    const evaluate = (loaded: string) => addSpan(client, name, "EVALSHA")(client.evalSha(loaded, keys, texts))
    const ran = Effect.suspend(() =>
      sha === undefined
        ? Effect.flatMap(load, evaluate)
        : Effect.catchIf(
            evaluate(sha),
            ({ isUnknownScript }) => isUnknownScript,
            () => Effect.flatMap(load, evaluate)
          )
    )
    return Effect.map(ran, (reply) => (isArray(reply) ? reply : []))
  }
}
