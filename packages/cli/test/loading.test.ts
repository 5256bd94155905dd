import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Bundle from "../bundle.mjs"
import { folder } from "./utils/venue.js"

// The command as it is run in the repository and as it is published: which of its modules a command loads. Times depend on the
// machine, what is loaded does not.

const cli = fileURLToPath(new URL("..", import.meta.url))

/** What takes long to load and is of use to some commands only. */
const heavy = {
  "the sandbox": /^packages\/sandbox\//,
  "the services": /^packages\/services\//,
  "the export": /^packages\/history\/src\/(commit\/History|store\/Sink|sql\/SqliteSink|audit\/Verify)\.ts$/,
  "the doctor": /^packages\/history\/src\/doctor\/Doctor\.ts$/,
  "the fleet": /^packages\/fleet\/src\/(?!accounts\/AccountsFile)/,
  "the report": /^packages\/cli\/src\/(figures|report)\//,
  undici: /node_modules\/undici\//,
  ws: /node_modules\/ws\//,
  parquet: /node_modules\/hyparquet/,
  libsql: /node_modules\/@effect\/sql-libsql\//,
  postgres: /node_modules\/@effect\/sql-pg\//,
  telemetry: /node_modules\/@effect\/opentelemetry\//,
  "the cluster": /node_modules\/@effect\/cluster\//
}

/** Lists every file that is loaded while a program runs, in the file that a variable names. */
const listing = `data:text/javascript,${encodeURIComponent(`
  import { register } from "node:module"
  register("data:text/javascript," + encodeURIComponent(\`
    import { appendFileSync } from "node:fs"
    export const load = (url, context, next) => {
      appendFileSync(process.env.LOADED, url + "\\\\n")
      return next(url, context)
    }\`))`)}`

const run = (file: string, args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], {
      cwd: folder(),
      env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve(out) : reject(new Error(`venue ${args.join(" ")} ended with ${String(code)}: ${err}`))
    )
  })

for (const [name, build] of [
  ["the command in the repository", Bundle.bundle],
  ["the published command", Bundle.publish]
] as const) {
  const place = path.join(cli, "build", `loading-${build.name}-${process.pid}`)
  let built: Bundle.Bundle = { file: "", metafile: { inputs: {}, outputs: {} } }

  beforeAll(async () => {
    built = await build(place)
  })

  afterAll(() => fs.rmSync(place, { recursive: true, force: true }))

  /** The modules that are in the files which a command loads. */
  const modulesOf = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const log = path.join(folder(), `loaded-${build.name}`)
    fs.rmSync(log, { force: true })
    await run(built.file, args, { LOADED: log, NODE_OPTIONS: `--import=${listing}` })
    const loaded = fs.readFileSync(log, "utf8").split("\n")
    return Object.entries(built.metafile.outputs).flatMap(([output, { inputs }]) =>
      loaded.some((url) => url.endsWith(`/${path.basename(output)}`)) ? Object.keys(inputs) : []
    )
  }

  const heavyOf = (modules: ReadonlyArray<string>) =>
    Object.entries(heavy).flatMap(([name, pattern]) => (modules.some((module) => pattern.test(module)) ? [name] : []))

  describe(name, () => {
    it("does not load the sandbox, a client or a format for 'operations'", async () => {
      const modules = await modulesOf("operations")
      expect(modules).toContain("packages/cli/src/bin.ts")
      expect(heavyOf(modules)).toEqual([])
    })

    it("packs every lazily loaded module", () => {
      const modules = Object.values(built.metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))
      expect(heavyOf(modules)).toEqual(Object.keys(heavy))
    })
  })

  if (build === Bundle.publish) {
    it("can import its lazy modules: database, file formats and report", async () => {
      const range = ["--sandbox", "--from", "2026-01-01", "--to", "2026-01-02"]
      const out = path.join(folder(), "parquet")
      await run(built.file, ["export", "executions", ...range, "--format", "parquet", "--out", out])
      expect(await run(built.file, ["report", out])).toContain("complete")
      const nowhere = ["--database", "postgres://127.0.0.1:9/books"]
      await expect(run(built.file, ["fleet", "status", ...nowhere])).rejects.toThrow("the database cannot be reached")
    })
  }
}
