/**
 * Runs the tests, a few long tests, the checks and the program, from a fresh clone with nothing installed. The last line that it prints is
 * `N passed, N failed`, over all tests and checks; the line before names what was not run. `.ci/run` starts it.
 */
// @ts-check
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { acceptRuns } from "./acceptRuns.mjs"

const root = path.resolve(fileURLToPath(import.meta.url), "../../..")
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-ci-"))

let passed = 0
let failed = 0

/**
 * Runs a command within a time limit, prints its output when it ends, and counts what it reports: tests as vitest's JSON reporter does, checks by
 * `passed` and `failed`, and a command without a report as one.
 *
 * @param {string} title
 * @param {number} minutes
 * @param {(report: string) => ReadonlyArray<string>} command
 * @returns {Promise<void>}
 */
const run = (title, minutes, command) =>
  new Promise((resolve) => {
    const started = performance.now()
    const isWindows = process.platform === "win32"
    const file = path.join(scratch, `${title.replaceAll(/\W/g, "-")}.json`)
    const [program = "", ...args] = command(file)
    const child = spawn(program, args, {
      cwd: root,
      detached: !isWindows,
      shell: isWindows,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, CI: "true" }
    })
    let output = ""
    child.stdout.on("data", (chunk) => (output += chunk))
    child.stderr.on("data", (chunk) => (output += chunk))
    const timer = setTimeout(() => {
      output += `\nended after ${minutes} minutes`
      if (isWindows || child.pid === undefined) child.kill("SIGKILL")
      else process.kill(-child.pid, "SIGKILL")
    }, minutes * 60_000)
    child.on("error", (error) => (output += error.message))
    child.on("close", (code) => {
      clearTimeout(timer)
      const counts = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : { passed: code === 0 ? 1 : 0 }
      const failures = counts.numFailedTests ?? counts.failed ?? 0
      passed += counts.numPassedTests ?? counts.passed
      // A failure that no count contains is one.
      failed += code !== 0 && failures === 0 ? 1 : failures
      const clock = ((performance.now() - started) / 60_000).toFixed(1)
      console.log(`\n== ${title}\n${output.trim()}\n== ${title}: ${code === 0 ? "ok" : "FAILED"}, ${clock} minutes`)
      resolve()
    })
  })

/** @type {(script: string, ...names: ReadonlyArray<string>) => Promise<void>} */
const tests = (script, ...names) =>
  run(script, 30, (file) => [
    ...["npm", "run", script, "--", ...names, "--reporter=dot", "--reporter=json", `--outputFile.json=${file}`]
  ])

await tests("test")
await tests("test:long")
await run("check", 50, (file) => ["npm", "run", "check", "--", `--report=${file}`])
await run("start", 10, () => ["npm", "start"])

fs.rmSync(scratch, { recursive: true, force: true })
console.log(`\nNot run: npm run accept -- ${Object.keys(acceptRuns).join(" ")}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
