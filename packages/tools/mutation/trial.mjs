import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const here = path.dirname(fileURLToPath(import.meta.url))
export const packages = path.resolve(here, "../..")
const loader = path.join(packages, "simulation/node_modules/tsx/dist/loader.mjs")

/** What takes as long as this does not end, even on a busy machine: a seed takes less than a second, and a file of tests less than a minute. */
const longestSeed = 600_000

/**
 * Runs seeds with a mutant, or without one, in a process of its own. Gives the first violation, if there is one, and how many seeds were
 * run. Fails when the mutated module was never read.
 */
export const trial = (mutant, { seconds, seeds, workloads }) =>
  new Promise((resolve, reject) => {
    const preloads = [path.join(here, "preload.mjs"), loader].flatMap((file) => ["--import", pathToFileURL(file).href])
    const child = spawn(
      process.execPath,
      [...preloads, path.join(here, "child.mjs"), workloads, String(seeds), String(seconds)],
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

const tools = path.resolve(here, "..")

/** Runs one file of tests with a mutant, in a process of its own. Gives the first test that fails. */
export const tryTests = (mutant, test) =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const vitest = path.join(tools, "node_modules/vitest/vitest.mjs")
    const child = spawn(process.execPath, [vitest, "run", "--config", path.join(here, "vitest.config.mjs")], {
      cwd: tools,
      env: { ...process.env, CI: "true", NO_COLOR: "1", MUTANT: JSON.stringify({ ...mutant, test }) }
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), longestSeed)
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk))
    child.on("close", (code) => {
      clearTimeout(timer)
      if (!text.includes("mutated\n")) return reject(new Error(`${mutant.file} was not read: ${text.slice(-2000)}`))
      const seconds = (performance.now() - started) / 1000
      const failed = /FAIL +(.*)/.exec(text)?.[1] ?? "never ends"
      resolve({
        found: code === 0 ? undefined : { by: `${test}, ${failed.split(" > ").slice(1).join(" > ") || failed}` },
        seconds
      })
    })
  })

/** Compiles the package of a mutant. Gives the first error. */
export const tryTypes = async (mutant) => {
  const started = performance.now()
  const { default: ts } = await import("typescript")
  const [name] = path.relative(packages, mutant.file).split(path.sep)
  const config = path.join(packages, name, "tsconfig.src.json")
  const { options } = ts.getParsedCommandLineOfConfigFile(
    config,
    { noEmit: true, composite: false },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (error) => {
        throw new Error(String(error.messageText))
      }
    }
  )
  const host = ts.createCompilerHost(options)
  const readFile = host.readFile.bind(host)
  host.readFile = (file) => {
    const source = readFile(file)
    return path.resolve(file) === mutant.file
      ? source.slice(0, mutant.start) + mutant.replacement + source.slice(mutant.end)
      : source
  }
  host.getSourceFile = (file, language) => {
    const source = host.readFile(file)
    return source === undefined ? undefined : ts.createSourceFile(file, source, language)
  }
  const program = ts.createProgram([mutant.file], { ...options, incremental: false, tsBuildInfoFile: undefined }, host)
  const [error] = program.getSemanticDiagnostics(program.getSourceFile(mutant.file))
  const seconds = (performance.now() - started) / 1000
  if (error === undefined) return { found: undefined, seconds }
  return { found: { by: `type: ${ts.flattenDiagnosticMessageText(error.messageText, " ").slice(0, 100)}` }, seconds }
}
