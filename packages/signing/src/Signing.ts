/**
 * The parts of signers that the transport uses.
 *
 * @sibling
 */

/** The header of the signature. */
export const signatureHeader = "X-BAPI-SIGN"

/** Names of the headers that must not appear in logs and spans. */
export const sensitiveHeaders: ReadonlyArray<string> = ["x-bapi-api-key", "x-bapi-sign"]

/** Returns true if a text can be sent. Half a surrogate pair has no UTF-8 bytes. */
export const isWellFormed = (text: string): boolean => !loneSurrogate.test(text)

const loneSurrogate = /[\uD800-\uDFFF]/u
