import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Bundle from "./bundle.js"
import * as Peers from "../calls/clients/peers.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"

const count = 17

const bench = fileURLToPath(new URL("../..", import.meta.url))

/** The processor time in milliseconds that a fresh process needs to import a module, minus that of an empty process. */
const importing = (folder: string, code: string): Effect.Effect<number> =>
  Effect.sync(() => {
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
  })

const temporary = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(bench, "build-import-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

/**
 * Imports a service with everything that a program needs to call it, compared with importing its effect modules one by one, and with the
 * peers. Our code is compiled first, as in a published package.
 */
export const importTime = (): Stream.Stream<Row.Row> =>
  Effect.gen(function* () {
    const folder = yield* temporary
    const { effectModules, file } = yield* Effect.promise(() => Bundle.compile(folder))
    const floor = path.join(folder, "floor.mjs")
    fs.writeFileSync(floor, effectModules.map((module) => `import ${JSON.stringify(module)}`).join("\n"))
    const peers = fileURLToPath(Peers.folder)
    const ours = importing(bench, `await import(${JSON.stringify(file)})`)
    const row = (name: string, baselineName: string, baseline: Effect.Effect<number>, target?: Row.Target) =>
      Effect.map(Rounds.pairs({ count, warmUp: 1 }, ours, baseline), (pairs) =>
        Row.ofPairs({ name, baselineName, target, unit: "ms of processor" }, pairs)
      )
    return [
      yield* row(
        "import.time",
        "the modules of effect that it needs",
        importing(bench, `await import(${JSON.stringify(floor)})`),
        { atMost: 1.3 }
      ),
      yield* row("import.time.ccxt", "ccxt", importing(peers, 'await import("ccxt")'), { atMost: 1 }),
      yield* row("import.time.bybit-api", "bybit-api", importing(peers, 'await import("bybit-api")'))
    ]
  }).pipe(Effect.scoped, Stream.fromIterableEffect)
