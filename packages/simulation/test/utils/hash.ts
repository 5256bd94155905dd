import { execFile } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { worlds } from "../../src/worlds.js"
import { turn } from "./runs.js"

/** The hashes of the runs of the seeds from 0 on, of every world. */
export const hashes = async (seeds: number): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const world of Object.values(worlds)) {
    for (let seed = 0; seed < seeds; seed++) {
      found.push(`${world.name} ${world.run(seed, { isAnywhere: false }).hash}`)
      await turn()
    }
  }
  return found
}

/** The same in a process of its own. */
export const hashesElsewhere = async (seeds: number): Promise<unknown> => {
  const script = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "hashes.ts")
  const loader = pathToFileURL(path.resolve(path.dirname(script), "../../node_modules/tsx/dist/loader.mjs")).href
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", loader, script, String(seeds)], {
    maxBuffer: 1 << 26
  })
  return JSON.parse(stdout)
}
