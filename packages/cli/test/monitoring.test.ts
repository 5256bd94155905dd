import { Effect, Either, Metric, MetricBoundaries, Redacted } from "effect"
import * as http from "node:http"
import type * as net from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as otlp from "../src/monitor/otlp.js"
import * as prometheus from "../src/monitor/prometheus.js"
import * as fleets from "./utils/fleets.js"
import { metricsAt, scrape, valuesOf } from "./utils/scrape.js"
import { exchange, launch, launched, linesOf, venue } from "./utils/venue.js"

const { credentials } = await exchange({ limits: "off" })

const secrets = Object.values(credentials).flatMap(({ apiKey, apiSecret }) => [
  Redacted.value(apiKey),
  Redacted.value(apiSecret)
])

const expectNoSecretIn = (text: string) => {
  for (const secret of secrets) expect(text).not.toContain(secret)
}

describe("Prometheus' text format", () => {
  it("has every kind of metric, with escaped labels, cumulative buckets, and no line for a gauge without a value", async () => {
    const tagged = <Type, In, Out>(metric: Metric.Metric<Type, In, Out>) => Metric.tagged(metric, "of", 'a "b"\\\n')
    const all = Effect.gen(function* () {
      yield* Metric.incrementBy(tagged(Metric.counter("render_total", { description: "a\nb", incremental: true })), 2)
      yield* Metric.incrementBy(Metric.counter("render_active"), -1)
      yield* Metric.set(Metric.gauge("render.gauge"), Infinity)
      yield* Metric.set(tagged(Metric.gauge("render.gauge")), NaN)
      const boundaries = MetricBoundaries.fromIterable([1, 2])
      const histogram = Metric.histogram("render_seconds", boundaries)
      yield* Effect.forEach([0.5, 1.5, 9], (value) => Metric.update(histogram, value))
      yield* Metric.update(Metric.frequency("render_words"), "yes")
      const pairs = yield* Metric.snapshot
      return pairs.filter(({ metricKey }) => metricKey.name.startsWith("render"))
    })
    const seconds = { type: "counter", help: "processor time", value: 1.5 } as const
    expect(prometheus.render(await Effect.runPromise(all), { process_cpu_seconds_total: seconds })).toBe(
      [
        "# HELP process_cpu_seconds_total processor time",
        "# TYPE process_cpu_seconds_total counter",
        "process_cpu_seconds_total 1.5",
        "# TYPE render_active gauge",
        "render_active -1",
        "# TYPE render_gauge gauge",
        "render_gauge +Inf",
        "# TYPE render_seconds histogram",
        'render_seconds_bucket{le="1"} 1',
        'render_seconds_bucket{le="2"} 2',
        'render_seconds_bucket{le="+Inf"} 3',
        "render_seconds_sum 11",
        "render_seconds_count 3",
        "# HELP render_total a\\nb",
        "# TYPE render_total counter",
        'render_total{of="a \\"b\\"\\\\\\n"} 2',
        "# TYPE render_words counter",
        'render_words{key="yes"} 1',
        ""
      ].join("\n")
    )
  })
})

describe("the variables of OpenTelemetry", () => {
  const settingsOf = (variables: Record<string, string>) =>
    otlp.settingsOf(new Map(Object.entries(variables)), "venue-fleet")
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" }

  it("send each signal to its path, with headers and intervals", () => {
    const settings = settingsOf({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x, tenant=a=b",
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "https://logs/in",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
      OTEL_TRACES_EXPORTER: "none"
    })
    const headers = { authorization: "Bearer x", tenant: "a=b" }
    expect(settings).toEqual(
      Either.right({
        serviceName: "venue-fleet",
        isJson: false,
        targets: {
          metrics: { url: "http://collector:4318/v1/metrics", headers, every: 1000 },
          logs: { url: "https://logs/in", headers, every: 1000 }
        }
      })
    )
  })

  it.each([
    [{}, undefined],
    [{ ...endpoint, OTEL_SDK_DISABLED: "true" }, undefined],
    [{ ...endpoint, OTEL_SERVICE_NAME: "books" }, { serviceName: "books" }],
    [{ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: "a=b,service.name=books" }, { serviceName: undefined }],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }, { isJson: true }]
  ])("%j", (variables, expected) => {
    const settings = Either.getOrThrow(settingsOf(variables))
    if (expected === undefined) expect(settings).toBeUndefined()
    else expect(settings).toMatchObject(expected)
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "user:hidden@collector" }, "OTEL_EXPORTER_OTLP_ENDPOINT is not an http URL"],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      "OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf and http/json are supported"
    ],
    [{ ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: "1s" }, "OTEL_METRIC_EXPORT_INTERVAL is not a number of milliseconds"]
  ])("are refused by name, without a value: %j", (variables, message) => {
    expect(settingsOf(variables)).toEqual(Either.left(message))
  })
})

const logLine = expect.objectContaining({
  logLevel: expect.any(String),
  timestamp: expect.any(String),
  message: expect.anything()
})

const parsed = (text: string): ReadonlyArray<unknown> => linesOf(text).map((line): unknown => JSON.parse(line))

describe("venue fleet run --metrics-port", () => {
  it("serves metrics and health, logs only JSON, and shows no secret", async () => {
    const file = fleets.declare(credentials, "watched", { main: { masterUid: "1" }, expired: { masterUid: "2" } })
    const args = ["fleet", "run", file, "--out", "watched", "--metrics-port", "0", "--log-format", "json"]
    const warning = "process.on('SIGUSR2',()=>process.emitWarning('odd'))"
    let output = ""
    const running = launch(
      args,
      { NODE_OPTIONS: `--import=data:text/javascript,${warning}` },
      (text) => (output = text)
    )
    const url = await metricsAt(() => output)
    const text = await scrape(url, (values) => valuesOf(values, "venue_fleet_stopped_accounts")[0]?.value === 1)
    running.kill("SIGUSR2")
    expect(valuesOf(text, "venue_fleet_due")).toEqual([{ labels: { egress: "default" }, value: expect.any(Number) }])
    expect(valuesOf(text, "venue_ban_seconds")).toEqual([
      { labels: { egress: "default", address: new URL(credentials.main.baseUrl).host }, value: 0 }
    ])
    expect(valuesOf(text, "venue_limit_room").map(({ labels }) => labels.limit)).toContain("address")
    expect(valuesOf(text, "process_resident_memory_bytes")[0]?.value).toBeGreaterThan(1e6)
    const health = await fetch(`${url}/healthz`)
    expect([health.status, await health.json()]).toEqual([200, { status: "ok", version: "0.1.0" }])
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
    expect((await fetch(`${url}/`)).status).toBe(404)
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405)
    running.kill("SIGTERM")
    const { code, err, out } = await running.ended
    expect(code).toBe(130)
    expect(parsed(err)).toEqual(linesOf(err).map(() => logLine))
    expect(parsed(err)).toContainEqual(expect.objectContaining({ logLevel: "WARN", message: "Warning: odd" }))
    expect(parsed(out).at(-1)).toMatchObject({ exports: 2, stopped: 1 })
    expectNoSecretIn(`${err}${out}${text}`)
  })

  it("logs its failure as a record, and omits records below the log level", async () => {
    const file = fleets.declare(credentials, "failing", { expired: { masterUid: "2" } })
    const args = ["fleet", "run", file, "--out", "failing", "--once", "--log-format", "json", "--log-level", "error"]
    const { code, err } = await venue(args)
    expect(code).toBe(1)
    expect(parsed(err)).toEqual([
      expect.objectContaining({
        logLevel: "ERROR",
        message: "1 export failed, stopped or may lack rows: see venue fleet status --out failing"
      })
    ])
  })

  it("does not start if the port is in use", async () => {
    const server = http.createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as net.AddressInfo
    const ended = await venue(["fleet", "run", "none.json", "--metrics-port", String(port)])
    server.close()
    expect(ended).toMatchObject({ code: 2, out: "" })
    expect(ended.err).toMatch(new RegExp(`^venue: --metrics-port ${port}: listen EADDRINUSE`))
  })
})

describe("venue sandbox --metrics-port", () => {
  it("is ready when it serves, and prints its variables as JSON", async () => {
    let output = ""
    const running = launch(["sandbox", "--metrics-port", "0", "--log-format", "json"], {}, (text) => (output = text))
    const url = await metricsAt(() => output)
    while ((await fetch(`${url}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
    running.kill()
    const { code, err, out } = await running.ended
    expect(code).toBe(0)
    expect(parsed(out)).toEqual([
      {
        VENUE_BASE_URL: expect.stringMatching(/^http:/),
        VENUE_API_KEY: expect.any(String),
        VENUE_API_SECRET: expect.any(String)
      }
    ])
    expect(parsed(err)).toEqual(linesOf(err).map(() => logLine))
  })
})

describe("a collector", () => {
  const requests: Array<{ readonly url: string | undefined; readonly tenant: unknown; readonly body: string }> = []
  const collector = http.createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      requests.push({ url: request.url, tenant: request.headers.tenant, body })
      response.end("{}")
    })
  })
  beforeAll(() => new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve)))
  afterAll(() => void collector.close())

  it("receives the spans, gauges and logs of a fleet, and no secret", async () => {
    const { port } = collector.address() as net.AddressInfo
    const file = fleets.declare(credentials, "sent", { main: { masterUid: "1" }, expired: { masterUid: "2" } })
    const ended = await launched(["fleet", "run", file, "--out", "sent", "--once"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: "tenant=books",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_METRIC_EXPORT_INTERVAL: "200"
    })
    expect(ended.code).toBe(1)
    const bodyOf = (signal: string) =>
      requests.flatMap(({ body, url }) => (url === `/v1/${signal}` ? [body] : [])).join("\n")
    expect(bodyOf("traces")).toContain('"venue.fleet.export"')
    expect(bodyOf("metrics")).toContain('"venue_fleet_stopped_accounts"')
    expect(bodyOf("logs")).toContain("export of expired, executions-linear")
    expect(bodyOf("traces")).toContain('"stringValue":"venue-fleet"')
    expect(new Set(requests.map(({ tenant }) => tenant))).toEqual(new Set(["books"]))
    expectNoSecretIn(requests.map(({ body }) => body).join("\n"))
  })
})
