import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import type { Digest } from "./sha256.node.js"

export const begin = (): Digest => {
  const hash = sha256.create()
  return {
    update: (bytes) => {
      hash.update(bytes)
    },
    hex: () => bytesToHex(hash.digest())
  }
}
