import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Bundle from "./bundle.js"
import * as Peers from "./peers.js"
import { interleaved } from "./rounds.js"
import * as Row from "./row.js"

const rounds = 11

const bench = fileURLToPath(new URL("..", import.meta.url))

/** Milliseconds of processor time that a fresh process takes to import something, above what an empty one takes. */
const importing = (folder: string, code: string) => () => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `const start = process.cpuUsage()\n${code}\nconst { user, system } = process.cpuUsage(start)\nconsole.log((user + system) / 1000)`
    ],
    { cwd: folder, encoding: "utf8" }
  )
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}

/**
 * Importing one service with all that a program needs to call it, beside importing, module by module, what of effect it needs, and
 * beside the peers. Ours is compiled first, as it is in a published package.
 */
export const importTime: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.promise(async () => {
  const folder = fs.mkdtempSync(path.join(bench, "build-import-"))
  try {
    const { effectModules, file } = await Bundle.compiled(folder)
    const floor = path.join(folder, "floor.mjs")
    fs.writeFileSync(floor, effectModules.map((module) => `import ${JSON.stringify(module)}`).join("\n"))
    const peers = fileURLToPath(Peers.folder)
    const figures = await interleaved(rounds, {
      ours: importing(bench, `await import(${JSON.stringify(file)})`),
      floor: importing(bench, `await import(${JSON.stringify(floor)})`),
      bybit: importing(peers, 'await import("bybit-api")'),
      ccxt: importing(peers, 'await import("ccxt")')
    })
    const row = (name: string, baselineName: string, target: string) => ({
      name,
      baselineName,
      target,
      unit: "ms of processor"
    })
    return [
      Row.ofRounds(row("import.time", "the modules of effect that it needs", "<= 1.3"), figures.ours, figures.floor),
      Row.ofRounds(row("import.time.ccxt", "ccxt", "<= 1.0"), figures.ours, figures.ccxt),
      Row.ofRounds(row("import.time.bybit-api", "bybit-api", ""), figures.ours, figures.bybit)
    ]
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
