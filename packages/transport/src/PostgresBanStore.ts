/**
 * Bans in Postgres, shared by all processes that use one prefix: a ban of one closes the gate of all, and after it one call of one process goes
 * first. They keep the laws of `BanStoreLaws`.
 *
 * @since 0.1.0
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BanStore from "./BanStore.js"
import { definitions } from "./internal/postgres/banFunctions.js"
import * as functions from "./internal/postgres/functions.js"
import * as RemoteStore from "./RemoteStore.js"

/**
 * How bans are kept. `prefix` defaults to `venue_bans_`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends RemoteStore.BanOptions, functions.DatabaseOptions {}

const replyOf = ([tag, remaining]: ReadonlyArray<unknown>): Effect.Effect<RemoteStore.BanReply, SqlError> => {
  switch (tag) {
    case "Open":
    case "Probe":
    case "Probing":
      return Effect.succeed({ _tag: tag })
    case "Closed":
      return Effect.succeed({ _tag: tag, remaining: Number(remaining) })
    default:
      return Effect.fail(new SqlError({ cause: tag, message: "the reply is none of a ban" }))
  }
}

const backendOf = (run: functions.Run): RemoteStore.BanBackend => ({
  enter: (name, probe, lease) => Effect.flatMap(run("enter", [name, probe, lease]), replyOf),
  // A ban is rare: the ones that are over are removed with the next.
  close: (name, duration) => Effect.zipRight(run("close", [name, duration]), Effect.ignore(run("forget", []))),
  leave: (name, probe, isUnbanned) => Effect.asVoid(run("leave", [name, probe, isUnbanned]))
})

/**
 * Bans in Postgres, whose table and functions are defined where they are missing. Fails where the database is no Postgres, or they cannot be
 * defined.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<BanStore.BanStore.Shape, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const { prefix = "venue_bans_", timeout } = options
    const run = yield* functions.make({ prefix, timeout }, definitions, (run) => run("leave", ["", "", false]))
    return yield* RemoteStore.makeBans(options, backendOf(run))
  })

/**
 * Bans in Postgres.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<BanStore.BanStore, SqlError, SqlClient.SqlClient> =>
  Layer.effect(BanStore.BanStore, make(options))
