/**
 * Runs the install lines of the documentation, word for word, in empty folders: with plain npm, against a registry on this
 * machine that has the packed packages and the configured registry for everything else.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { installLines, requirementsOf } from "./installLines.js"
import { imports, pages } from "./markdown.js"
import type { Ended } from "./programs.js"
import { serve } from "./registry.js"
import type { Packed } from "./registry.js"
import { longestRun } from "./repository.js"

const windows = process.platform === "win32"

const execute = (command: string, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(command, {
      cwd,
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
      // A bundler that ran in this process may have set it, and npm then leaves out development dependencies.
      env: { ...process.env, NODE_ENV: "development", ...env },
      timeout: longestRun
    })
    const output: Array<string> = []
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()))
    child.on("error", (error) => resolve({ ok: false, output: error.message }))
    child.on("close", (code) => resolve({ ok: code === 0, output: output.join("").trim() }))
  })

/** Runs the steps until one of them fails. */
const inOrder = async (steps: ReadonlyArray<() => Promise<Ended>>): Promise<Ended> => {
  for (const step of steps) {
    const result = await step()
    if (!result.ok) return result
  }
  return { ok: true, output: "" }
}

/** The versions of `effect` that are installed under a folder. */
const copiesOfEffect = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /(^|\/)node_modules\/effect\/package\.json$/.test(file))

const oneEffect = (folder: string): Promise<Ended> => {
  const copies = copiesOfEffect(folder)
  return Promise.resolve({ ok: copies.length === 1, output: `copies of effect: ${copies.join(", ") || "none"}` })
}

/** What a reader of these pages types and then imports. */
interface Reading {
  readonly pages: ReadonlyArray<string>
  readonly commands: ReadonlyArray<string>
  readonly isGlobal: boolean
  readonly imports: ReadonlyArray<string>
}

/** The install lines of all pages. Pages that install the same are one reading, which imports what any of them imports. */
export const readings = (root: string): ReadonlyArray<Reading> => {
  const found = pages(root).flatMap((page): ReadonlyArray<Reading> => {
    const markdown = fs.readFileSync(path.join(root, page), "utf8")
    const lines = installLines(markdown)
    return [false, true].flatMap((isGlobal) => {
      const commands = lines.filter((line) => line.isGlobal === isGlobal).map(({ command }) => command)
      return commands.length === 0
        ? []
        : [{ pages: [page], commands, isGlobal, imports: isGlobal ? [] : imports(markdown) }]
    })
  })
  const keyOf = ({ commands }: Reading) => [...new Set(commands.flatMap((text) => text.split(/\s+/)))].sort().join(" ")
  return [...new Set(found.map(keyOf))].flatMap((key) => {
    const same = found.filter((reading) => keyOf(reading) === key)
    const merged = {
      pages: same.flatMap((one) => one.pages),
      imports: [...new Set(same.flatMap((one) => one.imports))]
    }
    return same.slice(0, 1).map((reading) => ({ ...reading, ...merged }))
  })
}

const flagsOf = (registry: string): string =>
  [
    // Everything else is asked of the registry that npm is configured with.
    `--@effect-venue:registry=${registry}`,
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    // npm's own defaults, whatever this machine has configured.
    "--legacy-peer-deps=false",
    "--force=false"
  ].join(" ")

/** Packages that load in their own runner alone: only whether they are there is seen. */
const runners = ["vitest", "@effect/vitest"]

const loading = (specifier: string): string =>
  runners.includes(specifier)
    ? `import.meta.resolve(${JSON.stringify(specifier)})\n`
    : `await import(${JSON.stringify(specifier)})\n`

/** Whether what the commands install and what the pages import can be loaded. */
const loads = (folder: string, { commands, imports }: Reading): Promise<Ended> => {
  const installed = commands.flatMap(requirementsOf).map(({ name }) => name)
  const specifiers = [...new Set([...installed, ...imports])]
  fs.writeFileSync(path.join(folder, "main.mjs"), specifiers.map(loading).join(""))
  return execute(`"${process.execPath}" main.mjs`, folder)
}

const inProject = (folder: string, reading: Reading, registry: string): Promise<Ended> => {
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "reader", private: true, type: "module" }))
  return inOrder([
    ...reading.commands.map((command) => () => execute(`${command} ${flagsOf(registry)}`, folder)),
    () => oneEffect(folder),
    // Fails if a peer is missing or of another version than wanted.
    () => execute("npm ls --all --silent", folder),
    () => loads(folder, reading)
  ])
}

const globally = (folder: string, { commands }: Reading, registry: string): Promise<Ended> => {
  const bin = windows ? folder : path.join(folder, "bin")
  return inOrder([
    ...commands.map((command) => () => execute(`${command} ${flagsOf(registry)} --prefix "${folder}"`, folder)),
    () => oneEffect(folder),
    () => execute("venue --version", folder, { PATH: `${bin}${path.delimiter}${process.env.PATH ?? ""}` })
  ])
}

const attempt = async (reading: Reading, registry: string): Promise<Ended> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-install-"))
  try {
    const result = await (reading.isGlobal ? globally : inProject)(folder, reading, registry)
    return result.ok ? { ok: true, output: "" } : result
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs every reading, and reports each. */
export const runInstallLines = async (
  root: string,
  packages: ReadonlyArray<Packed>,
  report: (title: string, result: Ended) => void
): Promise<void> => {
  const { close, url } = await serve(packages)
  try {
    for (const reading of readings(root)) {
      report(`install lines of ${reading.pages.join(", ")}`, await attempt(reading, url))
    }
  } finally {
    close()
  }
}
