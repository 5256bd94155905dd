/**
 * How much a program weighs that uses the library: bundled for a browser, minified and compressed, everything included. Each
 * has a budget in sizes.json, and stands beside a program that uses Effect's HTTP client and schemas and nothing of ours.
 *
 *     node packages/tools/sizes.mjs
 */
import { build } from "esbuild"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { readJson, tools } from "./published.mjs"

const one = (service, call) => `
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

export const programs = {
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

const measure = async (contents) => {
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
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const limiter = readJson(path.join(tools, "sizes.json"))
  let baseline
  for (const [title, code] of Object.entries(programs)) {
    const size = await measure(code)
    baseline ??= size
    const budget = limiter[title]
    const ok = budget === undefined || size <= budget
    if (!ok) process.exitCode = 1
    const beside = `${(size / baseline).toFixed(2)} of effect alone`
    console.log(
      `${ok ? "ok    " : "FAILED"} ${title}: ${size.toFixed(1)} kB${budget === undefined ? "" : ` of ${budget} kB, ${beside}`}`
    )
  }
}
