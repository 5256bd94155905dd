import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { publish } from "../../../cli/bundle.mjs"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"

const count = 17

/** 0.3 s of processor time; `node -e 0` takes 0.04 s. */
const target: Row.Target = { atMost: 7.5 }

/** In the package of the command, so that its dependencies are found. */
const folder = fileURLToPath(new URL("../../../cli/build/bench", import.meta.url))

const reporter = path.join(folder, "reporter.cjs")

/** Preloaded module that reports, on exit, the processor time of the process since its start over a separate pipe. */
const reporting = `
process.on("exit", () => {
  const { user, system } = process.cpuUsage()
  require("node:fs").writeSync(3, String((user + system) / 1000))
})
`

/** The time of a fresh process in milliseconds, as processor time and wall-clock time. Dies if the process fails. */
const processTime = (args: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const start = process.hrtime.bigint()
    const { output, status, stderr } = spawnSync(process.execPath, ["--require", reporter, ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", "pipe"]
    })
    const wall = Number(process.hrtime.bigint() - start) / 1e6
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
    return { cpu: Number(output[3]), wall }
  })

const compareStart = (file: string, { command, name }: { readonly command: string; readonly name: string }) =>
  Effect.map(Rounds.pairs({ count, warmUp: 1 }, processTime([file, command]), processTime(["-e", "0"])), (pairs) => {
    const baselineName = "node -e 0"
    return [
      Row.ofPairs({ name, baselineName, unit: "ms of processor", target }, Rounds.figures(pairs, "cpu")),
      Row.ofPairs({ name: `${name}.wall`, baselineName, unit: "ms" }, Rounds.figures(pairs, "wall"))
    ]
  })

/** The published command from start to exit, compared with `node -e 0`. */
export const cliStart = (): Stream.Stream<Row.Row> =>
  Effect.gen(function* () {
    const { file } = yield* Effect.promise(() => publish(folder))
    fs.writeFileSync(reporter, reporting)
    return Stream.make(
      { name: "cli.start", command: "--version" },
      { name: "cli.start.operations", command: "operations" }
    ).pipe(
      Stream.mapEffect((row) => compareStart(file, row)),
      Stream.mapConcat((rows) => rows)
    )
  }).pipe(Stream.unwrap)
