import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { publish } from "../../cli/bundle.mjs"
import { install } from "./installed.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"

const count = 17

/** 0.3 s of processor time; `node -e 0` takes 0.04 s. */
const target: Row.Target = { atMost: 7.5 }

const bench = fileURLToPath(new URL("..", import.meta.url))

/** Preloaded module that reports, on exit, the processor time of the process since its start over a separate pipe. */
const reporter = `
process.on("exit", () => {
  const { user, system } = process.cpuUsage()
  require("node:fs").writeSync(3, String((user + system) / 1000))
})
`

/** The time of a fresh process in milliseconds, as processor time and wall-clock time. Dies if the process fails. */
const processTime = (folder: string, args: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const start = process.hrtime.bigint()
    const { output, status, stderr } = spawnSync(
      process.execPath,
      ["--require", path.join(folder, "reporter.cjs"), ...args],
      { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe", "pipe"] }
    )
    const wall = Number(process.hrtime.bigint() - start) / 1e6
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
    return { cpu: Number(output[3]), wall }
  })

const temporary = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(bench, "build-cli-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

/** The installed command from start to exit, compared with `node -e 0`. */
export const cliStart: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  const folder = yield* temporary
  fs.writeFileSync(path.join(folder, "reporter.cjs"), reporter)
  const cli = yield* Effect.promise(() => install("cli", folder))
  // The published command is bundled, which is built separately.
  const { file: bin } = yield* Effect.promise(() => publish(path.join(cli, "dist", "bin")))
  const rows = (name: string, command: string) =>
    Effect.map(
      Rounds.pairs({ count, warmUp: 1 }, processTime(folder, [bin, command]), processTime(folder, ["-e", "0"])),
      (pairs) => {
        const baselineName = "node -e 0"
        return [
          Row.ofPairs({ name, baselineName, unit: "ms of processor", target }, Rounds.figures(pairs, "cpu")),
          Row.ofPairs({ name: `${name}.wall`, baselineName, unit: "ms" }, Rounds.figures(pairs, "wall"))
        ]
      }
    )
  return [...(yield* rows("cli.start", "--version")), ...(yield* rows("cli.start.operations", "operations"))]
}).pipe(Effect.scoped)
