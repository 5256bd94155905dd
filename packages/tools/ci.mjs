/**
 * What a submission must pass, from a fresh clone with nothing installed: the tests, the checks, and one run of the
 * program. The last line printed is `N passed, N failed`, over all tests and steps. Started by `.ci/run`.
 */
// @ts-check
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.resolve(fileURLToPath(import.meta.url), "../../..")
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-ci-"))

/** @typedef {{ readonly passed: number, readonly failed: number }} Counts */

/**
 * Runs a command within its minutes. Its output is printed as one piece when it ends, so that commands can run side by side.
 *
 * @param {string} title
 * @param {number} minutes
 * @param {string} command
 * @param {ReadonlyArray<string>} args
 * @returns {Promise<boolean>}
 */
const run = (title, minutes, command, ...args) =>
  new Promise((resolve) => {
    const started = performance.now()
    const windows = process.platform === "win32"
    const child = spawn(command, args, {
      cwd: root,
      detached: !windows,
      shell: windows,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, CI: "true" }
    })
    let output = `\n== ${title}: ${[command, ...args.filter((arg) => !arg.includes(scratch))].join(" ")}\n`
    child.stdout.on("data", (chunk) => (output += chunk))
    child.stderr.on("data", (chunk) => (output += chunk))
    const timer = setTimeout(() => {
      output += `${title}: still running after ${minutes} minutes, ended\n`
      if (windows || child.pid === undefined) child.kill("SIGKILL")
      else process.kill(-child.pid, "SIGKILL")
    }, minutes * 60_000)
    /** @param {boolean} ok */
    const done = (ok) => {
      clearTimeout(timer)
      const minutes = ((performance.now() - started) / 60_000).toFixed(1)
      console.log(`${output.trimEnd()}\n== ${title}: ${ok ? "ok" : "FAILED"}, ${minutes} minutes`)
      resolve(ok)
    }
    child.on("error", (error) => {
      output += error.message
      done(false)
    })
    child.on("close", (code) => done(code === 0))
  })

/**
 * @param {string} file
 * @returns {unknown}
 */
const read = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined)

let passed = 0
let failed = 0
/**
 * @param {boolean} ok
 * @param {Counts} [more]
 */
const count = (ok, more) => {
  passed += more?.passed ?? 0
  failed += more?.failed ?? 0
  // A failure without a count of failed tests is a failure all the same; a step without counts is one.
  if (!ok && (more?.failed ?? 0) === 0) failed += 1
  if (ok && more === undefined) passed += 1
}

/**
 * One tier of the tests.
 *
 * @param {string} script
 * @param {number} minutes
 */
const tests = async (script, minutes) => {
  const file = path.join(scratch, `${script.replace(":", "-")}.json`)
  const reporters = ["--reporter=./packages/tools/src/TestReporter.ts", "--reporter=json", `--outputFile.json=${file}`]
  const ok = await run(
    script,
    minutes,
    "npm",
    ...(script === "test" ? [] : ["run"]),
    script,
    "--",
    "--silent=passed-only",
    ...reporters
  )
  // As vitest's JSON reporter writes it, unless the tests did not come so far.
  const results = /** @type {{ readonly numPassedTests: number, readonly numFailedTests: number } | undefined} */ (
    read(file)
  )
  count(ok, { passed: results?.numPassedTests ?? 0, failed: results?.numFailedTests ?? 0 })
}

const checks = async () => {
  const { packageManager } = /** @type {{ readonly packageManager: string }} */ (read(path.join(root, "package.json")))
  const [pinned = packageManager] = packageManager.split("+")
  const file = path.join(scratch, "checks.json")
  const ok = await run("checks", 50, "npx", "--yes", pinned, "check", `--report=${file}`)
  count(ok, /** @type {Counts | undefined} */ (read(file)) ?? { passed: 0, failed: 0 })
}

// The tests use every core. The long ones mostly wait for processes and clocks: the checks run beside them, once they have installed
// what they need.
await tests("test", 30)
if (!(await run("installation", 10, "node", path.join("packages", "tools", "bootstrap.mjs"), "install", "check")))
  failed += 1
await Promise.all([tests("test:long", 50), checks()])

// As a newcomer starts it, into its default folder.
if (fs.existsSync(path.join(root, "packages", "cli", "src", "bin.ts"))) count(await run("start", 10, "npm", "start"))
else console.log("\n== start: not yet, there is no command")

fs.rmSync(scratch, { recursive: true, force: true })
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
