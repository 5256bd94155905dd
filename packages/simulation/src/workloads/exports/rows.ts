/** The rows of an export on a disk, and those of the exchange, each by its identity. Computed from the exchange's state, not by the library. */
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import type * as DateTime from "effect/DateTime"
import type * as Files from "../../world/Files.js"
import type * as Journal from "../../world/Journal.js"
import type * as Plan from "./Plan.js"

interface Range {
  readonly from: number
  readonly to: number
}

type UnknownRow = Readonly<Record<string, unknown>>

const rowsOf = (account: Exchange.Account, subject: Plan.Subject, { from, to }: Range): ReadonlyArray<string> => {
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

const textOf = (row: UnknownRow, name: string): string => {
  const value = row[name]
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

const idOf = (subject: Plan.Subject, row: UnknownRow): string => {
  switch (subject) {
    case "executions linear":
    case "executions spot":
      return textOf(row, "execId")
    case "closed-pnl linear":
      return `${textOf(row, "orderId")} ${textOf(row, "createdTime")}`
    case "deposits":
      return textOf(row, "transaction_id")
    case "transfers":
      return textOf(row, "transferId")
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
  account: Exchange.Account,
  disk: Files.Disk,
  folder: string,
  { subjects, ...range }: Range & { readonly subjects: ReadonlyArray<Plan.Subject> }
): ReadonlyArray<Omit<Journal.Of<"Exported">, "_tag" | "at" | "seq">> => {
  const text = disk.read(`${folder}/manifest.json`)
  if (text === undefined) return []
  // Written by the library: a manifest that is something else fails the run, and is found so.
  const { parts } = JSON.parse(text) as Manifest
  return parts.flatMap(({ files, name, verdict }, index) => {
    const subject = subjects[index]
    if (subject === undefined) return []
    const lines = files.flatMap((file) => (disk.read(`${folder}/${file.name}`) ?? "").split("\n"))
    // Rows are objects; those that are not end the run.
    const rows = lines.filter((line) => line !== "").map((line) => idOf(subject, JSON.parse(line) as UnknownRow))
    return [{ call: name, isComplete: verdict === "complete", rows, expected: rowsOf(account, subject, range) }]
  })
}
