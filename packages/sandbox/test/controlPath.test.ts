import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import { describe, expect, it } from "@effect/vitest"
import { Clock, type Duration, Effect, Exit, Fiber, Layer, Redacted, Schedule, Scope } from "effect"
import { readFileSync } from "node:fs"
import * as Raw from "./utils/raw.js"
import { onServer } from "./utils/tests.js"

const wallet = "/cloud/trade/v3/account/wallet-balance"

const send = (url: string, options: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, options)
    const text = await response.text()
    const challenge = response.headers.get("www-authenticate")
    return { status: response.status, challenge, text, json: text.startsWith("{") ? JSON.parse(text) : undefined }
  })

const command = (url: string, name: string, body: unknown, headers: Record<string, string> = {}) =>
  send(`${url}/sandbox/control/${name}`, { method: "POST", body: JSON.stringify(body), headers })

const balance = (url: string, opened: { readonly uid: string; readonly apiKey: string; readonly apiSecret: string }) =>
  Effect.gen(function* () {
    const timestamp = yield* Clock.currentTimeMillis
    const { credentials } = yield* Server.Server
    const { headers, target } = Raw.request({
      path: wallet,
      parameters: { accountType: "UNIFIED", coin: "USDT" },
      timestamp,
      credentials: {
        ...credentials.main,
        apiKey: Redacted.make(opened.apiKey),
        apiSecret: Redacted.make(opened.apiSecret)
      }
    })
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? ""]))
    return (yield* send(url + target, { headers: named })).json
  })

describe("the control path", () => {
  it.scopedLive("accepts commands without a signature, and lists the commands", () =>
    Effect.gen(function* () {
      const { url } = yield* Server.Server
      const { json } = yield* send(`${url}/sandbox/control`)
      for (const name of ["openAccount", "openKey", "setPrice", "liquidate", "fill", "snapshot", "restore", "reset"]) {
        expect(json.commands).toContainEqual({
          name,
          methods: name === "snapshot" ? ["GET", "POST"] : ["POST"],
          path: `/sandbox/control/${name}`,
          summary: expect.any(String)
        })
      }
      const opened = yield* command(url, "openAccount", { funds: { USDT: "7.50" } })
      expect(opened.status).toBe(200)
      expect((yield* balance(url, opened.json)).result.list[0].coin[0].walletBalance).toBe("7.5")

      const state = yield* send(`${url}/sandbox/control/snapshot`)
      expect(state.json).toMatchObject({ format: "effect-venue sandbox state", version: 1 })
      expect((yield* command(url, "reset", {})).text).toBe("{}")
      expect((yield* balance(url, opened.json)).retCode).toBe(10003)
      expect((yield* send(`${url}/sandbox/control/restore`, { method: "POST", body: state.text })).status).toBe(200)
      expect((yield* balance(url, opened.json)).result.list[0].coin[0].walletBalance).toBe("7.5")

      // The same control, in the program that runs the server.
      const control = yield* SandboxControl
      expect((yield* control.openAccount()).baseUrl).toBe(url)
    }).pipe(Effect.provide(Server.layer({ seed: 5, world: "empty" })))
  )

  onServer("returns the reason of a refused command as JSON", function* () {
    const { url } = yield* Server.Server
    const cases: ReadonlyArray<readonly [string, unknown, number, Record<string, unknown>]> = [
      ["openAccount", { funds: { USDT: "-1" } }, 400, { error: "InvalidArgument", field: "funds.USDT" }],
      ["openAccount", { uid: Sandbox.baseUrl }, 400, { error: "InvalidArgument", field: "uid" }],
      ["openAccount", { uid: "10000001" }, 409, { error: "Conflict", field: "uid" }],
      ["openAccount", { master: "10000101" }, 422, { error: "NotPossible", field: "master" }],
      [
        "openKey",
        { uid: "404" },
        404,
        { error: "NotFound", field: "uid", message: "openKey: uid has no account: 404" }
      ],
      ["restore", { format: "none" }, 400, { error: "InvalidArgument", field: "format" }],
      ["nonsense", {}, 404, { error: "NotFound", message: "nonsense: is no command" }]
    ]
    for (const [name, body, status, json] of cases) {
      const answer = yield* command(url, name, body)
      expect(answer.status).toBe(status)
      expect(answer.json).toMatchObject(json)
    }
    const broken = yield* send(`${url}/sandbox/control/reset`, { method: "POST", body: "{" })
    expect(broken).toMatchObject({ status: 400, json: { message: "the body is not JSON" } })
    expect((yield* send(`${url}/sandbox/control/reset`)).status).toBe(405)
    // What is not under it is the exchange's.
    expect(yield* send(`${url}/sandbox/controls`)).toMatchObject({ status: 404, text: "404 page not found" })
  })

  onServer("is not counted by rate limits", function* () {
    const { url } = yield* Server.Server
    yield* Effect.forEach(Array.from({ length: 601 }), () => send(`${url}/sandbox/control`), { concurrency: 20 })
    expect((yield* send(`${url}/nowhere`)).status).toBe(404)
  })

  it.scopedLive("rejects requests from pages of other sites, and all requests if it is switched off", () =>
    Effect.gen(function* () {
      const sandbox = Layer.effect(Sandbox.Sandbox, Sandbox.make({ seed: 5 }))
      yield* Effect.gen(function* () {
        const { url } = yield* Server.serve()
        expect((yield* command(url, "reset", {}, { origin: "http://elsewhere.test" })).status).toBe(403)
        expect((yield* command(url, "reset", {}, { origin: url })).status).toBe(200)
        const closed = yield* Server.serve({ control: false })
        expect(yield* command(closed.url, "reset", {})).toMatchObject({ status: 403, json: { error: "Forbidden" } })
        // Reachable from elsewhere: only when that is allowed, and then without the control path.
        const refused = yield* Effect.flip(Server.serve({ host: "0.0.0.0" }))
        expect(refused).toMatchObject({ _tag: "ServeFailed", reason: "NotLoopback" })
        expect(refused.message).toBe(
          "0.0.0.0 can be reached from other machines: set `exposed` (--allow-remote) to allow this"
        )
        const exposed = yield* Server.serve({ host: "0.0.0.0", exposed: true })
        const port = new URL(exposed.url).port
        expect((yield* command(`http://127.0.0.1:${port}`, "reset", {})).status).toBe(403)
        expect((yield* send(`http://127.0.0.1:${port}/`)).status).toBe(403)
        expect((yield* send(`http://127.0.0.1:${port}/nowhere`)).status).toBe(404)
      }).pipe(Effect.provide(sandbox))
    })
  )
})

describe("a control token", () => {
  const token = "a token of this test"
  const bearer = { authorization: `Bearer ${token}` }

  it.scopedLive("opens the control path to other machines, and is also required on the same machine", () =>
    Effect.gen(function* () {
      const sandbox = Layer.effect(Sandbox.Sandbox, Sandbox.make({ seed: 5 }))
      yield* Effect.gen(function* () {
        const { url } = yield* Server.serve({ host: "0.0.0.0", exposed: true, controlToken: Redacted.make(token) })
        for (const wrong of [{}, { authorization: token }, { authorization: `Bearer ${token}x` }]) {
          expect(yield* command(url, "reset", {}, wrong)).toMatchObject({
            status: 401,
            json: { error: "Unauthorized" }
          })
        }
        expect((yield* command(url, "reset", {}, bearer)).status).toBe(200)
        expect((yield* send(`${url}/sandbox/control/snapshot`)).status).toBe(401)
        for (const page of ["/", "/page.js", "/page.css"]) {
          // A browser asks for a password when it is challenged with this scheme.
          expect(yield* send(url + page)).toMatchObject({ status: 401, challenge: expect.stringMatching(/^Basic /) })
          expect((yield* send(url + page, { headers: bearer })).status).toBe(200)
        }
        // The exchange itself needs no token, and reports that it is ready.
        const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
        expect(yield* send(`${url}/healthz`)).toMatchObject({ status: 200, json: { status: "ready", version } })
      }).pipe(Effect.provide(sandbox))
    })
  )
})

describe("the clock of a server", () => {
  onServer("can be advanced with all events on the way, stopped and started", function* () {
    const { url } = yield* Server.Server
    const { now: begun } = (yield* send(`${url}/sandbox/control/clock`)).json
    const { accounts } = (yield* send(`${url}/sandbox/control/accounts`)).json
    const main = accounts.find(({ keys }: { keys: ReadonlyArray<{ role: string }> }) => keys[0]?.role === "main")
    expect(main).toMatchObject({ uid: "10000001", master: null, unified: true, banned: false })

    const moved = yield* command(url, "setClock", { by: "25 hours", stopped: true })
    expect(moved.json.stopped).toBe(true)
    expect(moved.json.now - begun).toBeGreaterThanOrEqual(25 * 3_600_000)
    expect((yield* send(`${url}/sandbox/control/clock`)).json).toEqual(moved.json)

    // Signed by the clock of this machine, a request is too old, and the response says what time it is.
    const { credentials } = yield* Server.Server
    const fundings = (timestamp: number) => {
      const parameters = { category: "linear", execType: "Funding", startTime: begun, endTime: moved.json.now }
      const { headers, target } = Raw.request({
        path: "/cloud/trade/v3/execution/list",
        parameters,
        timestamp,
        credentials: credentials.main
      })
      return send(url + target, {
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value ?? ""]))
      })
    }
    expect((yield* fundings(begun)).json).toMatchObject({ retCode: 10002, time: moved.json.now })
    const { list } = (yield* fundings(moved.json.now)).json.result
    // Every position is funded three times a day.
    expect(list.length).toBeGreaterThanOrEqual(3)

    expect((yield* command(url, "setClock", { to: begun })).json).toMatchObject({
      error: "InvalidArgument",
      field: "to"
    })
    expect((yield* command(url, "setClock", { by: 1, to: begun })).status).toBe(400)
    expect((yield* command(url, "setClock", { stopped: false })).json.stopped).toBe(false)
  })
})

describe("a server that is stopped", () => {
  const delayed = (millis: number) => ({
    seed: 5,
    faults: { rules: [{ fault: { kind: "delay" as const, millis, executed: "atOnce" as const } }] }
  })
  const market = "/cloud/trade/v3/market/instruments-info?category=spot"

  const started = (options: Sandbox.Options, grace: Duration.DurationInput) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const sandbox = yield* Sandbox.make(options)
      const { url } = yield* Server.serve({ grace }).pipe(
        Effect.provideService(Sandbox.Sandbox, sandbox),
        Scope.extend(scope)
      )
      const answer = yield* Effect.fork(Effect.tryPromise(async () => (await fetch(url + market)).status))
      // The log has a request as soon as it has come in.
      yield* Effect.repeat(sandbox.faults.log, {
        until: (log) => log.length > 0,
        schedule: Schedule.spaced("10 millis")
      })
      yield* Scope.close(scope, Exit.void)
      return { answer: yield* Effect.either(Fiber.join(answer)), url }
    })

  it.live("answers a request in progress", () =>
    Effect.gen(function* () {
      const { answer, url } = yield* started(delayed(300), "10 seconds")
      expect(answer).toMatchObject({ _tag: "Right", right: 200 })
      expect(yield* Effect.isFailure(Effect.tryPromise(() => fetch(url)))).toBe(true)
    })
  )

  it.live("aborts requests that exceed the grace period", () =>
    Effect.gen(function* () {
      const { answer } = yield* started(delayed(600_000), "1 millis")
      expect(answer).toMatchObject({ _tag: "Left" })
    })
  )
})
