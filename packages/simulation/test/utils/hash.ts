import { execFileSync } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { worlds } from "../../src/worlds.js"

/** The hashes of the runs of the seeds from 0 on, of every world. */
export const hashes = (seeds: number): ReadonlyArray<string> =>
  Object.values(worlds).flatMap((world) =>
    Array.from({ length: seeds }, (_, seed) => `${world.name} ${world.run(seed, { isAnywhere: false }).hash}`)
  )

/** The same in a process of its own. */
export const hashesElsewhere = (seeds: number): unknown => {
  const script = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "hashes.ts")
  const loader = pathToFileURL(path.resolve(path.dirname(script), "../../node_modules/tsx/dist/loader.mjs")).href
  return JSON.parse(
    execFileSync(process.execPath, ["--import", loader, script, String(seeds)], {
      encoding: "utf8",
      maxBuffer: 1 << 26
    })
  )
}
