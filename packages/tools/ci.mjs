/**
 * What a submission must pass, from a fresh clone with nothing installed: the tests, the checks, and one run of the
 * program. The last line printed is `N passed, N failed`, over all tests and steps. Started by `.ci/run`.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.resolve(fileURLToPath(import.meta.url), "../../..")
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-ci-"))

/** Runs a command with its output as it comes, within its minutes. */
const run = (title, minutes, command, ...args) =>
  new Promise((resolve) => {
    console.log(`\n== ${title}: ${[command, ...args.filter((arg) => !arg.includes(scratch))].join(" ")}`)
    const windows = process.platform === "win32"
    const child = spawn(command, args, {
      cwd: root,
      detached: !windows,
      shell: windows,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, CI: "true" }
    })
    const timer = setTimeout(() => {
      console.log(`${title}: still running after ${minutes} minutes, ended`)
      if (windows) child.kill("SIGKILL")
      else process.kill(-child.pid, "SIGKILL")
    }, minutes * 60_000)
    const done = (ok) => {
      clearTimeout(timer)
      console.log(`== ${title}: ${ok ? "ok" : "FAILED"}`)
      resolve(ok)
    }
    child.on("error", (error) => {
      console.log(error.message)
      done(false)
    })
    child.on("exit", (code) => done(code === 0))
  })

const read = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined)

let passed = 0
let failed = 0
const count = (ok, more) => {
  passed += more?.passed ?? 0
  failed += more?.failed ?? 0
  // A failure that no count tells of is a failure all the same; a step without counts is one.
  if (!ok && (more?.failed ?? 0) === 0) failed += 1
  if (ok && more === undefined) passed += 1
}

const tests = path.join(scratch, "tests.json")
const testsOk = await run(
  "tests",
  40,
  "npm",
  "test",
  "--",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${tests}`
)
const results = read(tests)
count(testsOk, { passed: results?.numPassedTests ?? 0, failed: results?.numFailedTests ?? 0 })

const pinned = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")).packageManager.split("+")[0]
const checks = path.join(scratch, "checks.json")
const checksOk = await run("checks", 35, "npx", "--yes", pinned, "check", `--report=${checks}`)
count(checksOk, read(checks) ?? { passed: 0, failed: 0 })

// As a newcomer starts it, into its default folder.
if (fs.existsSync(path.join(root, "packages", "cli", "src", "bin.ts"))) count(await run("start", 10, "npm", "start"))
else console.log("\n== start: not yet, there is no command")

fs.rmSync(scratch, { recursive: true, force: true })
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
