/**
 * Everything that must hold besides the tests. Every step runs even if another fails; all of them run side by side, as far as they do
 * not need each other.
 *
 *     node packages/tools/bootstrap.mjs check                     all steps, a line each, the output of those that fail
 *     node packages/tools/bootstrap.mjs check lint imports        only these, with their output at once
 *     node packages/tools/bootstrap.mjs check format --fix        what can be repaired is
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { fileURLToPath } from "node:url"
import { schedule } from "./check/schedule.js"
import { steps } from "./check/steps.js"
import type { Step } from "./check/steps.js"
import { root } from "./repository.js"

/** The steps that take longest, the longest last. */
const longest = ["typetests", "rules", "site", "docs", "lint", "contributing", "packages"]

/** The minutes after which a step is ended. */
const minutesAllowed = 45

interface Options {
  /** Whether what can be repaired is. */
  readonly fix: boolean
  /** Whether output is shown at once. It is else shown of steps that fail, when they end. */
  readonly stream: boolean
}

interface Result {
  readonly ok: boolean
  readonly seconds: number
  readonly output: string
}

const argumentsOf = ({ fix, report = [], run }: Step, isFixing: boolean): ReadonlyArray<string> => [
  ...run,
  ...(isFixing && fix !== undefined ? fix : report)
]

const run = (step: Step, { fix, stream }: Options): Promise<Result> =>
  new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(process.execPath, argumentsOf(step, fix), {
      cwd: root,
      stdio: stream ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
      env: stream ? process.env : { ...process.env, NO_COLOR: "1" },
      timeout: minutesAllowed * 60_000,
      killSignal: "SIGKILL"
    })
    let output = ""
    child.stdout?.on("data", (chunk) => (output += String(chunk)))
    child.stderr?.on("data", (chunk) => (output += String(chunk)))
    child.on("error", (error) => (output += error.message))
    child.on("close", (code, signal) => {
      if (signal !== null) output += `\nended by ${signal} (${minutesAllowed} minutes are allowed)`
      resolve({ ok: code === 0, seconds: (performance.now() - started) / 1000, output })
    })
  })

const stepOf = (name: string): Step => {
  const step = steps[name]
  if (step === undefined) throw new Error(`there is no step ${name}`)
  return step
}

/** Runs a step and prints how it ended. Returns whether it passed. */
const check = async (name: string, options: Options): Promise<boolean> => {
  const { ok, output, seconds } = await run(stepOf(name), options)
  console.log(`${ok ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds.toFixed(1)} s`)
  if (!ok && output !== "") console.log(output.trim().replaceAll(/^/gm, "    "))
  return ok
}

/** Runs the steps one after the other. */
const checkInOrder = async (names: ReadonlyArray<string>, options: Options): Promise<ReadonlyArray<boolean>> => {
  const results: Array<boolean> = []
  for (const name of names) results.push(await check(name, options))
  return results
}

/** Runs all steps, the longest first, as many at a time as there are cores; one at a time where they write to the same files. */
const checkAll = (options: Options): Promise<ReadonlyArray<boolean>> =>
  schedule(
    Object.entries(steps)
      .map(([name, { after = ["types"] }]) => ({ name, after }))
      .sort((a, b) => longest.indexOf(b.name) - longest.indexOf(a.name)),
    options.fix ? 1 : Math.max(2, os.availableParallelism()),
    (name) => check(name, options)
  )

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const names = args.filter((arg) => !arg.startsWith("--"))
  const unknown = names.filter((name) => !Object.hasOwn(steps, name))
  if (unknown.length > 0) {
    console.error(`There is no step ${unknown.join(", ")}: ${Object.keys(steps).join(", ")}.`)
    return 2
  }
  const fix = args.includes("--fix")
  const results = await (names.length > 0
    ? checkInOrder(names, { fix, stream: true })
    : checkAll({ fix, stream: false }))
  const passed = results.filter((ok) => ok).length
  const failed = results.length - passed
  console.log(`checks: ${passed} ok, ${failed} failed`)
  const report = args.find((arg) => arg.startsWith("--report="))?.slice("--report=".length)
  if (report !== undefined) fs.writeFileSync(report, JSON.stringify({ passed, failed }))
  return failed === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2))
