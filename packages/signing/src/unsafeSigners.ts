import type * as Context from "effect/Context"
import type { Signed, Signer, Unsigned } from "./Signer.js"

/** Signs with the references of a call. */
export type UnsafeSign = (request: Unsigned, references: Context.Context<never>) => Signed

export const unsafeSigners = new WeakMap<Signer.Shape, UnsafeSign>()
