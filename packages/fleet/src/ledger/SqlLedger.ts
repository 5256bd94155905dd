/**
 * The ledger in a database, in SQLite and Postgres alike: tables of exports, of the owners of addresses, and of removed exports. Every write of an owner is one
 * statement with the number of its ownership, so that nothing of an earlier owner is left half done.
 */
import * as TimeLimit from "@effect-venue/transport/siblings/TimeLimit"
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as rows from "./ledgerRows.js"
import * as statements from "./ledgerStatements.js"
import { type Claim, ClaimLost, type Key, Ledger, LedgerFailed, NotOwner, type Ownership } from "./Ledger.js"
import { formatDuration } from "@effect-venue/schemas/siblings/Words"

export interface Options {
  /** The prefix of the tables: `<prefix>exports`, `<prefix>egresses` and `<prefix>removals`. Defaults to `venue_fleet_`. */
  readonly prefix?: string | undefined
  /** The time limit of one operation of the database. Defaults to 10 seconds; an infinite one is not enforced. */
  readonly timeout?: Duration.DurationInput | undefined
}

const fromSqlError = (error: SqlError.SqlError): LedgerFailed =>
  new LedgerFailed({ detail: error.cause instanceof Error ? error.cause.message : error.message, cause: error })

/** SQLite takes no more than this many values in a statement on any system. */
const valuesAtOnce = 900

const toChunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

/** In one order for all processes: two that register the same accounts at once wait for each other, and not both. */
const byKey = (left: Key, right: Key): number =>
  left.account === right.account ? (left.part < right.part ? -1 : 1) : left.account < right.account ? -1 : 1

/**
 * Opens the ledger, and creates missing tables. It is longer than a screen because it is one list: each operation of the ledger beside its statement, over
 * the time limit and the check of the owner at its head.
 */
export const make = (options: Options = {}): Effect.Effect<Ledger.Shape, LedgerFailed, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const timeout = Duration.decode(options.timeout ?? "10 seconds")
    const on = statements.make(sql, options.prefix ?? "venue_fleet_")

    const inTime = <A>(
      effect: Effect.Effect<A, SqlError.SqlError>,
      limit = timeout
    ): Effect.Effect<A, LedgerFailed> => {
      const answered = Effect.mapError(effect, fromSqlError)
      if (!Duration.isFinite(limit)) return answered
      const detail = `the database did not answer within ${formatDuration(Duration.toMillis(limit))}`
      return TimeLimit.within(answered, limit, () => new LedgerFailed({ detail }))
    }

    const epochOf = (egress: string) => Effect.map(inTime(on.epochOf(egress)), ([row]) => Number(row?.epoch ?? 0))

    const check = ({ egress, epoch }: Ownership): Effect.Effect<void, NotOwner | LedgerFailed> =>
      Effect.flatMap(epochOf(egress), (current) =>
        current === epoch
          ? Effect.void
          : Effect.fail(new NotOwner({ egress, epoch, detail: `its owner is that of epoch ${current}` }))
      )

    /** What changed one row, or the reason why it changed none. */
    const ofClaim = (
      claim: Claim,
      statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
    ): Effect.Effect<void, NotOwner | ClaimLost | LedgerFailed> =>
      Effect.flatMap(inTime(statement), (changed) =>
        changed.length > 0
          ? Effect.void
          : Effect.zipRight(
              check(claim.ownership),
              Effect.fail(new ClaimLost({ account: claim.account, part: claim.part }))
            )
      )

    yield* inTime(sql.withTransaction(on.createTables))

    return Ledger.of({
      register: (entries, registrar) =>
        Effect.gen(function* () {
          const generation = yield* Random.nextIntBetween(1, Number.MAX_SAFE_INTEGER)
          const records = [...entries].sort(byKey).map((entry) => rows.ofEntry(entry, generation))
          const size = Math.floor(valuesAtOnce / rows.columns)
          const chunks = toChunks(records, size)
          const written = Effect.forEach(chunks, on.register, { discard: true })
          const removed = Effect.zipRight(written, on.removeOthers(generation, registrar))
          // The limit of one operation for each statement: a million rows take minutes, and a database that is gone never answers.
          return yield* inTime(sql.withTransaction(removed), Duration.times(timeout, chunks.length + 3))
        }),
      removals: (limit) => Effect.map(inTime(on.removals(limit)), (found) => found.map(rows.removalOf)),
      assignments: Effect.map(
        inTime(on.assignments),
        (found) => new Map(found.map(({ account, egress }) => [account, egress]))
      ),
      setPaused: (account, isPaused) =>
        Effect.map(inTime(on.setPaused(account, isPaused)), (changed) => changed.length > 0),
      own: (egress, owner) =>
        Effect.map(inTime(sql.withTransaction(on.own(egress, owner))), ([row]) => ({
          egress,
          epoch: Number(row?.epoch)
        })),
      check,
      leave: (ownership, usage) => Effect.asVoid(inTime(on.leave(ownership, usage))),
      leftUsage: (ownership) =>
        Effect.map(inTime(on.leftUsage(ownership)), ([row]) =>
          row === undefined ? Option.none() : rows.decodeUsage(row.left_usage)
        ),
      report: (ownership, report) =>
        Effect.flatMap(inTime(on.report(ownership, report)), (changed) =>
          changed.length > 0 ? Effect.void : check(ownership)
        ),
      claim: (ownership, { busy, now }) => {
        const attempt: Effect.Effect<Option.Option<Claim>, NotOwner | LedgerFailed> = Effect.flatMap(
          inTime(on.nextOf(ownership, now, busy)),
          ([next]) =>
            next === undefined
              ? Effect.as(check(ownership), Option.none())
              : Effect.flatMap(inTime(on.claim(ownership, next)), ([row]) =>
                  // Registered anew or paused between the two statements: the next one can be different.
                  row === undefined
                    ? Effect.zipRight(check(ownership), attempt)
                    : Effect.succeed(Option.some(rows.claimOf(row, ownership)))
                )
        )
        return attempt
      },
      reclaim: (ownership, { busy }) => Effect.map(inTime(on.reclaim(ownership, busy)), (changed) => changed.length),
      nextDue: ({ egress }, { busy, retriesBelow }) =>
        Effect.map(inTime(on.nextDue(egress, busy, retriesBelow)), ([row]) =>
          Option.map(Option.fromNullable(row?.due_at), Number)
        ),
      holds: (claim) => ofClaim(claim, on.holds(claim)),
      done: (claim, done) => ofClaim(claim, on.done(claim, done)),
      failed: (claim, failure) => ofClaim(claim, on.failed(claim, failure)),
      stop: (claim, stopped) => ofClaim(claim, on.stop(claim, stopped)),
      release: (claim) => ofClaim(claim, on.release(claim)),
      exports: Effect.map(inTime(on.exports), (found) => found.map(rows.exportOf)),
      summary: (now) => Effect.map(inTime(on.summary(now)), (found) => found.map(rows.summaryOf)),
      ages: (limit) => Effect.map(inTime(on.ages(limit)), (found) => found.map(rows.ageOf)),
      troubled: (limit) => Effect.map(inTime(on.troubled(limit)), (found) => found.map(rows.exportOf))
    })
  })

/** The ledger in a database. */
export const layer = (options: Options = {}): Layer.Layer<Ledger, LedgerFailed, SqlClient.SqlClient> =>
  Layer.effect(Ledger, make(options))
