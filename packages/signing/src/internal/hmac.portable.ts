import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"

const utf8 = new TextEncoder()

/** How many secrets are kept prepared: more accounts than this are no error, only slower. */
const remembered = 1024

/** In plain JavaScript. A secret that is used again need not be hashed again, which halves the work on a short text. */
export const make = () => {
  // What is in here is as good as the secrets themselves: it stays in this closure, which nothing prints.
  const prepared = new Map<string, ReturnType<typeof hmac.create>>()
  const scratch = hmac.create(sha256, new Uint8Array())

  const prepare = (secret: string) => {
    const known = prepared.get(secret)
    if (known !== undefined) return known
    if (prepared.size === remembered) prepared.clear()
    const keyed = hmac.create(sha256, utf8.encode(secret))
    prepared.set(secret, keyed)
    return keyed
  }

  return {
    // One scratch for all calls will do: each sets all of it, and is over before the next begins.
    sha256Hex: (secret: string, text: string): string =>
      bytesToHex(prepare(secret)._cloneInto(scratch).update(utf8.encode(text)).digest())
  }
}
