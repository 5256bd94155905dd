import { formatDuration } from "@effect-venue/schemas/siblings/Words"
import type * as Pages from "@effect-venue/transport/siblings/Pages"
import * as Brand from "effect/Brand"
import type * as Manifest from "../model/Manifest.js"
import type * as Dataset from "../model/Dataset.js"

/** Why rows are missing. Only `reasons` contains such texts, so that every reason stands here. */
export type MissingReason = string & Brand.Brand<"MissingReason">

const reason = Brand.nominal<MissingReason>()

/** A problem of the list that is read by pages. */
type ListProblem = Pages.Kind | "changingList"

const listProblems: Readonly<Record<ListProblem, MissingReason>> = {
  unreadableAnswer: reason("an answer could not be read"),
  missingCursor: reason("a page did not say whether another one follows"),
  repeatedCursor: reason("a page pointed back to one that was given before"),
  repeatedPage: reason("a page repeated an earlier one instead of continuing"),
  emptyPages: reason("pages without rows followed each other without end"),
  endlessList: reason("pages followed each other without end"),
  changingList: reason("the list changed while it was read, in every reading")
}

/** Every reason. */
export const reasons = {
  ofList: (problem: ListProblem) => listProblems[problem],
  failed: ({ message }: { readonly message: string }) => reason(message),
  outsideRows: reason("the answers have rows that lie outside of what was requested"),
  noServiceTime: reason("no answer states the time of the service, so that the window may not have passed"),
  future: reason("it was in the future when it was read"),
  forgotten: (reach: number) => reason(`the service remembers ${formatDuration(reach)}`),
  dense: (limit: number) => reason(`${limit} rows at once, and the service gives no more`),
  filedElsewhere: (filedBy: string) =>
    reason(`the service files these records by ${filedBy}: some of here may be in other windows`),
  undecoded: (rows: number) => reason(`${rows} rows could not be decoded`)
}

/** A range that the next run reads again. */
export const openGap = ({ from, to }: Dataset.Window, because: MissingReason): Manifest.Missing => ({
  from,
  to,
  because,
  lost: false
})

/** A range that no later reading can fill. */
export const lostGap = (range: Dataset.Window, because: MissingReason): Manifest.Missing => ({
  ...openGap(range, because),
  lost: true
})

export const missingOf = (
  window: Dataset.Window,
  problem: { readonly kind: ListProblem } | undefined
): ReadonlyArray<Manifest.Missing> => (problem === undefined ? [] : [openGap(window, reasons.ofList(problem.kind))])
