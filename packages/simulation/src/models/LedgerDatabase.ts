/** The library's ledger over SQLite, which is some way off: each statement, or transaction, is one step of the database. */
import type { Claim, Ledger, Ownership } from "@effect-venue/fleet/Ledger"
import * as SqlLedger from "@effect-venue/fleet/SqlLedger"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import Database from "libsql"

/** How a statement reaches the database. */
export type LedgerAsk = <A>(operation: string, act: () => A) => Effect.Effect<A, { readonly reason: string }>

/** Statements that the world takes note of, in the step in which they are done. */
export interface Observer {
  readonly owned: (ownership: Ownership) => void
  readonly changed: (event: string, claim: Claim) => void
}

export interface RunningRow {
  readonly account: string
  readonly part: string
  readonly egress: string
  readonly epoch: number
}

type Row = Readonly<Record<string, unknown>>

/** The database of all runs, which come one after the other. */
const database = new Database(":memory:")
const prepared = new Map<string, ReturnType<typeof database.prepare>>()

const runStatement = (sql: string, parameters: ReadonlyArray<unknown>): ReadonlyArray<Row> => {
  const statement = prepared.get(sql) ?? database.prepare(sql)
  prepared.set(sql, statement)
  // The driver gives an object for each row.
  return statement.all([...parameters]) as ReadonlyArray<Row>
}

/** The operation of the ledger to which a statement belongs, and its arguments. */
const currentOperation = FiberRef.unsafeMake<{ readonly operation: string; readonly args: ReadonlyArray<unknown> }>({
  operation: "open",
  args: []
})

const clientOf = (execute: Connection["executeUnprepared"]) => {
  const refuse = () => Effect.dieMessage("the ledger has no such statements")
  const connection = { execute, executeUnprepared: execute, executeRaw: refuse, executeValues: refuse }
  return SqlClient.make({
    acquirer: Effect.succeed({ ...connection, executeStream: () => refuse() }),
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: []
  }).pipe(Effect.provide(Reactivity.layer))
}

const toSqlError = (cause: unknown) => new SqlError({ cause, message: "the statement failed" })

const runHere: Connection["executeUnprepared"] = (sql, parameters) =>
  Effect.try({ try: () => runStatement(sql, parameters), catch: toSqlError })

/** A client in the database itself, which answers in the step in which it is asked. */
const localClient = Effect.runSync(clientOf(runHere))

const openLedger = (client: SqlClient.SqlClient, timeout: Duration.DurationInput) =>
  Effect.provideService(SqlLedger.make({ timeout }), SqlClient.SqlClient, client)

const localLedger = Effect.runSync(openLedger(localClient, Duration.infinity))

/** Names the operation of each statement of a ledger. */
const nameOperations = (ledger: Ledger.Shape): Ledger.Shape => {
  const named = (operation: string, args: ReadonlyArray<unknown>, effect: Effect.Effect<unknown>) =>
    Effect.locally(effect, currentOperation, { operation, args })
  // Each member is an effect, or a function to one.
  const members = Object.entries(ledger) as ReadonlyArray<
    [string, Effect.Effect<unknown> | ((...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)]
  >
  // The members are those of the ledger.
  return Object.fromEntries(
    members.map(([operation, member]) => [
      operation,
      Effect.isEffect(member)
        ? named(operation, [], member)
        : (...args: ReadonlyArray<unknown>) => named(operation, args, member(...args))
    ])
  ) as unknown as Ledger.Shape
}

/** An empty ledger. */
export const make = ({ changed, owned }: Observer) => {
  for (const table of ["exports", "egresses", "removals"]) runStatement(`DELETE FROM venue_fleet_${table}`, [])

  /** Asks for a step of the database, and takes note of it. */
  const askFor = <A, E>(ask: LedgerAsk, isWriting: boolean, effect: Effect.Effect<A, E>) =>
    Effect.flatMap(FiberRef.get(currentOperation), ({ args, operation }) => {
      const [first] = args
      const observe = (result: A) => {
        // These operations give rows.
        const [row] = Array.isArray(result) ? (result as ReadonlyArray<Row>) : []
        if (row === undefined || !isWriting) return
        if (operation === "own") owned({ egress: String(first), epoch: Number(row.epoch) })
        // The first argument of these is a claim.
        else if (/^(done|failed|release)$/.test(operation)) changed(operation, first as Claim)
      }
      const act = () => Effect.runSyncExit(Effect.tap(effect, observe))
      return Effect.flatten(Effect.mapError(ask(operation, act), ({ reason }) => toSqlError(new Error(reason))))
    })

  /** The ledger of a machine. */
  const open = (ask: LedgerAsk) =>
    Effect.gen(function* () {
      const client = yield* clientOf((sql, parameters) =>
        askFor(ask, sql.startsWith("UPDATE"), runHere(sql, parameters, undefined))
      )
      const withTransaction: SqlClient.SqlClient["withTransaction"] = (effect) =>
        Effect.flatMap(Effect.context<Effect.Effect.Context<typeof effect>>(), (context) =>
          askFor(ask, true, Effect.provide(localClient.withTransaction(effect), context))
        )
      return nameOperations(yield* openLedger(Object.assign(client, { withTransaction }), "10 seconds"))
    })

  return {
    open,
    holds: (claim: Claim): boolean => Exit.isSuccess(Effect.runSyncExit(localLedger.holds(claim))),
    exports: () => Effect.runSync(localLedger.exports),
    /** The exports that a run of an owner has claimed and not ended. */
    running: () =>
      // The columns of the statement.
      runStatement(
        "SELECT account, part, egress, epoch FROM venue_fleet_exports WHERE state = 'running' ORDER BY account, part",
        []
      ) as ReadonlyArray<unknown> as ReadonlyArray<RunningRow>
  }
}

export type LedgerDatabase = ReturnType<typeof make>
