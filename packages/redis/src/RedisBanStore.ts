/**
 * Bans in Redis, shared by all processes with the same prefix: a ban met by one process stops all of them, and afterwards a single call
 * probes first. The store satisfies `StoreLaws`. If Redis loses its state, the ban is lost, except in the processes that met it.
 */
import * as BanStore from "@effect-venue/transport/BanStore"
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as scripts from "./banScripts.js"
import * as runScript from "./runScript.js"
import { RedisClient, RedisFailed } from "./RedisClient.js"

/** The options of `make`. */
export interface Options extends RemoteStore.BanOptions {
  /** The prefix of every key. Stores with the same prefix share their bans. A prefix occupies one hash slot of a cluster. Default: `venue`. */
  readonly prefix?: string | undefined
}

const replyOf = ([tag, remaining]: ReadonlyArray<unknown>): Effect.Effect<RemoteStore.BanReply, RedisFailed> => {
  switch (tag) {
    case "Open":
    case "Probe":
    case "Probing":
      return Effect.succeed({ _tag: tag })
    case "Closed":
      return Effect.succeed({ _tag: tag, remaining: Number(remaining) })
    default:
      return Effect.fail(new RedisFailed({ isUnknownScript: false, cause: `the reply ${String(tag)}` }))
  }
}

const backendOf = (client: RedisClient.Shape, prefix: string | undefined): RemoteStore.BanBackend => {
  const of = runScript.keysOf(prefix)
  const entering = runScript.make(client, "enter", scripts.enter)
  const closing = runScript.make(client, "close", scripts.close)
  const leaving = runScript.make(client, "leave", scripts.leave)
  return {
    enter: (name, probe, lease) => Effect.flatMap(entering([of("ban", name)], [probe, lease]), replyOf),
    close: (name, duration) => Effect.asVoid(closing([of("ban", name)], [duration])),
    leave: (name, probe, isUnbanned) => Effect.asVoid(leaving([of("ban", name)], [probe, isUnbanned ? "1" : "0"]))
  }
}

/** Bans in Redis. */
export const make = (options: Options = {}): Effect.Effect<BanStore.BanStore.Shape, never, RedisClient> =>
  Effect.flatMap(RedisClient, (client) => RemoteStore.makeBans(options, backendOf(client, options.prefix)))

/** Bans in Redis. */
export const layer = (options: Options = {}): Layer.Layer<BanStore.BanStore, never, RedisClient> =>
  Layer.effect(BanStore.BanStore, make(options))
