import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { outsideTransaction } from "../outsideTransaction.js"

/** Where the tables and functions are, and how long they may take. */
export interface DatabaseOptions {
  /**
   * What the names of the tables and functions begin with: lower-case letters, digits and underscores. Stores of one prefix share their state.
   */
  readonly prefix?: string | undefined
  /** After how long without an answer an operation fails. Defaults to 1 second. */
  readonly timeout?: Duration.DurationInput | undefined
}

/** Calls a function of Postgres, and gives the columns of its result. */
export type Run = (
  name: string,
  args: ReadonlyArray<string | number | boolean | null | ReadonlyArray<string | number>>
) => Effect.Effect<ReadonlyArray<unknown>, SqlError>

const failed = (message: string): SqlError => new SqlError({ cause: new Error(message), message })

// undefined_function, undefined_table, undefined_object (a type): nothing was done. The database is new, or was restored without them.
const missing = new Set(["42883", "42P01", "42704"])

const isMissing = ({ cause }: SqlError): boolean =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" && missing.has(cause.code)

/** Two processes that define the same at once would fail. The statements are one transaction. */
const define = (sql: SqlClient.SqlClient, definitions: string) =>
  sql.unsafe(`SELECT pg_advisory_xact_lock(hashtextextended('effect-venue definitions', 0)); ${definitions}`)

/**
 * The functions of a prefix, which are defined where they are missing. Fails where the database is no Postgres, the prefix is no name, or the
 * first call fails.
 */
export const make = (
  { prefix, timeout = "1 second" }: DatabaseOptions & { readonly prefix: string },
  definitionsOf: (prefix: string) => string,
  first: (run: Run) => Effect.Effect<unknown, SqlError>
): Effect.Effect<Run, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (!sql.onDialectOrElse({ pg: () => true, orElse: () => false })) {
      return yield* failed("the shared rate limits and bans need Postgres")
    }
    if (!/^[a-z_][a-z0-9_]{0,39}$/.test(prefix)) return yield* failed(`${prefix} is no prefix of names`)
    const duration = Duration.decode(timeout)

    const inTime = <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
      Effect.timeoutFail(Effect.disconnect(Effect.interruptible(outsideTransaction(effect))), {
        duration,
        onTimeout: () => failed(`the database did not answer within ${Duration.format(duration)}`)
      })

    const defining = Effect.suspend(() => define(sql, definitionsOf(prefix)))

    const run: Run = (name, args) => {
      const parameters = args.map((_, index) => `$${index + 1}`).join(", ")
      const called = Effect.map(
        sql.unsafe(`SELECT * FROM ${prefix}${name}(${parameters})`, args).values,
        ([row = []]) => row
      )
      return Effect.catchIf(inTime(called), isMissing, () => inTime(Effect.zipRight(defining, called)))
    }

    yield* first(run)
    return run
  })
