/**
 * Everything that must hold besides the tests. Every step runs even if another fails; all of them run side by side, as far as they do
 * not need each other.
 *
 *     node packages/tools/check.mjs                     all steps, a line each, the output of those that fail
 *     node packages/tools/check.mjs lint imports        only these, with their output at once
 *     node packages/tools/check.mjs format --fix        what can be repaired is
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const tools = path.resolve(fileURLToPath(import.meta.url), "..")
const root = path.resolve(tools, "../..")

const minutesAllowed = 15

const bin = (name, file) => path.join(tools, "node_modules", name, file)

// Listed here, because depcruise would look for a pattern's matches all through `node_modules`.
const modules = fs
  .readdirSync(path.join(root, "packages"))
  .flatMap((name) => [`packages/${name}/src`, `packages/${name}/test`])
  .filter((folder) => !folder.startsWith("packages/tools/") && fs.existsSync(path.join(root, folder)))

const tsx = pathToFileURL(path.join(tools, "node_modules", "tsx", "dist", "loader.mjs")).href

/** Each step is a script and its arguments; `fix` are those that repair instead of reporting. */
const steps = {
  types: { run: [bin("typescript", "bin/tsc"), "-b", "packages/tsconfig.json"] },
  lint: {
    run: [bin("eslint", "bin/eslint.js"), "--config", "packages/tools/eslint.config.mjs", "--max-warnings", "0", "."],
    fix: ["--fix"]
  },
  citations: { run: ["--import", tsx, path.join(tools, "src", "citations.ts")] },
  // Since which version an export is there, and its category.
  tags: { run: ["--import", tsx, path.join(tools, "src", "docTags.ts")] },
  words: { run: ["--import", tsx, path.join(tools, "src", "words.ts")], fix: ["--write"] },
  imports: {
    run: [bin("dependency-cruiser", "bin/dependency-cruise.mjs"), "--config", ".dependency-cruiser.cjs", ...modules]
  },
  format: {
    run: [bin("prettier", "bin/prettier.cjs"), "--log-level", "warn", "."],
    tell: ["--check"],
    fix: ["--write"]
  },
  codegen: { run: ["--import", tsx, path.join(tools, "src", "codegen.ts")], tell: ["--check"], fix: [] },
  manifests: { run: ["--import", tsx, path.join(tools, "src", "manifests.ts")], tell: ["--check"], fix: [] },
  api: { run: ["--import", tsx, path.join(tools, "src", "api.ts")], tell: ["--check"], fix: [] },
  reference: { run: ["--import", tsx, path.join(tools, "src/reference/rules.ts")], tell: ["--check"], fix: [] },
  sentences: { run: ["--import", tsx, path.join(tools, "src", "sentences.ts")], fix: ["--write"] },
  operations: { run: ["--import", tsx, path.join(tools, "src/reference/operations.ts")], tell: ["--check"], fix: [] },
  // The saved measurements as docs/performance.md draws them.
  results: { run: ["--import", tsx, "packages/bench/src/draw.ts"], tell: ["--check"], fix: [] },
  // The page of what other clients do, from the cases that their tests run.
  clients: { run: ["--import", tsx, "packages/clients/src/page.ts"], tell: ["--check"], fix: [] },
  docs: { run: ["--import", tsx, path.join(tools, "src", "docs.ts")] },
  unused: { run: [bin("knip", "bin/knip.js"), "--config", "packages/tools/knip.jsonc"] },
  sizes: { run: ["--import", tsx, path.join(tools, "src", "sizes.ts")] },
  typetests: { run: [bin("tstyche", "build/bin.js"), "--config", "packages/tools/tstyche.json"] },
  // It installs the packages a dozen times.
  packages: { run: ["--import", tsx, path.join(tools, "src", "packages.ts")], minutes: 30 },
  installs: { run: ["--import", tsx, path.join(tools, "src", "installLines.ts")], tell: ["--check"], fix: [] },
  editor: {
    run: [...["--import", tsx], ...["--test", "--test-reporter", "spec", path.join(tools, "test", "editor.test.mjs")]]
  },
  // Adds an operation to a copy of the repository as docs/contributing.md says.
  contributing: {
    run: [
      ...["--import", tsx],
      ...["--test", "--test-reporter", "spec", path.join(tools, "test", "newOperation.test.ts")]
    ]
  },
  site: { run: ["--import", tsx, path.join(tools, "src", "site.ts")] },
  // What people look at, in a browser; the site is the one that the step before built.
  browser: { run: ["--import", tsx, path.join(tools, "src", "browser.ts")] },
  // The rules above are themselves seen to refuse what they should.
  rules: {
    run: [
      ...["--import", tsx, "--test", "--test-reporter", "spec"],
      ...[
        "rules.test.mjs",
        "accept.test.ts",
        "citations.test.ts",
        "consumers.test.ts",
        "docTags.test.ts",
        "reference.test.ts",
        "installLines.test.ts",
        "links.test.ts",
        "pnpm.test.ts",
        "release.test.ts",
        "sentences.test.ts",
        "words.test.ts",
        "TestReporter.test.ts"
      ].map((file) => path.join(tools, "test", file))
    ]
  }
}

/** The steps that take longest, the longest last. */
const longest = ["typetests", "rules", "site", "docs", "lint", "contributing", "packages"]

const run = (step, fix, stream) =>
  new Promise((resolve) => {
    const started = performance.now()
    const minutes = step.minutes ?? minutesAllowed
    const args = [...step.run, ...((fix ? step.fix : undefined) ?? step.tell ?? [])]
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: stream ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
      env: stream ? process.env : { ...process.env, NO_COLOR: "1" },
      timeout: minutes * 60_000,
      killSignal: "SIGKILL"
    })
    let output = ""
    child.stdout?.on("data", (chunk) => (output += chunk))
    child.stderr?.on("data", (chunk) => (output += chunk))
    child.on("error", (error) => (output += error.message))
    child.on("close", (code, signal) => {
      if (signal !== null) output += `\nended by ${signal} (${minutes} minutes are allowed)`
      resolve({ ok: code === 0, seconds: (performance.now() - started) / 1000, output })
    })
  })

/** The compiler's output is what other steps read; the browser looks at the site. */
const before = (name) => (name === "types" ? [] : name === "browser" ? ["types", "site"] : ["types"])

/** Runs all steps, the longest first, as many at a time as there are cores; one at a time where they write to the same files. */
const checkAll = async (all) => {
  const waiting = all.toSorted((a, b) => longest.indexOf(b) - longest.indexOf(a))
  const done = new Set()
  const running = new Set()
  while (waiting.length + running.size > 0) {
    const ready = waiting.findIndex((name) => before(name).every((earlier) => done.has(earlier)))
    if (ready !== -1 && running.size < (fix ? 1 : Math.max(2, os.availableParallelism()))) {
      const [name] = waiting.splice(ready, 1)
      const ended = check(name).then(() => {
        done.add(name)
        running.delete(ended)
      })
      running.add(ended)
    } else await Promise.race(running)
  }
}

const options = process.argv.slice(2)
const fix = options.includes("--fix")
const report = options.find((option) => option.startsWith("--report="))?.slice("--report=".length)
const names = options.filter((option) => !option.startsWith("--"))
const unknown = names.filter((name) => !Object.hasOwn(steps, name))
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(", ")}: ${Object.keys(steps).join(", ")}.`)
  process.exit(2)
}

const stream = names.length > 0
let passed = 0
let failed = 0

const check = async (name) => {
  const { ok, output, seconds } = await run(steps[name], fix, stream)
  if (ok) passed += 1
  else failed += 1
  console.log(`${ok ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds.toFixed(1)} s`)
  if (!ok && output !== "") console.log(output.trim().replaceAll(/^/gm, "    "))
}

if (stream) for (const name of names) await check(name)
else await checkAll(Object.keys(steps))

console.log(`checks: ${passed} ok, ${failed} failed`)
if (report !== undefined) fs.writeFileSync(report, JSON.stringify({ passed, failed }))
process.exitCode = failed === 0 ? 0 : 1
