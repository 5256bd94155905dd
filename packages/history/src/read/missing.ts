import type * as Pages from "@effect-venue/transport/siblings/Pages"
import type * as Manifest from "../model/Manifest.js"
import type * as Dataset from "../model/Dataset.js"

/** Why a window can lack rows, or have wrong ones. */
export type MissingReason = Pages.Kind | "changingList" | "outsideRows" | "conflictingRows"

export const reasons: Readonly<Record<MissingReason, string>> = {
  unreadableAnswer: "an answer could not be read",
  missingCursor: "a page did not say whether another one follows",
  repeatedCursor: "a page pointed back to one that was given before",
  repeatedPage: "a page repeated an earlier one instead of continuing",
  emptyPages: "pages without rows followed each other without end",
  endlessList: "pages followed each other without end",
  changingList: "the list changed while it was read, in every reading",
  outsideRows: "the answers have rows that lie outside of what was requested",
  conflictingRows: "records of one id differ"
}

export const clockIsUnknown = "no answer states the time of the service, so that the window may not have passed"

export const missingOf = (
  window: Dataset.Window,
  problem: { readonly kind: MissingReason } | undefined
): ReadonlyArray<Manifest.Missing> => (problem === undefined ? [] : [{ ...window, because: reasons[problem.kind] }])
