import type * as Pages from "@effect-venue/transport/siblings/Pages"
import type * as Manifest from "../model/Manifest.js"
import type * as Dataset from "../model/Dataset.js"

/** Why a window can lack rows. */
export type MissingReason = Pages.Kind | "changingList" | "outsideRows"

export const reasons: Readonly<Record<MissingReason, string>> = {
  unreadableAnswer: "an answer could not be read",
  missingCursor: "a page did not say whether another one follows",
  repeatedCursor: "a page pointed back to one that was given before",
  repeatedPage: "a page repeated an earlier one instead of continuing",
  emptyPages: "pages without rows followed each other without end",
  endlessList: "pages followed each other without end",
  changingList: "the list changed while it was read, in every reading",
  outsideRows: "the answers have rows that lie outside of what was requested"
}

export const clockIsUnknown = "no answer states the time of the service, so that the window may not have passed"

/** A range that the next run reads again. */
export const openGap = ({ from, to }: Dataset.Window, because: string): Manifest.Missing => ({
  from,
  to,
  because,
  lost: false
})

/** A range that no later reading can fill. */
export const lostGap = (range: Dataset.Window, because: string): Manifest.Missing => ({
  ...openGap(range, because),
  lost: true
})

export const missingOf = (
  window: Dataset.Window,
  problem: { readonly kind: MissingReason } | undefined
): ReadonlyArray<Manifest.Missing> => (problem === undefined ? [] : [openGap(window, reasons[problem.kind])])
