// A separate module, so that only commands that make calls load undici.
import type * as Connections from "@effect-venue/transport/Connections"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as SecretUrl from "@effect-venue/transport/siblings/SecretUrl"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Refusal } from "../run/failures.js"

/** The proxy in the first of the variables that is set. */
const proxyOf = (names: ReadonlyArray<string>): Effect.Effect<string | undefined, Refusal> =>
  Effect.gen(function* () {
    for (const name of names) {
      const url = yield* Effect.option(Config.string(name))
      if (Option.isNone(url) || url.value === "") continue
      if (SecretUrl.isValid(url.value, ["http", "https"])) return url.value
      return yield* new Refusal({
        message: `${name}: a proxy must be http://host:port; remove the variable, or add the host of the service to NO_PROXY`
      })
    }
    return undefined
  })

/** Returns connections through the proxy of the usual variables, except to hosts in NO_PROXY; direct ones without such variables. */
export const usual: Effect.Effect<Layer.Layer<Connections.Connections | HttpClient.HttpClient>, Refusal> = Effect.gen(
  function* () {
    const httpsProxy = yield* proxyOf(["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
    const httpProxy = yield* proxyOf(["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"])
    if (httpsProxy === undefined && httpProxy === undefined) return NodeConnections.layer
    const excluded = yield* Effect.orElseSucceed(
      Config.string("NO_PROXY").pipe(Config.orElse(() => Config.string("no_proxy"))),
      () => ""
    )
    // A sandbox on this machine is not behind a proxy.
    const noProxy = excluded === "*" ? excluded : `${excluded},localhost,127.0.0.1,[::1]`
    const dispatcher = Effect.acquireRelease(
      Effect.sync(
        () =>
          new Undici.EnvHttpProxyAgent({
            httpsProxy: httpsProxy ?? "",
            httpProxy: httpProxy ?? "",
            noProxy,
            proxyTunnel: true
          })
      ),
      (dispatcher) => Effect.promise(() => dispatcher.destroy())
    )
    return NodeConnections.layerDispatcher(Layer.scoped(NodeHttpClient.Dispatcher, dispatcher))
  }
)

/** The same as a layer. */
export const layer = Layer.unwrapEffect(usual)
