import * as Breadth from "@effect-venue/testing/Breadth"
import * as Assets from "@effect-venue/schemas/Assets"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Secrets from "@effect-venue/testing/Secrets"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Logger, LogLevel, Redacted } from "effect"
import * as http from "node:http"
import { inspect } from "node:util"
import { idempotentWrite, read, write } from "./utils/calls.js"
import { listen } from "@effect-venue/testing/Listening"

const key = "CANARYKEY0001"
const secret = "canary-secret-5f1e8c"

/** What arrived, and the secrets in it. */
interface Arrived {
  readonly url: string
  readonly body: string
  readonly signature: string
}

type Answer = (response: http.ServerResponse, leaky: string) => void

const json =
  (status: number, body: (leaky: string) => unknown): Answer =>
  (response, leaky) => {
    const text = JSON.stringify(body(leaky))
    response.writeHead(status, { "content-type": "application/json", "x-echo": leaky }).end(text)
  }

const refusal = (code: number) => (leaky: string) => ({
  retCode: code,
  retMsg: leaky,
  result: { leaky },
  retExtInfo: {},
  ret_code: code,
  ret_msg: leaky,
  ext_code: "",
  ext_info: null,
  time_now: "0",
  time: 0
})

/** All the ways in which a call fails, and one in which it does not. */
const answers: Readonly<Record<string, Answer>> = {
  "an empty page": json(200, () => ({
    retCode: 0,
    retMsg: "OK",
    result: { list: [], rows: [] },
    retExtInfo: {},
    time: 0
  })),
  "a wrong signature": json(200, refusal(10004)),
  "an unknown key": json(200, refusal(10003)),
  "a limit that is exceeded": json(200, refusal(10006)),
  "a wrong parameter": json(200, refusal(10001)),
  "a clock that is wrong": json(200, refusal(10002)),
  "a ban": (response, leaky) =>
    void response.writeHead(403, { "content-type": "text/html" }).end(`access too frequent ${leaky}`),
  "a status 401": json(401, refusal(10003)),
  "a status 500": (response, leaky) => void response.writeHead(500, { "content-type": "text/plain" }).end(leaky),
  "a page of HTML": (response, leaky) =>
    void response.writeHead(200, { "content-type": "text/html" }).end(`<p>${leaky}</p>`),
  "a redirect": (response, leaky) =>
    void response.writeHead(302, { location: `/?${encodeURIComponent(leaky)}` }).end(leaky),
  "a reset connection": (response) => void response.socket?.resetAndDestroy(),
  "a body that breaks off": (response, leaky) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100000" })
    response.write(leaky, () => void response.socket?.destroy())
  },
  "a body that is too large": (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end("x".repeat(5000)),
  "no answer in time": () => undefined
}

/** A server that returns what it received in its answers, as gateways do. */
const serve = (answer: Answer) => {
  const arrived: Array<Arrived> = []
  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      const signature = String(request.headers["x-bapi-sign"])
      arrived.push({ url: request.url ?? "", body, signature })
      answer(response, `origin_string[1700000000000${key}5000${request.url ?? ""}${body}] ${secret} ${signature}`)
    })
  })
  return Effect.map(listen(server), ({ url }) => ({ arrived, url }))
}

const calls: Readonly<Record<string, Effect.Effect<unknown, Failure.Failure, Transport.Transport>>> = {
  "a read signed by header": read,
  "a write signed by header": write,
  "a read signed by parameter": Effect.flatMap(Transport.Transport, ({ call }) =>
    call(Assets.deposits, { coin: "USDT" })
  ),
  "a write signed by parameter": idempotentWrite
}

/** Loggers of every format, which write into a list. */
const logging = (lines: Array<string>) => {
  const line = (text: unknown) => void lines.push(typeof text === "string" ? text : inspect(text, { depth: 20 }))
  const collecting = Object.assign(Object.create(globalThis.console), {
    log: (...parts: ReadonlyArray<unknown>) => parts.forEach(line),
    group: (...parts: ReadonlyArray<unknown>) => parts.forEach(line),
    groupEnd: () => undefined
  }) as globalThis.Console
  const loggers = [
    Logger.map(Logger.stringLogger, line),
    Logger.map(Logger.logfmtLogger, line),
    Logger.map(Logger.jsonLogger, line),
    Logger.map(Logger.structuredLogger, line),
    Logger.prettyLogger({ colors: false })
  ]
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.console.pipe(
      Effect.flatMap((console) => Effect.withConsole(effect, { ...console, unsafe: collecting })),
      Effect.provide(
        Layer.mergeAll(Logger.remove(Logger.defaultLogger), ...loggers.map((logger) => Logger.add(logger)))
      ),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
}

/** Prints every request, response and error that passes. */
const watched =
  (lines: Array<string>) =>
  (client: CallOptions.Client): CallOptions.Client => {
    const see = (name: string, value: unknown) =>
      Effect.zipRight(
        Effect.sync(() => void lines.push(name, Secrets.printValue(value))),
        Effect.logError(name, value).pipe(Effect.annotateLogs("value", value))
      )
    return client.pipe(
      HttpClient.tapRequest((request) => see("the request", request)),
      HttpClient.transformResponse((effect) =>
        effect.pipe(
          Effect.tap((response) => see("the response", response)),
          Effect.tapError((error) => see("the error", error)),
          Effect.tapErrorCause((cause) => see("the cause", cause))
        )
      )
    )
  }

const transportTo = (baseUrl: string, client: Layer.Layer<HttpClient.HttpClient>) =>
  Transport.layerStandalone.pipe(
    Layer.provide(client),
    Layer.provide(
      Layer.succeed(
        Credentials.Credentials,
        Credentials.make({ baseUrl, apiKey: key, apiSecret: Redacted.make(secret) })
      )
    )
  )

const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  "NodeConnections.layer": NodeConnections.layer,
  "NodeHttpClient.layerUndici": NodeHttpClient.layerUndici,
  "NodeHttpClient.layer": NodeHttpClient.layer,
  "FetchHttpClient.layer": FetchHttpClient.layer
}

/** The answers to all calls, as a wrapped client prints them. */
const seenBy = (client: Layer.Layer<HttpClient.HttpClient>, answer: Answer, url?: string) =>
  Effect.gen(function* () {
    const far = yield* serve(answer)
    const lines: Array<string> = []
    for (const call of Object.values(calls)) {
      const before = far.arrived.length
      yield* Effect.exit(call).pipe(
        // A ban of one call would hold back the next.
        Effect.provide(Layer.fresh(transportTo(url ?? far.url, client))),
        Effect.provideService(CallOptions.TransformClient, watched(lines)),
        Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
        Effect.provideService(CallOptions.MaxResponseBytes, 4000),
        Effect.provideService(
          CallOptions.AttemptTimeout,
          Duration.millis(answer === answers["no answer in time"] ? 50 : 10_000)
        ),
        logging(lines),
        // On a slow machine its time can be over before it has arrived.
        Effect.repeat({ until: ({ _tag }) => _tag === "Success" || url !== undefined || far.arrived.length > before })
      )
    }
    return { lines, arrived: far.arrived }
  })

/** The answers that clients report in different ways. */
const reportedByClient = new Set([
  "a wrong signature",
  "a reset connection",
  "a body that breaks off",
  "a body that is too large",
  "no answer in time"
])

const expectNone = (lines: ReadonlyArray<string>, canaries: ReadonlyArray<string>) => {
  for (const canary of canaries) {
    expect(
      lines.find((line) => line.includes(canary)),
      canary
    ).toBeUndefined()
  }
}

describe("a client that prints its requests, responses and errors prints neither key, secret nor signature", () => {
  for (const [clientName, client] of Object.entries(clients)) {
    for (const [name, answer] of Object.entries(answers)) {
      if (client !== NodeConnections.layer && !(Breadth.isLong && reportedByClient.has(name))) continue
      it.scopedLive(`wrapped by TransformClient, over ${clientName}: ${name}`, () =>
        Effect.gen(function* () {
          const { arrived, lines } = yield* seenBy(client, answer)
          expect(arrived.length).toBeGreaterThanOrEqual(Object.keys(calls).length)
          expect(lines).toContain("the request")
          expect(lines.join()).toMatch(/the response|the error/)
          expectNone(lines, [key, secret, ...arrived.map(({ signature }) => signature)])
        })
      )
    }

    it.scopedLive(`wrapped by TransformClient, over ${clientName}: a refused connection`, () =>
      Effect.gen(function* () {
        const { lines } = yield* seenBy(client, () => undefined, "http://127.0.0.1:1")
        expect(lines).toContain("the error")
        expectNone(lines, [key, secret, "X-BAPI-SIGN", "x-bapi-sign"])
      })
    )
  }

  it.scopedLive("provided as the HttpClient, of a request that is signed by header", () =>
    Effect.gen(function* () {
      const far = yield* serve(json(200, refusal(10004)))
      const lines: Array<string> = []
      const logged = Layer.map(FetchHttpClient.layer, (context) =>
        Context.make(
          HttpClient.HttpClient,
          HttpClient.tapRequest(Context.get(context, HttpClient.HttpClient), (request) => Effect.log(request))
        )
      )
      for (const name of ["a read signed by header", "a write signed by header"]) {
        yield* Effect.exit(calls[name] ?? Effect.dieMessage(name)).pipe(
          Effect.provide(transportTo(far.url, logged)),
          logging(lines)
        )
      }
      expect(lines.join()).toContain("x-bapi-sign")
      expectNone(lines, [key, secret, ...far.arrived.map(({ signature }) => signature)])
    })
  )
})
