import { nodeResolve } from "@rollup/plugin-node-resolve"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as esbuild from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rollup } from "rollup"
import * as Row from "../measure/row.js"

const bench = fileURLToPath(new URL("../..", import.meta.url))

/** A program that uses one service. */
const program = `
import * as Executions from "@effect-venue/services/Executions"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Transport from "@effect-venue/transport/Transport"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Layer from "effect/Layer"

const layer = Executions.layer.pipe(
  Layer.provide(Transport.layerStandalone),
  Layer.provide([Credentials.layerConfig, FetchHttpClient.layer])
)

export const main = Effect.flatMap(Executions.Executions, (executions) => executions.list({ category: "linear" })).pipe(
  Effect.provide(layer)
)
`

const stdin = { contents: program, resolveDir: bench, loader: "ts" } as const

const common = {
  stdin,
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  mainFields: ["module", "main"],
  write: false,
  logLevel: "error"
} as const satisfies esbuild.BuildOptions

const textOf = ({ outputFiles }: esbuild.BuildResult<{ write: false }>): string => outputFiles[0]?.text ?? ""

/** Bundles the program with our modules, and returns the list of external effect modules. */
export const compile = async (folder: string) => {
  const result = await esbuild.build({
    ...common,
    platform: "node",
    conditions: ["node", "import"],
    external: ["effect/*", "@effect/platform/*"],
    metafile: true
  })
  const file = path.join(folder, "ours.mjs")
  fs.writeFileSync(file, textOf(result))
  const effectModules = Object.values(result.metafile.outputs).flatMap(({ imports }) =>
    imports
      .filter(({ external, path: name }) => external === true && !name.startsWith("node:"))
      .map(({ path: name }) => name)
  )
  return { file, effectModules: [...new Set(effectModules)] }
}

/** Our sources as JavaScript, for a bundler that knows no other. */
const withRollup = async (): Promise<string> => {
  const entry = path.join(bench, "entry-of-the-bundle.ts")
  const bundled = await rollup({
    input: entry,
    onwarn: () => undefined,
    plugins: [
      {
        name: "program",
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? program : null),
        transform: async (code, id) =>
          id.endsWith(".ts") ? (await esbuild.transform(code, { loader: "ts", target: "es2022" })).code : null
      },
      {
        name: "sources",
        resolveId: async function (id, importer) {
          // Sources import each other by their compiled names.
          if (importer?.endsWith(".ts") !== true || !id.startsWith(".") || !id.endsWith(".js")) return null
          return this.resolve(id.replace(/\.js$/, ".ts"), importer, { skipSelf: true })
        }
      },
      nodeResolve({ extensions: [".ts", ".mjs", ".js"] })
    ]
  })
  const { output } = await bundled.generate({ format: "es" })
  const code = output.map((part) => (part.type === "chunk" ? part.code : "")).join("\n")
  await bundled.close()
  return (await esbuild.transform(code, { minify: true, target: "es2022" })).code
}

const kilobytes = (text: string): number => gzipSync(text, { level: 9 }).length / 1000

/** The size of a program with one service in a browser, including effect: minified and compressed. */
export const bundle = (): Stream.Stream<Row.Row> =>
  Stream.fromIterableEffect(
    Effect.promise(async () => {
      const byEsbuild = kilobytes(textOf(await esbuild.build({ ...common, minify: true })))
      const byRollup = kilobytes(await withRollup())
      const description = { unit: "kB gzip", target: { atMost: 100 } }
      return [
        Row.exact({ ...description, name: "bundle.gzip.esbuild" }, byEsbuild),
        Row.exact({ ...description, name: "bundle.gzip.rollup" }, byRollup)
      ]
    })
  )
