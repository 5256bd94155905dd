import { createHash } from "node:crypto"

/** A digest in the making. */
export interface Digest {
  readonly update: (bytes: Uint8Array) => void
  readonly hex: () => string
}

export const begin = (): Digest => {
  const hash = createHash("sha256")
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    hex: () => hash.digest("hex")
  }
}
