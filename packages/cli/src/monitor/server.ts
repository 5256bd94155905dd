import { formatAddress } from "@effect-venue/schemas/siblings/Words"
import * as Gauges from "@effect-venue/transport/Gauges"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { createServer } from "node:http"
import { Refusal } from "../run/failures.js"
import { version } from "../run/invocation.js"
import * as prometheus from "./prometheus.js"

export interface Options {
  readonly host: string
  readonly port: number
  /** Why the command cannot do its work now; nothing if it can. */
  readonly notReady: Effect.Effect<string | undefined>
}

/** Figures of this process from the operating system. */
export const ofProcess = (): Readonly<Record<string, prometheus.Figure>> => {
  const { system, user } = process.cpuUsage()
  return {
    process_cpu_seconds_total: { type: "counter", help: "processor time in seconds", value: (user + system) / 1e6 },
    process_resident_memory_bytes: {
      type: "gauge",
      help: "resident memory in bytes",
      value: process.memoryUsage.rss()
    },
    process_start_time_seconds: {
      type: "gauge",
      help: "start of the process, in seconds since 1970",
      value: Math.round(Date.now() / 1000 - process.uptime())
    }
  }
}

const scraped = Effect.map(Effect.zipRight(Gauges.refresh, Metric.snapshot), (pairs) =>
  HttpServerResponse.text(prometheus.render(pairs, ofProcess()), { contentType: prometheus.contentType })
)

const json = (status: number, body: object) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: "application/json" })

const responseTo = (path: string, { notReady }: Options): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  switch (path) {
    case "/metrics":
      return scraped
    case "/healthz":
      return Effect.succeed(json(200, { status: "ok", version }))
    case "/readyz":
      return Effect.map(notReady, (because) =>
        because === undefined ? json(200, { status: "ready" }) : json(503, { status: "not ready", because })
      )
    default:
      return Effect.succeed(json(404, { error: "there are /metrics, /healthz and /readyz" }))
  }
}

/** Serves metrics and health until the scope ends. */
export const serve = (options: Options): Effect.Effect<void, Refusal, Scope.Scope> => {
  const { host, port } = options
  const refuse = (cause: unknown) => {
    const detail = cause instanceof Error ? cause.message : "it cannot be listened on"
    return new Refusal({ message: `--metrics-port ${port}: ${detail}` })
  }
  return Effect.gen(function* () {
    const server = yield* NodeHttpServer.make(createServer, { host, port }).pipe(
      Effect.mapError(({ cause }) => refuse(cause)),
      // A port that is no port is thrown.
      Effect.catchAllDefect((cause) => Effect.fail(refuse(cause)))
    )
    const app = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
      method === "GET" || method === "HEAD"
        ? responseTo(url.replace(/[?#].*$/, ""), options)
        : Effect.succeed(json(405, { error: "only GET" }))
    )
    const bound = server.address._tag === "TcpAddress" ? server.address.port : port
    yield* Effect.logInfo(`metrics and health are at http://${formatAddress(host, bound)}`)
    // A scrape is no span.
    yield* Effect.locally(server.serve(app), HttpMiddleware.currentTracerDisabledWhen, () => true)
  })
}
