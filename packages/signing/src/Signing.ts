/**
 * The parts of signers that the transport uses.
 *
 * @sibling
 */
import { unsafeSigners, type UnsafeSign } from "./unsafeSigners.js"
import type { Signer } from "./Signer.js"

/** Names of the headers that must not appear in logs and spans. */
export const sensitiveHeaders: ReadonlyArray<string> = ["x-bapi-api-key", "x-bapi-sign"]

/** Returns the synchronous form of a signer that `Signer.make` created; `undefined` for any other signer, which can be asynchronous. */
export const unsafeSign = (signer: Signer.Shape): UnsafeSign | undefined => unsafeSigners.get(signer)

/** Returns true if a text can be sent. Half a surrogate pair has no UTF-8 bytes. */
export const isWellFormed = (text: string): boolean => !/[\uD800-\uDFFF]/u.test(text)
