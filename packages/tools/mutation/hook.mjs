/** Replaces a part of one module when it is read. The file itself is left alone. */
import { writeSync } from "node:fs"
import { fileURLToPath } from "node:url"

let mutant

export const initialize = (data) => {
  mutant = data
}

export const load = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context)
  if (!url.startsWith("file:") || fileURLToPath(url.split("?")[0]) !== mutant.file) return loaded
  const { end, replacement, start } = mutant
  const source = String(loaded.source)
  writeSync(2, "mutated\n")
  return { ...loaded, source: source.slice(0, start) + replacement + source.slice(end) }
}
