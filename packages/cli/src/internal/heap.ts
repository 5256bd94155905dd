import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"

/**
 * Lets the heap grow by a fifth of what is in use before it is cleared up. An export holds little, however long it is; by Node's own
 * habit three times of that would gather. What it costs is processor time, of which an export that keeps to the limits has plenty.
 */
export const keepSmall = Effect.sync(() => {
  setFlagsFromString("--heap-growing-percent=20")
})
