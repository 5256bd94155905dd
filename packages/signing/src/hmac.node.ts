import { createHmac } from "node:crypto"

export const make = () => ({
  sha256Hex: (secret: string, text: string): string => createHmac("sha256", secret).update(text, "utf8").digest("hex")
})
