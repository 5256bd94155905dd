import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as ControlDocument from "../control/document.js"
import * as OperationsPage from "./operationsPage.js"

/** The pages of a server besides the exchange, by target. The service has nothing under these paths. */
export type Pages = ReadonlyMap<string, Effect.Effect<HttpServerResponse.HttpServerResponse>>

// The page only needs its inline style and runs no scripts.
const policy = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
}

export const make = (baseUrl: string): Pages => {
  // Built on first use, because most servers never show these pages.
  const once = <A>(value: () => A): Effect.Effect<A> => Effect.runSync(Effect.cached(Effect.sync(value)))
  const json = once(() => JSON.stringify(ControlDocument.make(baseUrl)))
  const page = once(() => OperationsPage.render(ControlDocument.make(baseUrl)))
  return new Map([
    ["/healthz", Effect.succeed(HttpServerResponse.unsafeJson({ status: "ok" }))],
    [
      "/openapi.json",
      Effect.map(json, (text) => HttpServerResponse.text(text, { contentType: "application/json; charset=utf-8" }))
    ],
    [
      "/",
      Effect.map(page, (text) =>
        HttpServerResponse.text(text, { contentType: "text/html; charset=utf-8", headers: policy })
      )
    ]
  ])
}
