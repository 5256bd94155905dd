import * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import * as path from "node:path"

/** What a server has besides the exchange, by target. The service has nothing under these paths. */
export type Pages = ReadonlyMap<string, Effect.Effect<HttpServerResponse.HttpServerResponse>>

const viewer = "/sandbox/viewer"

// The viewer gets all it needs from here, and sends nothing anywhere.
const policy = {
  "content-security-policy":
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
}

const html = (body: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The sandbox</title><link rel="icon" href="data:,"></head>
<body>${body}</body>
</html>
`,
    { contentType: "text/html; charset=utf-8", headers: policy }
  )

const withViewer = html(
  `<link rel="stylesheet" href="${viewer}/swagger-ui.css"><div id="viewer"></div>
<script src="${viewer}/swagger-ui-bundle.js"></script><script src="${viewer}/start.js"></script>`
)

const withoutViewer = html(
  '<p>The operations are in <a href="/openapi.json">/openapi.json</a>. Install swagger-ui-dist to read them here.</p>'
)

// Requests are signed, which a page cannot do: it shows them and sends none.
const start = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#viewer", supportedSubmitMethods: [], validatorUrl: null })\n`

/** The folder of the viewer, if it is installed. */
const folder = (): Option.Option<string> => {
  try {
    return Option.some(path.dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json")))
  } catch {
    return Option.none()
  }
}

const file = (name: string, contentType: string): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Option.match(folder(), {
    onNone: () => Effect.succeed(HttpServerResponse.empty({ status: 404 })),
    onSome: (found) =>
      Effect.map(
        Effect.promise(() => readFile(path.join(found, name))),
        (bytes) => HttpServerResponse.uint8Array(bytes, { contentType })
      )
  })

export const make = (baseUrl: string): Pages => {
  // Built on first use: most servers serve nothing but the exchange.
  const document = Effect.runSync(Effect.cached(Effect.sync(() => JSON.stringify(OpenApi.make({ baseUrl })))))
  return new Map([
    [
      "/openapi.json",
      Effect.map(document, (text) => HttpServerResponse.text(text, { contentType: "application/json; charset=utf-8" }))
    ],
    ["/", Effect.sync(() => (Option.isSome(folder()) ? withViewer : withoutViewer))],
    [`${viewer}/start.js`, Effect.sync(() => HttpServerResponse.text(start, { contentType: "text/javascript" }))],
    [`${viewer}/swagger-ui-bundle.js`, Effect.suspend(() => file("swagger-ui-bundle.js", "text/javascript"))],
    [`${viewer}/swagger-ui.css`, Effect.suspend(() => file("swagger-ui.css", "text/css"))]
  ])
}
