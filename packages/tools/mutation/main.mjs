/**
 * Mutation testing: changes the code in small ways, one at a time, and sees whether a test notices. Fails below 85 %.
 *
 *     npm run mutation                                 all groups, an hour or more
 *     npm run mutation -- "rate limit store"           only this group; `-- --list` prints their names
 *     npm run mutation -- --concurrency=4              with four workers
 *     npm run mutation -- --sample=4                   every fourth stretch of twelve lines, of all groups in a quarter of the time
 *     npm run mutation -- simulator                    the simulator instead of the tests, with named faults
 *     npm run mutation -- simulator --handwritten      hand-written faults in all workloads; `--help` prints the options
 *
 * Survivors are printed line by line; `build/` has a report of each group to look into.
 */
import { Stryker } from "@stryker-mutator/core"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { readArguments } from "../readArguments.mjs"
import { groups } from "./groups.mjs"
import { optionsFor } from "./options.mjs"
import { stretches } from "./sample.mjs"

const here = path.dirname(fileURLToPath(import.meta.url))
const needed = 85

const args = process.argv.slice(2)
if (args[0] === "simulator") {
  const { run } = await import("./simulator/main.mjs")
  process.exit((await run(args.slice(1))) ? 0 : 1)
}
const { names, values } = readArguments(args, {
  command: "npm run mutation",
  options: { concurrency: "N", sample: "N" },
  names: [
    ...groups.map(({ mutate, name, package: of }) => [name, `${of}: ${mutate.join(" ")}`]),
    ["simulator", "the simulator instead of the tests; has its own options: mutation simulator --help"]
  ]
})
const [concurrency, sample] = [Number(values.concurrency ?? 2), Number(values.sample ?? 1)]
if (names.includes("simulator") || !(concurrency >= 1) || !(sample >= 1)) {
  console.error("--concurrency and --sample are at least 1, and `simulator` is the first argument.")
  process.exit(2)
}

const gone = groups.flatMap((group) =>
  group.mutate.map((file) => path.join(here, "../..", group.package, file)).filter((file) => !fs.existsSync(file))
)
if (gone.length > 0) {
  console.error(`groups.mjs names files that are not there: ${gone.join(", ")}`)
  process.exit(2)
}

/** The statuses of mutants; `Ignored` ones are not counted. */
const count = (mutants) => {
  const of = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const [killed, timedOut, survived] = [of("Killed"), of("Timeout"), of("Survived", "NoCoverage")]
  const all = killed + timedOut + survived
  return {
    all,
    killed,
    timedOut,
    survived,
    ignored: of("Ignored"),
    score: all === 0 ? 100 : (100 * (killed + timedOut)) / all
  }
}

const rows = []
const everything = []
for (const group of names.length === 0 ? groups : groups.filter(({ name }) => names.includes(name))) {
  const started = performance.now()
  process.chdir(path.join(here, "../..", group.package))
  // Read by vitest.config.mjs, in processes of their own.
  process.env.MUTATION_TESTS = group.tests.join(",")
  const mutants = await new Stryker(
    optionsFor({ ...group, mutate: stretches(group.mutate, sample) }, concurrency)
  ).runMutationTest()
  for (const { fileName, location, mutatorName, replacement, status } of mutants) {
    if (status !== "Survived" && status !== "NoCoverage") continue
    const where = `${path.relative(path.join(here, "../../.."), fileName)}:${location.start.line}:${location.start.column}`
    console.log(`survived  ${where} ${mutatorName}: ${replacement?.replaceAll(/\s+/g, " ").slice(0, 100) ?? ""}`)
  }
  everything.push(...mutants)
  rows.push({ name: group.name, ...count(mutants), seconds: (performance.now() - started) / 1000 })
}

const total = { name: "all", ...count(everything), seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0) }
for (const { all, ignored, killed, name, score, seconds, survived, timedOut } of [...rows, total]) {
  console.log(
    `${name.padEnd(24)} ${score.toFixed(1).padStart(5)} %  ${all} mutants: ${killed} killed, ${timedOut} timed out, ` +
      `${survived} survived; ${ignored} ignored; ${seconds.toFixed(0)} s`
  )
}
if (total.score < needed) {
  console.error(`At least ${needed} % are needed.`)
  process.exitCode = 1
}
