import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as ControlDocument from "../control/document.js"
import * as Html from "./html.js"
import { script } from "./script.js"
import { style } from "./style.js"

/** The version of the package. */
export const version = "0.1.0"

interface Page {
  readonly response: Effect.Effect<HttpServerResponse.HttpServerResponse>
  /** Whether it is for those who can use the control path. */
  readonly isGuarded: boolean
}

/** The pages of a server by target. The service has nothing under these paths. */
export type Pages = ReadonlyMap<string, Page>

// Nothing is loaded from another host, no text becomes a script, and no other page can contain this one.
const policy = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store"
}

const page = (type: string, text: Effect.Effect<string>, isGuarded = true): Page => ({
  isGuarded,
  response: Effect.map(text, (text) =>
    HttpServerResponse.text(text, { contentType: `${type}; charset=utf-8`, headers: policy })
  )
})

export const make = (): Pages => {
  // Built on first use: most servers serve nothing but the exchange.
  const once = <A>(value: () => A): Effect.Effect<A> => Effect.runSync(Effect.cached(Effect.sync(value)))
  const json = once(() => JSON.stringify(ControlDocument.make()))
  const html = once(() => Html.render(ControlDocument.make(), version))
  return new Map<string, Page>([
    // A server listens once its state is there, and takes no connections when it stops: a response means that it is ready.
    ["/healthz", page("application/json", Effect.succeed(JSON.stringify({ status: "ready", version })), false)],
    ["/openapi.json", page("application/json", json, false)],
    ["/", page("text/html", html)],
    ["/page.js", page("text/javascript", Effect.succeed(script))],
    ["/page.css", page("text/css", Effect.succeed(style))]
  ])
}
