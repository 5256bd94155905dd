import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"

const utf8 = new TextEncoder()

export const make = () => ({
  sha256Hex: (secret: string, text: string): string => bytesToHex(hmac(sha256, utf8.encode(secret), utf8.encode(text)))
})
