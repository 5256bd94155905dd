import * as Context from "effect/Context"
import type { Guard } from "../../Guard.js"

/** The tag by its key, because its module has code that applications without a guard do not need. */
export const tag = /* @__PURE__ */ Context.GenericTag<Guard, Guard.Shape>("@effect-venue/transport/Guard")
