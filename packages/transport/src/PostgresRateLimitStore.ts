/**
 * Rate limits in Postgres, shared by all processes that use one prefix. They keep the laws of `RateLimitStoreLaws`: windows are exact by the
 * clock of Postgres, and every charge of a call is taken in one step or none.
 *
 * For processes that have a Postgres and no Redis: an operation is one statement, which takes about ten times as long as in `@effect-venue/redis`.
 * The tables are not logged. After a crash, and on a replica that takes over, they are empty: every limit then begins as if its window were used
 * up. The clock of Postgres must not be set forward by hand.
 *
 * The client should have connections of its own. A program whose transactions have taken all of them would wait for itself.
 *
 * @since 0.1.0
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Monotonic from "./internal/monotonic.js"
import * as functions from "./internal/postgres/functions.js"
import { definitions } from "./internal/postgres/limitFunctions.js"
import * as RateLimitStore from "./RateLimitStore.js"
import * as RemoteStore from "./RemoteStore.js"

/**
 * How the limits are kept. `prefix` defaults to `venue_limits_`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends RemoteStore.RateLimitOptions, functions.DatabaseOptions {}

const replyOf = ([life, leaseEnd, retryAfter, fullAt]: ReadonlyArray<unknown>): RemoteStore.Reply =>
  typeof fullAt === "string"
    ? { _tag: "Full", indexes: fullAt.split(" ").map(Number), retryAfter: Number(retryAfter) }
    : { _tag: "Taken", life: String(life), leaseEnd: String(leaseEnd) }

const forgetEvery = Duration.toMillis("1 hour")

/** Runs an effect beside the first reservation of a process, and once an hour from then on, while its calls go on. */
const hourly = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<void> => {
  let dueAt = Number.NEGATIVE_INFINITY
  return Effect.flatMap(Monotonic.millis, (now) => {
    if (now < dueAt) return Effect.void
    dueAt = now + forgetEvery
    return Effect.asVoid(Effect.forkDaemon(Effect.ignore(effect)))
  })
}

const backendOf =
  (run: functions.Run) =>
  ({ name, rest }: RemoteStore.Process): RemoteStore.RateLimitBackend => ({
    reserve: (id, lease, places) =>
      Effect.map(
        run("reserve", [
          ...[name, rest, id, lease],
          ...[places.map(({ name }) => name), places.map(({ limit }) => limit), places.map(({ span }) => span)],
          ...[places.map(({ cost }) => cost), places.map(({ spare }) => spare)]
        ]),
        replyOf
      ),
    settle: ({ arrivesWithin, id, isSent, leaseEnd, life, places }, ago) =>
      Effect.asVoid(
        run("settle", [
          ...[name, rest, id, life, leaseEnd, isSent, Math.round(ago), arrivesWithin],
          ...[places.map(({ name }) => name), places.map(({ span }) => span), places.map(({ cost }) => cost)]
        ])
      ),
    observe: (id, place, { limit, refused, remaining, resetAfter, roundTrip }) =>
      Effect.asVoid(
        run("observe", [
          ...[name, rest, id, place.name, place.limit, place.span],
          ...[roundTrip, limit ?? null, remaining ?? null, refused, resetAfter]
        ])
      ),
    state: (place) =>
      Effect.map(run("state", [name, rest, place.name, place.limit, place.span]), ([limit, remaining, retryAfter]) => ({
        limit: Number(limit),
        remaining: Number(remaining),
        retryAfter: Number(retryAfter)
      }))
  })

/** Removes what is not used any more beside reservations. */
const forgetting = (backend: RemoteStore.RateLimitBackend, run: functions.Run): RemoteStore.RateLimitBackend => {
  const forget = hourly(run("forget", []))
  return { ...backend, reserve: (...reservation) => Effect.zipLeft(backend.reserve(...reservation), forget) }
}

/**
 * Rate limits in Postgres, whose tables and functions are defined where they are missing. Fails where the database is no Postgres, they cannot
 * be defined, or its transactions do not have the isolation level `read committed`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options = {}
): Effect.Effect<RateLimitStore.RateLimitStore.Shape, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const { prefix = "venue_limits_", timeout } = options
    const run = yield* functions.make({ prefix, timeout }, definitions, (run) => run("lock", [[]]))
    return yield* RemoteStore.makeRateLimits(options, (process) => forgetting(backendOf(run)(process), run))
  })

/**
 * Rate limits in Postgres.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<RateLimitStore.RateLimitStore, SqlError, SqlClient.SqlClient> =>
  Layer.effect(RateLimitStore.RateLimitStore, make(options))
