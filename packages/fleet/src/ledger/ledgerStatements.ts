import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { Claim, Done, Failed, Key, Ownership, Registrar, Report, State, Stopped } from "./Ledger.js"
import * as rows from "./ledgerRows.js"

const state = (name: State): State => name

/** The tables of a ledger, and the conditions that its statements share, in the words that SQLite and Postgres have in common. */
const makeTerms = (sql: SqlClient.SqlClient, prefix: string) => {
  const [exports, egresses, removals] = [sql(`${prefix}exports`), sql(`${prefix}egresses`), sql(`${prefix}removals`)]

  // In Postgres a new owner waits for a write that is under way, and a write waits for an owner that is being made, and then sees it.
  const locked = sql.onDialectOrElse({ pg: () => sql.literal("FOR SHARE"), orElse: () => sql.literal("") })

  const owns = ({ egress, epoch }: Ownership) =>
    sql`EXISTS (SELECT 1 FROM ${egresses} WHERE name = ${egress} AND epoch = ${epoch} ${locked})`

  const isKey = ({ account, part }: Key) => sql`account = ${account} AND part = ${part}`

  const isClaim = (claim: Claim) =>
    sql`${isKey(claim)} AND run = ${claim.run} AND state = ${state("running")} AND egress = ${claim.ownership.egress}
      AND ${owns(claim.ownership)}`

  const notBusy = (busy: ReadonlyArray<string>) =>
    busy.length === 0 ? sql.literal("1 = 1") : sql`NOT (${sql.in("account", busy)})`

  return { sql, prefix, exports, egresses, removals, owns, isKey, isClaim, notBusy }
}

type Terms = ReturnType<typeof makeTerms>

/** Creates the tables. In a transaction. */
const createTables = ({ egresses, exports, prefix, removals, sql }: Terms) => {
  // Of two concurrent statements that create a table, Postgres refuses one in spite of IF NOT EXISTS.
  const lockForTables: Effect.Effect<unknown, SqlError.SqlError> = sql.onDialectOrElse({
    pg: () => sql`SELECT pg_advisory_xact_lock(hashtext(${`${prefix}exports`}))`,
    orElse: () => Effect.void
  })
  return Effect.all(
    [
      lockForTables,
      sql`CREATE TABLE IF NOT EXISTS ${egresses} (
          name TEXT PRIMARY KEY, epoch BIGINT NOT NULL, owner TEXT NOT NULL, seen_at BIGINT,
          calls_per_second DOUBLE PRECISION, left_epoch BIGINT, left_usage TEXT
        )`,
      sql`CREATE TABLE IF NOT EXISTS ${exports} (
          account TEXT NOT NULL, part TEXT NOT NULL, master_uid TEXT NOT NULL, egress TEXT NOT NULL,
          state TEXT NOT NULL, paused INTEGER NOT NULL, once INTEGER NOT NULL,
          from_at BIGINT NOT NULL, to_at BIGINT, every_millis BIGINT NOT NULL,
          due_at BIGINT NOT NULL, start_by BIGINT NOT NULL, pages BIGINT NOT NULL,
          millis_per_page DOUBLE PRECISION NOT NULL,
          run BIGINT NOT NULL DEFAULT 0, epoch BIGINT NOT NULL DEFAULT 0,
          attempts BIGINT NOT NULL DEFAULT 0, last_failure TEXT, done_at BIGINT, coverage TEXT,
          complete_at BIGINT NOT NULL,
          generation BIGINT NOT NULL,
          PRIMARY KEY (account, part)
        )`,
      sql`CREATE TABLE IF NOT EXISTS ${removals} (
          account TEXT NOT NULL, part TEXT NOT NULL, removed_at BIGINT NOT NULL, removed_by TEXT NOT NULL,
          PRIMARY KEY (account, part)
        )`,
      // In the order in which exports are claimed: of many that begin at once the first one is found without sorting the others.
      sql`CREATE INDEX IF NOT EXISTS ${sql(`${prefix}next`)} ON ${exports} (egress, state, start_by, account, part)`
    ],
    { discard: true }
  )
}

/** Adds exports, or changes what is declared of those that exist. */
const register =
  ({ exports, prefix, sql }: Terms) =>
  (records: ReadonlyArray<rows.EntryRow>) => {
    const declared = ["egress", "paused", "once", "from_at", "to_at", "every_millis", "millis_per_page", "master_uid"]
    const old = `"${prefix}exports"`
    const hasOtherRange = `(${old}.from_at <> excluded.from_at OR COALESCE(${old}.to_at, -1) <> COALESCE(excluded.to_at, -1))`
    const isDoneAndChanges = `(${old}.every_millis <> excluded.every_millis AND ${old}.attempts = 0 AND ${old}.done_at IS NOT NULL)`
    const dueAgainAt = `${old}.done_at + excluded.every_millis`
    const changes = {
      // An export that is moved, paused or gets another range loses its claim.
      state: `CASE
          WHEN ${old}.state = 'running' AND (${old}.egress <> excluded.egress OR excluded.paused = 1 OR ${hasOtherRange}) THEN 'waiting'
          WHEN ${old}.state = 'stopped' THEN 'waiting'
          WHEN ${old}.state = 'finished' AND (excluded.once = 0 OR ${hasOtherRange}) THEN 'waiting'
          ELSE ${old}.state END`,
      due_at: `CASE WHEN ${hasOtherRange} THEN excluded.due_at WHEN ${isDoneAndChanges} THEN ${dueAgainAt} ELSE ${old}.due_at END`,
      start_by: `CASE
          WHEN ${hasOtherRange} THEN excluded.start_by
          WHEN ${isDoneAndChanges} THEN ${dueAgainAt} - ${old}.pages * excluded.millis_per_page
          ELSE ${old}.start_by END`,
      ...Object.fromEntries([...declared, "generation"].map((name) => [name, `excluded.${name}`]))
    }
    const set = Object.entries(changes).map(([name, value]) => sql`${sql(name)} = ${sql.literal(value)}`)
    return sql`INSERT INTO ${exports} ${sql.insert(records)} ON CONFLICT (account, part) DO UPDATE SET ${sql.csv(set)}`
  }

/** The statements of the list of exports. */
const makeRegistry = ({ exports, removals, sql }: Terms) => ({
  /** Removes the exports of earlier registrations, and notes which. In a transaction, after `register`. */
  removeOthers: (generation: number, { by, now }: Registrar) =>
    sql`INSERT INTO ${removals} (account, part, removed_at, removed_by)
          SELECT account, part, ${now}, ${by} FROM ${exports} WHERE generation <> ${generation} ORDER BY account, part
          ON CONFLICT (account, part) DO UPDATE SET removed_at = excluded.removed_at, removed_by = excluded.removed_by`.pipe(
      Effect.zipRight(
        sql`DELETE FROM ${removals} WHERE EXISTS (SELECT 1 FROM ${exports} AS e WHERE e.generation = ${generation}
            AND e.account = ${removals}.account AND e.part = ${removals}.part)`
      ),
      Effect.zipRight(sql<Key>`DELETE FROM ${exports} WHERE generation <> ${generation} RETURNING account, part`)
    ),
  removals: (limit: number) =>
    sql<rows.RemovalRow>`SELECT account, removed_by, COUNT(*) AS exports, MAX(removed_at) AS last_at
        FROM ${removals} GROUP BY account, removed_by ORDER BY last_at DESC, account, removed_by LIMIT ${limit}`,
  assignments: sql<{ readonly account: string; readonly egress: string }>`
      SELECT account, MIN(egress) AS egress FROM ${exports} GROUP BY account`,
  setPaused: (account: string, isPaused: boolean) =>
    sql`UPDATE ${exports} SET paused = ${Number(isPaused)}, state = CASE
          WHEN ${Number(isPaused)} = 1 AND state = 'running' THEN 'waiting'
          WHEN ${Number(isPaused)} = 0 AND state = 'stopped' THEN 'waiting'
          ELSE state END
        WHERE account = ${account} RETURNING account`
})

/** The statements of the owner of an address. */
const makeOwnership = ({ egresses, exports, prefix, sql }: Terms) => ({
  epochOf: (egress: string) =>
    sql<{ readonly epoch: number | string }>`SELECT epoch FROM ${egresses} WHERE name = ${egress}`,
  own: (egress: string, owner: string) =>
    Effect.zipLeft(
      sql<{
        readonly epoch: number | string
      }>`INSERT INTO ${egresses} (name, epoch, owner) VALUES (${egress}, 1, ${owner})
          ON CONFLICT (name) DO UPDATE SET epoch = ${sql.literal(`"${prefix}egresses".epoch + 1`)}, owner = excluded.owner
          RETURNING epoch`,
      sql`UPDATE ${exports} SET state = ${state("waiting")} WHERE egress = ${egress} AND state = ${state("running")}`
    ),
  leave: ({ egress, epoch }: Ownership, usage: ReadonlyMap<string, number>) =>
    sql`UPDATE ${egresses} SET left_epoch = ${epoch}, left_usage = ${rows.encodeUsage(usage)}
        WHERE name = ${egress} AND epoch = ${epoch}`,
  leftUsage: ({ egress, epoch }: Ownership) =>
    sql<{ readonly left_usage: string }>`SELECT left_usage FROM ${egresses}
        WHERE name = ${egress} AND epoch = ${epoch} AND left_epoch = ${epoch - 1}`,
  report: ({ egress, epoch }: Ownership, { callsPerSecond, now }: Report) =>
    sql`UPDATE ${egresses} SET seen_at = ${now}, calls_per_second = ${callsPerSecond}
        WHERE name = ${egress} AND epoch = ${epoch} RETURNING name`
})

/** The statements that find and take the next export. */
const makeClaims = ({ exports, isKey, notBusy, owns, sql }: Terms) => ({
  nextOf: ({ egress }: Ownership, now: number, busy: ReadonlyArray<string>) =>
    sql<Key>`SELECT account, part FROM ${exports} WHERE egress = ${egress} AND state = ${state("waiting")}
        AND paused = 0 AND due_at <= ${now} AND ${notBusy(busy)} ORDER BY start_by, account, part LIMIT 1`,
  claim: (ownership: Ownership, key: Key) =>
    sql<rows.ClaimRow>`UPDATE ${exports} SET state = ${state("running")}, run = run + 1, epoch = ${ownership.epoch}
        WHERE ${isKey(key)} AND egress = ${ownership.egress} AND state = ${state("waiting")} AND paused = 0
        AND ${owns(ownership)} RETURNING account, part, run, attempts, due_at, once`,
  reclaim: (ownership: Ownership, busy: ReadonlyArray<string>) =>
    sql`UPDATE ${exports} SET state = ${state("waiting")} WHERE egress = ${ownership.egress}
        AND epoch = ${ownership.epoch} AND state = ${state("running")} AND ${notBusy(busy)} AND ${owns(ownership)}
        RETURNING account`,
  nextDue: (egress: string, busy: ReadonlyArray<string>, retriesBelow: number | undefined) =>
    sql<{ readonly due_at: number | string | null }>`SELECT MIN(due_at) AS due_at FROM ${exports}
        WHERE egress = ${egress} AND state = ${state("waiting")} AND paused = 0 AND ${notBusy(busy)}
        AND ${retriesBelow === undefined ? sql.literal("1 = 1") : sql`attempts > 0 AND attempts < ${retriesBelow}`}`
})

/** The statements of the run that has claimed an export. */
const makeRuns = ({ exports, isClaim, sql }: Terms) => ({
  holds: (claim: Claim) => sql`SELECT account FROM ${exports} WHERE ${isClaim(claim)}`,
  done: (claim: Claim, { coverage, now, pages, startedAt }: Done) =>
    sql`UPDATE ${exports} SET
          state = CASE WHEN once = 1 AND from_at >= ${coverage.from} AND (to_at IS NULL OR to_at <= ${coverage.to})
            THEN 'finished' ELSE 'waiting' END,
          due_at = ${startedAt} + every_millis, start_by = ${startedAt} + every_millis - ${pages} * millis_per_page,
          pages = ${pages}, attempts = 0, last_failure = NULL, done_at = ${now}, coverage = ${rows.encodeCoverage(coverage)},
          complete_at = CASE WHEN ${coverage.verdict} = 'incomplete' THEN complete_at ELSE ${startedAt} END
        WHERE ${isClaim(claim)} RETURNING account`,
  failed: (claim: Claim, { failure, retryAt }: Failed) =>
    sql`UPDATE ${exports} SET state = ${state("waiting")}, due_at = ${retryAt}, start_by = ${retryAt},
          attempts = attempts + 1, last_failure = ${failure} WHERE ${isClaim(claim)} RETURNING account`,
  stop: (claim: Claim, { failure, scope }: Stopped) =>
    sql`UPDATE ${exports} SET state = ${state("stopped")}, last_failure = ${failure},
          attempts = attempts + CASE WHEN part = ${claim.part} THEN 1 ELSE 0 END
        WHERE account = ${claim.account} AND egress = ${claim.ownership.egress}
        AND (part = ${claim.part} OR (state = ${state("waiting")} AND ${scope} = 'account'))
        AND EXISTS (SELECT 1 FROM ${exports} WHERE ${isClaim(claim)}) RETURNING account`,
  release: (claim: Claim) =>
    sql`UPDATE ${exports} SET state = ${state("waiting")} WHERE ${isClaim(claim)} RETURNING account`
})

/** The statements of monitoring. */
const makeLists = ({ exports, sql }: Terms) => {
  const exportColumns = sql.literal(
    "account, part, master_uid, egress, state, paused, due_at, attempts, last_failure, done_at, coverage"
  )
  return {
    exports: sql<rows.ExportRow>`SELECT ${exportColumns} FROM ${exports} ORDER BY account, part`,
    ages: (limit: number) =>
      sql<rows.AgeRow>`SELECT account, part, complete_at, every_millis FROM ${exports}
        WHERE state <> ${state("finished")} AND paused = 0
        ORDER BY complete_at + every_millis, account, part LIMIT ${limit}`,
    troubled: (limit: number) =>
      sql<rows.ExportRow>`SELECT ${exportColumns} FROM ${exports}
        WHERE last_failure IS NOT NULL OR coverage LIKE ${'%"verdict":"incomplete"%'} OR coverage LIKE ${'%"verdict":"lost"%'} ORDER BY account, part LIMIT ${limit}`
  }
}

/** The counts of the exports of each address. */
const summarize = ({ egresses, exports, sql }: Terms) => {
  /** How many rows meet a condition. */
  const count = (condition: string) => sql.literal(`SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`)
  return (now: number) => sql<rows.SummaryRow>`SELECT e.egress AS egress, e.accounts AS accounts, e.exports AS exports,
        e.done AS done, e.due AS due, e.running AS running, e.failing AS failing, e.stopped AS stopped,
        e.stopped_accounts AS stopped_accounts, e.incomplete AS incomplete, e.lost AS lost, e.paused AS paused, e.pages AS pages,
        o.epoch AS epoch, o.owner AS owner, o.seen_at AS seen_at, o.calls_per_second AS calls_per_second
      FROM (SELECT egress, COUNT(DISTINCT account) AS accounts, COUNT(*) AS exports,
        SUM(CASE WHEN state = 'finished' OR (state = 'waiting' AND attempts = 0 AND due_at > ${now}) THEN 1 ELSE 0 END) AS done,
        SUM(CASE WHEN state = 'waiting' AND paused = 0 AND due_at <= ${now} THEN 1 ELSE 0 END) AS due,
        ${count("state = 'running'")} AS running,
        ${count("state = 'waiting' AND attempts > 0")} AS failing,
        ${count("state = 'stopped'")} AS stopped,
        COUNT(DISTINCT CASE WHEN state = 'stopped' THEN account END) AS stopped_accounts,
        ${count('coverage LIKE \'%"verdict":"incomplete"%\'')} AS incomplete,
        ${count('coverage LIKE \'%"verdict":"lost"%\'')} AS lost,
        ${count("paused = 1")} AS paused,
        SUM(CASE WHEN state = 'running' OR (state = 'waiting' AND paused = 0 AND due_at <= ${now}) THEN pages ELSE 0 END) AS pages
        FROM ${exports} GROUP BY egress) e LEFT JOIN ${egresses} o ON o.name = e.egress ORDER BY e.egress`
}

/** The statements of a ledger. */
export const make = (sql: SqlClient.SqlClient, prefix: string) => {
  const terms = makeTerms(sql, prefix)
  return {
    createTables: createTables(terms),
    register: register(terms),
    ...makeRegistry(terms),
    ...makeOwnership(terms),
    ...makeClaims(terms),
    ...makeRuns(terms),
    ...makeLists(terms),
    summary: summarize(terms)
  }
}
