/**
 * How much a program weighs that uses the library: bundled for a browser, minified and compressed, everything included. Each
 * has a budget in sizes.json, and stands beside a program that uses Effect's HTTP client and schemas and nothing of ours.
 *
 *     node --import tsx packages/tools/src/sizes.ts
 */
import { build } from "esbuild"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { readJson, tools } from "./repository.js"

const one = (service: string, call: string): string => `
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Service from "@effect-venue/services/${service}"
import * as Transport from "@effect-venue/transport/Transport"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
const layer = Service.layer.pipe(
  Layer.provide(Transport.layerStandalone),
  Layer.provide(Credentials.layerConfig),
  Layer.provide(FetchHttpClient.layer)
)
export const main = Effect.flatMap(Service.${service}, (service) => service.${call}).pipe(Effect.provide(layer), Effect.runPromise)
`

const programs: Readonly<Record<string, string>> = {
  "effect alone": `
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
export const main = HttpClient.get("/").pipe(
  Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Struct({ time: Schema.NumberFromString }))),
  Effect.provide(FetchHttpClient.layer),
  Effect.runPromise
)
`,
  "one service that reads": one("Executions", 'list({ category: "linear" })'),
  "one service that writes": one("Orders", 'cancel({ category: "linear", symbol: "BTCUSDT", orderId: "1" })'),
  "all services": `
import * as Executions from "@effect-venue/services/Executions"
import * as Venue from "@effect-venue/services/Venue"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
export const main = Effect.flatMap(Executions.Executions, (service) => service.list({ category: "linear" })).pipe(
  Effect.provide(Venue.layerConfig),
  Effect.provide(FetchHttpClient.layer),
  Effect.runPromise
)
`
}

/** In kB. */
const measure = async (contents: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: tools, loader: "ts" },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "silent"
  })
  return gzipSync(Buffer.concat(outputFiles.map((file) => file.contents)), { level: 9 }).length / 1000
}

/** What is printed of a program. `size`, `baseline` and `budget` are in kB. */
const line = (title: string, size: number, baseline: number, budget: number | undefined): string => {
  const ok = budget === undefined || size <= budget
  const beside = budget === undefined ? "" : ` of ${budget} kB, ${(size / baseline).toFixed(2)} of effect alone`
  return `${ok ? "ok    " : "FAILED"} ${title}: ${size.toFixed(1)} kB${beside}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The budgets in kB, by title.
  const budgets = readJson(path.join(tools, "sizes.json")) as Readonly<Record<string, number>>
  let baseline: number | undefined
  for (const [title, code] of Object.entries(programs)) {
    const size = await measure(code)
    baseline ??= size
    const budget = budgets[title]
    if (budget !== undefined && size > budget) process.exitCode = 1
    console.log(line(title, size, baseline, budget))
  }
}
