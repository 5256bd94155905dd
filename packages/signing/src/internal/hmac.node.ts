import { createHmac, hash } from "node:crypto"

/** How many secrets are kept prepared: more accounts than this are no error, only slower. */
const remembered = 1024

/** Of SHA-256, in bytes. */
const block = 64
const digest = 32

/** What the two hashes of an HMAC begin with, the outer one with room for what the inner one gives. */
interface Prepared {
  readonly inner: Buffer
  readonly outer: Buffer
}

const prepared = (secret: string): Prepared => {
  const bytes = Buffer.from(secret, "utf8")
  const key = Buffer.alloc(block)
  if (bytes.length > block) key.write(hash("sha256", bytes, "hex"), "hex")
  else bytes.copy(key)
  const outer = Buffer.alloc(block + digest)
  for (let index = 0; index < block; index++) outer[index] = key.readUInt8(index) ^ 0x5c
  return { inner: key.map((byte) => byte ^ 0x36) as Buffer, outer } // of a Buffer it is one
}

/** With the two hashes that an HMAC is (RFC 2104), each in one call. That is half of the work that an `Hmac` object makes. */
const direct = () => {
  // What is in here is as good as the secrets themselves: it stays in this closure, which nothing prints.
  const known = new Map<string, Prepared>()

  const prepare = (secret: string): Prepared => {
    const found = known.get(secret)
    if (found !== undefined) return found
    if (known.size === remembered) known.clear()
    const made = prepared(secret)
    known.set(secret, made)
    return made
  }

  let scratch = Buffer.alloc(1024)

  return {
    // One scratch for all calls will do: each is over before the next begins.
    sha256Hex: (secret: string, text: string): string => {
      const { inner, outer } = prepare(secret)
      // A character of a text is three bytes at most.
      if (scratch.length < block + 3 * text.length) scratch = Buffer.alloc(2 * (block + 3 * text.length))
      scratch.set(inner)
      const end = block + scratch.write(text, block, "utf8")
      outer.write(hash("sha256", scratch.subarray(0, end), "hex"), block, "hex")
      return hash("sha256", outer, "hex")
    }
  }
}

/** With an `Hmac` object a call. */
export const withObjects = () => ({
  sha256Hex: (secret: string, text: string): string => createHmac("sha256", secret).update(text, "utf8").digest("hex")
})

/** With `node:crypto`, whose hash in one call came with Node 20.12. */
export const make = () => (typeof hash === "function" ? direct() : withObjects())
