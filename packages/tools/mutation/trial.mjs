import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const here = path.dirname(fileURLToPath(import.meta.url))
export const packages = path.resolve(here, "../..")
const tools = path.resolve(here, "..")

/** What prints nothing for as long as this does not end, even on a busy machine: a seed takes less than a second, and a file of tests less than a minute. */
const longestSilence = 600_000

/** Runs one file of tests with a mutant, in a process of its own. Gives the first violation in the worlds, or the first test that fails. */
export const tryTests = (mutant, test, worlds) =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const vitest = path.join(tools, "node_modules/vitest/vitest.mjs")
    const child = spawn(process.execPath, [vitest, "run", "--config", path.join(here, "vitest.config.mjs")], {
      cwd: tools,
      // Its workers end with it, also those that a mistake keeps busy forever.
      detached: true,
      env: {
        ...process.env,
        CI: "true",
        NO_COLOR: "1",
        MUTANT: JSON.stringify({ ...mutant, test }),
        WORLDS: JSON.stringify(worlds)
      }
    })
    const end = () => process.kill(-child.pid, "SIGKILL")
    // A group of its own does not hear of Ctrl-C.
    const stop = () => {
      end()
      process.exit(130)
    }
    process.once("SIGINT", stop)
    let timer
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(end, longestSilence)
    }
    wait()
    let text = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        text += chunk
        wait()
      })
    child.on("close", (code) => {
      clearTimeout(timer)
      process.off("SIGINT", stop)
      if (!text.includes("mutated\n")) return reject(new Error(`${mutant.file} was not read: ${text.slice(-2000)}`))
      const failed = /FAIL +(.*)/.exec(text)?.[1] ?? "never ends"
      const by = /found (.*)/.exec(text)?.[1] ?? `${test}, ${failed.split(" > ").slice(1).join(" > ") || failed}`
      resolve({ found: code === 0 ? undefined : by, seconds: (performance.now() - started) / 1000 })
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
  return { found: `type: ${ts.flattenDiagnosticMessageText(error.messageText, " ").slice(0, 100)}`, seconds }
}
