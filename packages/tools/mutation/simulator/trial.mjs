import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const here = path.dirname(fileURLToPath(import.meta.url))
export const packages = path.resolve(here, "../../..")
const loader = path.join(packages, "simulation/node_modules/tsx/dist/loader.mjs")

/** A seed takes less than a second. One that takes as long as this does not end. */
const longestSeed = 120_000

/**
 * Runs seeds with a mutant, or without one, in a process of its own. Gives the first violation, if there is one, and how many seeds were
 * run. Fails when the mutated module was never read.
 */
export const trial = (mutant, { seconds, seeds, workloads }) =>
  new Promise((resolve, reject) => {
    const preloads = [path.join(here, "preload.mjs"), loader].flatMap((file) => ["--import", pathToFileURL(file).href])
    const child = spawn(
      process.execPath,
      [...preloads, path.join(here, "child.mjs"), workloads.join(","), String(seeds), String(seconds)],
      { env: { ...process.env, ...(mutant === undefined ? {} : { MUTANT: JSON.stringify(mutant) }) } }
    )
    let [out, errors] = ["", ""]
    let timer
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => child.kill("SIGKILL"), longestSeed)
    }
    wait()
    child.stdout.on("data", (chunk) => {
      out += chunk
      wait()
    })
    child.stderr.on("data", (chunk) => (errors += chunk))
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (mutant !== undefined && !errors.includes("mutated\n")) {
        return reject(new Error(`${mutant.file} was not read: ${errors.slice(0, 2000)}`))
      }
      const last = JSON.parse(out.trim().split("\n").at(-1) || "{}")
      if (last.seeds !== undefined) return resolve(last)
      const rule =
        signal === null ? `ends with ${code}: ${/\w*Error.*/.exec(errors)?.[0].slice(0, 80) ?? ""}` : "never ends"
      resolve({ found: { seed: last.seed ?? 0, rule }, seeds: last.seed ?? 0 })
    })
  })
