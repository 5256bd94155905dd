import { execFile } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import type * as Workload from "../../src/run/Workload.js"
import { workloads } from "../../src/workloads/Workloads.js"
import { turn } from "./runs.js"

/** The hashes of the runs of some seeds, in an order that does not depend on that of the seeds. */
export const hashes = async (
  seeds: ReadonlyArray<number>,
  of: ReadonlyArray<Workload.Workload> = Object.values(workloads)
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const workload of of) {
    for (const seed of seeds) {
      found.push(`${workload.name} ${seed} ${workload.run(seed).hash}`)
      await turn()
    }
  }
  return found.sort()
}

/** The same in another process. */
export const hashesElsewhere = async (seeds: ReadonlyArray<number>): Promise<unknown> => {
  const script = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "hashes.ts")
  const loader = pathToFileURL(path.resolve(path.dirname(script), "../../node_modules/tsx/dist/loader.mjs")).href
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", loader, script, ...seeds.map(String)], {
    maxBuffer: 1 << 26
  })
  return JSON.parse(stdout)
}
