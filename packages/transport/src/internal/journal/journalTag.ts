import * as Context from "effect/Context"
import type { WriteJournal } from "../../WriteJournal.js"

/** The tag by its key, because its module has code that applications without a journal do not need. */
export const tag = /* @__PURE__ */ Context.GenericTag<WriteJournal, WriteJournal.Shape>(
  "@effect-venue/transport/WriteJournal"
)
