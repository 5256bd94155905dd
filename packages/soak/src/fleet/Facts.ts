/** The facts of a fleet, as the judges of the simulation read them. Instants are milliseconds of the wall clock. */
import type * as Faults from "@effect-venue/sandbox/Faults"
import type * as Journal from "@effect-venue/simulation/world/Journal"
import * as Schema from "effect/Schema"
import type * as Judged from "../shared/Judged.js"
import type { Write } from "./Order.js"

/** From when on the ledger was seen to name an owner of an address. */
export interface Seen {
  readonly address: string
  readonly epoch: number
  readonly pid: number
  readonly at: number
}

/** A process was killed or frozen, which owned addresses: `within` milliseconds later others are at work. */
export interface Disturbance {
  readonly at: number
  readonly pid: number
  readonly addresses: ReadonlyArray<string>
  readonly within: number
}

/** How much later than it begins an owner can be seen, in milliseconds: the ledger is read again and again. */
const seenWithin = 500

export const fromOwner = ({ address, at, epoch, pid }: Seen): Judged.Fact => ({
  _tag: "Owned",
  machine: String(pid),
  egress: address,
  epoch,
  at
})

/** The last ownership of a process for an address that had begun by an instant. */
const epochOf = (seen: ReadonlyArray<Seen>, address: string, pid: number, by: number): number =>
  Math.max(0, ...seen.flatMap((own) => (own.address === address && own.pid === pid && own.at <= by ? [own.epoch] : [])))

/** The writes of the processes, at their beginnings. */
export const written = (writes: ReadonlyArray<Write>, seen: ReadonlyArray<Seen>): ReadonlyArray<Judged.Fact> =>
  writes.map(({ address, begunAt, call, pid }) => {
    const epoch = epochOf(seen, address, pid, begunAt + seenWithin)
    return { _tag: "Written", call, write: "commit", run: 0, egress: address, epoch, at: begunAt }
  })

export const struck = (
  { addresses, at, pid, within }: Disturbance,
  seen: ReadonlyArray<Seen>
): ReadonlyArray<Judged.Fact> =>
  addresses.map((egress) => {
    const epoch = epochOf(seen, egress, pid, at)
    return { _tag: "Struck", machine: String(pid), egress, epoch, running: 1, backBy: at + within, at }
  })

/** The calls that arrived from an address, each with the number in the window that ends with it, and those that were refused. */
export const fromRequestLog = (
  egress: string,
  log: ReadonlyArray<Faults.Entry>,
  limit: { readonly calls: number; readonly window: number }
): ReadonlyArray<Judged.Fact> => {
  let first = 0
  return log.flatMap(({ at, executed }, sending): ReadonlyArray<Judged.Fact> => {
    while (at - (log[first]?.at ?? at) >= limit.window) first += 1
    const count: Judged.Fact = { _tag: "Counted", egress, count: sending - first + 1, limit: limit.calls, at }
    const refusal = { call: egress, sending, wishes: [], executed: [], code: 10006, status: 200, isCopy: false, at }
    return executed ? [count] : [count, { _tag: "Arrived", ...refusal }]
  })
}

/** An export of the ledger. */
export interface Export {
  readonly call: string
  readonly state: string
  readonly coverage: { readonly from: number; readonly to: number; readonly verdict: string } | undefined
}

const Coverage = Schema.parseJson(Schema.Struct({ from: Schema.Number, to: Schema.Number, verdict: Schema.String }))

export const exportOf = (row: {
  readonly account: string
  readonly part: string
  readonly state: string
  readonly attempts: number | string
  readonly coverage: string | null
}): Export => ({
  call: `${row.account}/${row.part}`,
  state: `${row.state} after ${row.attempts} failures`,
  coverage: row.coverage === null ? undefined : Schema.decodeUnknownSync(Coverage)(row.coverage)
})

/** An export at the end, which is to cover everything from `from` until after the last trade, without a failure. */
export const fromExport = (
  { call, coverage, state }: Export,
  from: number,
  tradedAt: number
): ReadonlyArray<Judged.Fact> => {
  const isComplete = coverage?.verdict === "complete"
  const isDone = isComplete && state.endsWith(" 0 failures")
  const covered: Journal.Of<"Covered">["covered"] = isComplete ? { from: coverage.from, to: coverage.to } : undefined
  const due = { from: tradedAt, by: Number.MAX_SAFE_INTEGER }
  return [
    ...(isDone ? [{ _tag: "Done", call, at: coverage.to } as const] : []),
    { _tag: "Covered", call, declared: { from, to: undefined }, covered, isFinished: false, due, state, at: due.by }
  ]
}
