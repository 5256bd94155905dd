import * as Effect from "effect/Effect"
import type { RedisClient, RedisFailed } from "../RedisClient.js"

export type Run = (
  keys: ReadonlyArray<string>,
  args: ReadonlyArray<string | number>
) => Effect.Effect<ReadonlyArray<unknown>, RedisFailed>

const isArray = (reply: unknown): reply is ReadonlyArray<unknown> => Array.isArray(reply)

/** Runs a script by its digest. It is loaded on first use and after a restart of Redis. */
export const make = (client: RedisClient.Shape, script: string): Run => {
  let sha: string | undefined
  const load = Effect.tap(client.scriptLoad(script), (loaded) =>
    Effect.sync(() => {
      sha = loaded
    })
  )
  return (keys, args) => {
    const texts = args.map(String)
    const evaluate = (loaded: string) => client.evalSha(loaded, keys, texts)
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
