/**
 * The SHA-256 of a text.
 *
 * @sibling
 */
import * as sha256 from "#sha256"

const utf8 = new TextEncoder()

/** Returns the SHA-256 of a text in UTF-8, as lowercase hex. */
export const sha256Of = (text: string): string => {
  const digest = sha256.begin()
  digest.update(utf8.encode(text))
  return digest.hex()
}
