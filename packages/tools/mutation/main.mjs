/**
 * Mutation testing: changes the code in small ways, one at a time, and sees whether a test notices. Fails below 85 %.
 *
 *     node packages/tools/bootstrap.mjs mutation                      all groups, an hour or more
 *     node packages/tools/bootstrap.mjs mutation "rate limit store"       only this group; groups.mjs has their names
 *     node packages/tools/bootstrap.mjs mutation --concurrency=4      with four workers
 *     node packages/tools/bootstrap.mjs mutation --sample=4           every fourth stretch of twelve lines, of all groups in a quarter of the time
 *     node packages/tools/bootstrap.mjs mutation simulator            the simulator instead of the tests: named faults, and 50 mutants
 *         [--located: only looks whether each named fault has its place in the code]
 *         [--seeds 2000] [--seconds 300] [--random 50] [--seed 1] [--workloads calls,exports] [--handwritten] [--only "part of a name"]
 *
 * Survivors are printed line by line; `build/` has a report of each group to look into.
 */
import { Stryker } from "@stryker-mutator/core"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { groups } from "./groups.mjs"
import { optionsFor } from "./options.mjs"
import { stretches } from "./sample.mjs"

const here = path.dirname(fileURLToPath(import.meta.url))
const needed = 85

const options = process.argv.slice(2)
if (options[0] === "simulator") {
  const { run } = await import("./simulator/main.mjs")
  process.exit((await run(options.slice(1))) ? 0 : 1)
}
const numberOf = (name, otherwise) =>
  Number(options.find((option) => option.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise)
const concurrency = numberOf("concurrency", 2)
const sample = numberOf("sample", 1)
const names = options.filter((option) => !option.startsWith("--"))
const unknown = options.filter(
  (option) => !/^--(concurrency|sample)=/.test(option) && !groups.some((group) => group.name === option)
)
if (unknown.length > 0 || !(concurrency >= 1) || !(sample >= 1)) {
  console.error(
    `Usage: mutation [--concurrency=N] [--sample=N] [groups]. The groups are ${groups.map(({ name }) => name).join(", ")}.`
  )
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
