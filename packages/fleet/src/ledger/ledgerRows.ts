import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Age, Claim, Coverage, Entry, Export, Ownership, Removal, State, Summary } from "./Ledger.js"

// Rows of the tables, as both databases return them: Postgres returns large integers and sums as text.

type Int = number | string

const CoverageText = Schema.parseJson(
  Schema.Struct({
    from: Schema.Number,
    to: Schema.Number,
    rows: Schema.Number,
    verdict: Schema.Literal("complete", "incomplete", "lost"),
    because: Schema.OptionFromNullOr(Schema.String)
  })
)

export const encodeCoverage: (coverage: Coverage) => string = Schema.encodeSync(CoverageText)

const decodeCoverage: (text: string) => Option.Option<Coverage> = Schema.decodeOption(CoverageText)

const UsageText = Schema.parseJson(Schema.ReadonlyMap({ key: Schema.String, value: Schema.Number }))

export const encodeUsage: (usage: ReadonlyMap<string, number>) => string = Schema.encodeSync(UsageText)

export const decodeUsage: (text: string) => Option.Option<ReadonlyMap<string, number>> = Schema.decodeOption(UsageText)

/** How many columns an entry has. */
export const columns = 16

const waiting: State = "waiting"

export const ofEntry = (entry: Entry, generation: number) => ({
  account: entry.account,
  part: entry.part,
  master_uid: entry.masterUid,
  egress: entry.egress,
  paused: Number(entry.isPaused),
  once: Number(entry.isOnce),
  from_at: entry.from,
  to_at: Option.getOrNull(entry.to),
  every_millis: entry.every,
  due_at: entry.dueAt,
  complete_at: entry.dueAt,
  // Of exports that are due at once the longest is first.
  start_by: Math.round(entry.dueAt - entry.pages * entry.millisPerPage),
  pages: entry.pages,
  millis_per_page: entry.millisPerPage,
  state: waiting,
  generation
})

export type EntryRow = ReturnType<typeof ofEntry>

export interface ClaimRow {
  readonly account: string
  readonly part: string
  readonly run: Int
  readonly attempts: Int
  readonly due_at: Int
  readonly once: Int
}

export const claimOf = (row: ClaimRow, ownership: Ownership): Claim => ({
  account: row.account,
  part: row.part,
  ownership,
  run: Number(row.run),
  attempts: Number(row.attempts),
  dueAt: Number(row.due_at),
  isOnce: Number(row.once) === 1
})

export interface ExportRow {
  readonly account: string
  readonly part: string
  readonly master_uid: string
  readonly egress: string
  readonly state: State
  readonly paused: Int
  readonly due_at: Int
  readonly attempts: Int
  readonly last_failure: string | null
  readonly done_at: Int | null
  readonly coverage: string | null
}

export const exportOf = (row: ExportRow): Export => ({
  account: row.account,
  part: row.part,
  masterUid: row.master_uid,
  egress: row.egress,
  state: row.state,
  isPaused: Number(row.paused) === 1,
  dueAt: Number(row.due_at),
  attempts: Number(row.attempts),
  lastFailure: Option.fromNullable(row.last_failure),
  doneAt: Option.map(Option.fromNullable(row.done_at), Number),
  coverage: Option.flatMap(Option.fromNullable(row.coverage), decodeCoverage)
})

export interface AgeRow {
  readonly account: string
  readonly part: string
  readonly complete_at: Int
  readonly every_millis: Int
}

export const ageOf = ({ account, complete_at, every_millis, part }: AgeRow): Age => ({
  account,
  part,
  completeAt: Number(complete_at),
  every: Number(every_millis)
})

export interface SummaryRow {
  readonly egress: string
  readonly accounts: Int
  readonly exports: Int
  readonly done: Int
  readonly due: Int
  readonly running: Int
  readonly failing: Int
  readonly stopped: Int
  readonly stopped_accounts: Int
  readonly incomplete: Int
  readonly lost: Int
  readonly paused: Int
  readonly pages: Int
  readonly epoch: Int | null
  readonly owner: string | null
  readonly seen_at: Int | null
  readonly calls_per_second: number | null
}

export const summaryOf = (row: SummaryRow): Summary => ({
  egress: row.egress,
  accounts: Number(row.accounts),
  exports: Number(row.exports),
  done: Number(row.done),
  due: Number(row.due),
  running: Number(row.running),
  failing: Number(row.failing),
  stopped: Number(row.stopped),
  stoppedAccounts: Number(row.stopped_accounts),
  incomplete: Number(row.incomplete),
  lost: Number(row.lost),
  paused: Number(row.paused),
  pages: Number(row.pages),
  epoch: Number(row.epoch ?? 0),
  owner: Option.fromNullable(row.owner),
  seenAt: Option.map(Option.fromNullable(row.seen_at), Number),
  callsPerSecond: row.calls_per_second ?? 0
})

export interface RemovalRow {
  readonly account: string
  readonly removed_by: string
  readonly exports: Int
  readonly last_at: Int
}

export const removalOf = (row: RemovalRow): Removal => ({
  account: row.account,
  exports: Number(row.exports),
  at: Number(row.last_at),
  by: row.removed_by
})
