/**
 * The rows of an export as they are on a disk, and those that the exchange holds, each by what identifies it. Computed from the
 * exchange's state, not by the library.
 */
import type * as State from "@effect-venue/sandbox/State"
import type * as DateTime from "effect/DateTime"
import type * as ExportJudge from "./ExportJudge.js"
import type * as ExportPlan from "./ExportPlan.js"
import type * as MemoryFiles from "./MemoryFiles.js"

interface Range {
  readonly from: number
  readonly to: number
}

type Row = Readonly<Record<string, unknown>>

const held = (account: State.Account, subject: ExportPlan.Subject, { from, to }: Range): ReadonlyArray<string> => {
  const isIn = (at: DateTime.Utc) => at.epochMillis >= from && at.epochMillis < to
  switch (subject) {
    case "executions linear":
      return account.executions.linear.filter(({ execTime }) => isIn(execTime)).map(({ execId }) => execId)
    case "executions spot":
      return account.executions.spot.filter(({ execTime }) => isIn(execTime)).map(({ execId }) => execId)
    case "closed-pnl linear":
      return account.closedPnl.linear
        .filter(({ createdTime }) => isIn(createdTime))
        .map(({ createdTime, orderId }) => `${orderId} ${createdTime.epochMillis}`)
    case "deposits":
      return account.deposits.filter(({ createTime }) => isIn(createTime)).map(({ transactionId }) => transactionId)
    case "transfers":
      return account.transfers.filter(({ timestamp }) => isIn(timestamp)).map(({ transferId }) => transferId)
  }
}

const said = (row: Row, name: string): string => {
  const value = row[name]
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

const idOf = (subject: ExportPlan.Subject, row: Row): string => {
  switch (subject) {
    case "executions linear":
    case "executions spot":
      return said(row, "execId")
    case "closed-pnl linear":
      return `${said(row, "orderId")} ${said(row, "createdTime")}`
    case "deposits":
      return said(row, "transaction_id")
    case "transfers":
      return said(row, "transferId")
  }
}

interface Manifest {
  readonly parts: ReadonlyArray<{
    readonly name: string
    readonly verdict: string
    readonly files: ReadonlyArray<{ readonly name: string }>
  }>
}

/** The parts of the export in a folder, in the order of its subjects; none without a manifest. */
export const partsOf = (
  state: State.State,
  uid: string,
  disk: MemoryFiles.Disk,
  folder: string,
  { subjects, ...range }: Range & { readonly subjects: ReadonlyArray<ExportPlan.Subject> }
): ReadonlyArray<ExportJudge.Part> => {
  const text = disk.read(`${folder}/manifest.json`)
  if (text === undefined) return []
  // Written by the library: a manifest that is something else fails the run, and is found so.
  const { parts } = JSON.parse(text) as Manifest
  return parts.flatMap(({ files, name, verdict }, index): ReadonlyArray<ExportJudge.Part> => {
    const subject = subjects[index]
    const account = state.accounts.get(uid)
    if (subject === undefined || account === undefined) return []
    const lines = files.flatMap((file) => (disk.read(`${folder}/${file.name}`) ?? "").split("\n"))
    const expected = held(account, subject, range)
    const others = [...state.accounts.values()].filter((other) => other.uid !== uid)
    const own = new Set(expected)
    return [
      {
        name,
        isComplete: verdict === "complete",
        // Rows are objects; those that are not end the run.
        rows: lines.filter((line) => line !== "").map((line) => idOf(subject, JSON.parse(line) as Row)),
        expected,
        foreign: new Set(others.flatMap((other) => held(other, subject, range)).filter((id) => !own.has(id)))
      }
    ]
  })
}
