import * as FleetCluster from "@effect-venue/fleet/FleetCluster"
import type * as Owner from "@effect-venue/fleet/siblings/Owner"
import * as SqlLedger from "@effect-venue/fleet/SqlLedger"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as databaseAddress from "../options/databaseAddress.js"
import * as fleet from "./fleet.js"
import * as fleetStatus from "./fleetStatus.js"
import { runMonitored } from "../monitor/monitoring.js"
import * as listening from "../sandbox/listening.js"
import { Refusal } from "../run/failures.js"

// A fleet on several machines: its ledger and its exports are in a Postgres that its processes share.

const subject: databaseAddress.Subject = { what: "--database", command: "fleet" }

/** How it is run, on the command line. */
export interface DatabaseChoice extends fleet.FleetChoice {
  readonly database: databaseAddress.Given
  /** `host:port` of this process, for the other processes. */
  readonly listen: string | undefined
}

/** Each address runs about nine exports at a time, which are in a transaction for a small part of it. */
const maxConnections = 20

const unreachable =
  ({ label }: databaseAddress.Address) =>
  (detail: string) =>
    new Refusal({ message: `${label}: the database cannot be reached: ${detail}` })

/** Connections to the database are cut, or it is starting. Any other obstacle at the start is a mistake of the user. */
const isCut = ({ message }: { readonly message: string }): boolean =>
  /ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|terminat|timeout|timed out|did not answer|starting up|shutting down|not yet accepting|too many (clients|connections)/i.test(
    message
  )

const waitEvery = Duration.seconds(2)

/** Repeats while connections to the database are cut. */
const patiently = <A, E extends { readonly message: string }, R>(
  start: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  start.pipe(
    Effect.tapError((error) =>
      isCut(error) ? Effect.logWarning(`${error.message}: waits for the database`) : Effect.void
    ),
    Effect.retry({ while: isCut, schedule: Schedule.spaced(waitEvery) })
  )

/** Builds a layer in the scope of the caller. An attempt that fails leaves nothing behind. */
const buildWhole = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    return yield* Effect.onError(Layer.buildWithScope(layer, scope), (cause) =>
      Scope.close(scope, Exit.failCause(cause))
    )
  })

/** The database refused a statement. */
export class DatabaseFailed extends Data.TaggedError("DatabaseFailed")<{ readonly message: string }> {}

const toFailure =
  ({ label }: databaseAddress.Address) =>
  (error: { readonly message: string; readonly cause?: unknown }) =>
    new DatabaseFailed({ message: `${label}: ${detailOf(error)}` })

const detailOf = (error: { readonly message: string; readonly cause?: unknown }): string =>
  error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message

/** The client of a database. */
const clientOf = (address: databaseAddress.Address) =>
  PgClient.layer({ url: address.url, maxConnections, applicationName: "venue fleet" }).pipe(
    Layer.catchAll((error) => Layer.fail(unreachable(address)(detailOf(error))))
  )

/** The longest time in which a process creates missing tables, while others wait. */
const longestStart = "60s"

/** Builds the layer in one process after the other, because two processes that create the tables of a cluster at once fail. */
const inTurn = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const sql = yield* SqlClient.SqlClient
      const turn = Effect.flatMap(sql.reserve, (connection) => {
        const run = (statement: string) => connection.executeUnprepared(statement, [], undefined)
        const lock = "SELECT pg_advisory_xact_lock(hashtextextended('effect-venue fleet', 0))"
        // In a transaction, which Postgres ends if its process is frozen.
        return Effect.acquireRelease(
          run(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '${longestStart}'; ${lock}`),
          () => Effect.ignore(run("COMMIT"))
        )
      })
      return yield* Effect.scoped(Effect.zipRight(turn, Layer.buildWithScope(layer, scope)))
    })
  )

/** A name for every export, in shared tables. */
const sinkIn =
  (location: string): Owner.SinkOf<SqlClient.SqlClient> =>
  ({ name }, part, fence) =>
    SqlSink.make({ name: `${name}/${part}`, fence, location })

/** Runs a process of a fleet until it is stopped, or until no export is due. */
export const run = (choice: DatabaseChoice) =>
  runMonitored(choice.monitoring, "venue-fleet", (monitor) =>
    Effect.gen(function* () {
      const { listen } = choice
      const { credentials, declaration, options } = yield* fleet.readDeclared(choice)
      const address = yield* databaseAddress.resolve(choice.database, subject)
      const reached = Effect.mapError(listening.address(listen, address.url), (problem) =>
        typeof problem === "string" ? unreachable(address)(problem) : problem
      )
      const self = yield* patiently(reached)
      const members = FleetCluster.layer({ ...options, sink: sinkIn(address.label) })
      const cluster = NodeClusterSocket.layer({ storage: "sql", shardingConfig: FleetCluster.shardingConfig(self) })
      const layer = members.pipe(
        Layer.provide(
          Layer.catchAll(inTurn(cluster), (error) =>
            Layer.fail(error._tag === "SocketServerError" ? listening.refuse(self, error) : toFailure(address)(error))
          )
        ),
        Layer.provide([SqlLedger.layer(), credentials]),
        Layer.provide(clientOf(address))
      )
      // A cluster ends with a defect if it cannot use its tables.
      const withFailure = Effect.catchSomeDefect((defect) =>
        defect instanceof SqlError ? Option.some(Effect.fail(toFailure(address)(defect))) : Option.none()
      )
      const services = yield* patiently(withFailure(buildWhole(layer)))
      yield* withFailure(
        Effect.provide(fleet.running(choice, declaration, `--database ${address.label}`, monitor), services)
      )
    }).pipe(Effect.scoped)
  )

/** Prints the status of the fleet in a database. */
export const status = (choice: { readonly json: boolean; readonly database: databaseAddress.Given }) =>
  Effect.gen(function* () {
    const address = yield* databaseAddress.resolve(choice.database, subject)
    const print = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        readonly found: boolean
      }>`SELECT to_regclass('venue_fleet_exports') IS NOT NULL AS found`
      // Opening the ledger would create its tables.
      if (row?.found !== true) {
        return yield* new fleetStatus.NoFleet({ message: `there is no fleet in ${address.label}` })
      }
      yield* Effect.provide(fleetStatus.print(choice.json), SqlLedger.layer())
    })
    yield* print.pipe(
      Effect.catchTag("SqlError", (error) => unreachable(address)(detailOf(error))),
      Effect.provide(clientOf(address))
    )
  })
