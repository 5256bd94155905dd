import * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as HttpClient from "@effect/platform/HttpClient"
import { describe, expect, it, layer } from "@effect/vitest"
import { Clock, Effect, Either, Exit, Fiber, Option, TestClock } from "effect"
import * as Raw from "./utils/raw.js"

const executions = "/cloud/trade/v3/execution/list"
const wallet = "/cloud/trade/v3/account/wallet-balance"
const coins = "/private/v1/asset/coin/query-info"
const subTransfers = "/private/v1/asset/sub-member/transfer/list"
const transferPath = "/private/v1/asset/transfer/single-account-transfer"
const instruments = "/cloud/trade/v3/market/instruments-info?category=inverse&limit=1"

let issued = 0
const transferBody = (fields: Readonly<Record<string, unknown>> = {}) => ({
  requestId: `42c0cfb0-6bca-c242-bc76-${(++issued).toString(16).padStart(12, "0")}`,
  coin: "USDT",
  amount: "0.5",
  fromAccountType: "FUND",
  toAccountType: "UNIFIED",
  ...fields
})

const set = (...rules: ReadonlyArray<Faults.Rule>) => Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.set(rules))
const log = Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.log)
const last = Effect.map(log, (entries) => entries.at(-1)!)

/** How many transfers the exchange holds for an id. */
const held = (requestId: string) =>
  Effect.gen(function* () {
    const { snapshot, uids } = yield* Sandbox.Sandbox
    const account = (yield* snapshot).accounts.get(uids.main)!
    return account.transfers.filter((one) => one.transferId === requestId).length
  })

/** One transfer that a fault hits: what the caller met, what the exchange holds, and what the log says. */
const hit = (fault: Faults.Fault) =>
  Effect.gen(function* () {
    yield* set({ fault, count: 1 })
    const body = transferBody()
    const met = yield* Effect.either(Raw.post(transferPath, body))
    const entry = yield* last
    expect(entry).toMatchObject({ operation: "assets.transfer", parameters: body, fault: Option.some(fault) })
    expect(entry.executed).toBe((yield* held(body.requestId)) === 1)
    return { met, executed: entry.executed }
  })

const answered = (fault: Faults.Fault) =>
  Effect.map(hit(fault), ({ executed, met }) => ({ executed, ...Either.getOrThrow(met) }))

const page = (cursor = "") => Raw.call(executions, { category: "linear", limit: 3, cursor })

interface Row {
  readonly [field: string]: unknown
}

interface ListResult {
  readonly list: ReadonlyArray<Row>
  readonly nextPageCursor: string
  readonly newlyIntroduced?: unknown
}

const resultOf = ({ json }: { readonly json: { readonly result: ListResult } }): ListResult => json.result
const ids = (answer: Raw.Answered) => resultOf(answer).list.map(({ execId }) => execId)
const cursorOf = (answer: Raw.Answered) => resultOf(answer).nextPageCursor

layer(Sandbox.layer({ seed: 3, limits: "off" }))("each fault", (it) => {
  for (const [kind, executed] of [
    ["dropBefore", false],
    ["dropAfter", true]
  ] as const) {
    it.effect(`${kind} resets the connection; executed: ${executed}`, () =>
      Effect.gen(function* () {
        const outcome = yield* hit({ kind })
        expect(outcome.executed).toBe(executed)
        expect(Either.isLeft(outcome.met) && outcome.met.left._tag).toBe("ConnectionReset")
      })
    )
  }

  it.effect("a dropped connection is a transport error for an HttpClient", () =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const { faults } = yield* Sandbox.Sandbox
      yield* faults.set([{ fault: { kind: "dropBefore" }, operations: ["instruments.list"] }])
      const error = yield* Effect.flip(client.get(Sandbox.baseUrl + instruments))
      expect(error).toMatchObject({ _tag: "RequestError", reason: "Transport", cause: { code: "ECONNRESET" } })
      yield* faults.set([{ fault: { kind: "truncated", breaks: true } }])
      const response = yield* client.get(Sandbox.baseUrl + instruments)
      expect(response.status).toBe(200)
      expect(yield* Effect.flip(response.text)).toMatchObject({ _tag: "ResponseError", cause: { code: "ECONNRESET" } })
    })
  )

  for (const executed of ["atOnce", "afterwards"] as const) {
    it.effect(`delay sends the response late, executed: ${executed}, even if the caller no longer waits`, () =>
      Effect.gen(function* () {
        yield* set({ fault: { kind: "delay", millis: 2000, executed } })
        const body = transferBody()
        const call = yield* Effect.fork(Raw.post(transferPath, body))
        yield* TestClock.adjust("1999 millis")
        expect(yield* Fiber.poll(call)).toEqual(Option.none())
        expect(yield* held(body.requestId)).toBe(executed === "atOnce" ? 1 : 0)
        expect((yield* last).executed).toBe(executed === "atOnce")
        yield* TestClock.adjust("1 millis")
        expect((yield* Fiber.join(call)).code).toBe(0)
        expect((yield* last).executed).toBe(true)

        const other = transferBody()
        const given = yield* Effect.fork(Raw.post(transferPath, other))
        yield* TestClock.adjust("1 seconds")
        yield* Fiber.interrupt(given)
        yield* TestClock.adjust("1 seconds")
        expect(yield* held(other.requestId)).toBe(1)
        expect((yield* last).executed).toBe(true)
      })
    )
  }

  it.effect("delay does not extend the receive window: a request executed after it is refused", () =>
    Effect.gen(function* () {
      yield* set({ fault: { kind: "delay", millis: 6000, executed: "afterwards" } })
      const call = yield* Effect.fork(Raw.post(transferPath, transferBody()))
      yield* TestClock.adjust("6 seconds")
      expect((yield* Fiber.join(call)).code).toBe(10002)
      expect((yield* last).executed).toBe(false)
    })
  )

  it.effect("truncated sends only the beginning of the body", () =>
    Effect.gen(function* () {
      yield* set({ fault: { kind: "truncated", breaks: false } })
      const { handle } = yield* Sandbox.Sandbox
      const request = { method: "GET", target: instruments, headers: {}, body: new Uint8Array() }
      const half = yield* handle(request)
      yield* set({ fault: { kind: "truncated", breaks: false, keep: 0.9 } })
      const most = yield* handle(request)
      yield* set()
      const whole = yield* handle(request)
      expect(half.body).toBe(whole.body.slice(0, Math.floor(whole.body.length / 2)))
      expect(most.body).toBe(whole.body.slice(0, Math.floor(whole.body.length * 0.9)))
      yield* set({ fault: { kind: "truncated", breaks: true } })
      const broken = yield* handle(request)
      expect([broken.body, broken.breaksAfter]).toEqual([whole.body, half.body.length])
      expect((yield* last).executed).toBe(true)
    })
  )

  const htmlPage = { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, text: /^<!DOCTYPE html>/ }
  const answers: ReadonlyArray<readonly [Faults.Fault, { readonly executed: boolean; readonly text?: unknown }]> = [
    ...[true, false].flatMap((executed) => [
      [
        { kind: "html", executed } as const,
        { executed, ...htmlPage, text: expect.stringMatching(htmlPage.text) }
      ] as const,
      [{ kind: "status", status: 502, executed } as const, { executed, status: 502, text: "upstream error" }] as const,
      [
        { kind: "status", status: 503, text: "busy", executed } as const,
        { executed, status: 503, text: "busy" }
      ] as const,
      [{ kind: "internal", executed } as const, { executed, status: 200, code: 10016 }] as const
    ]),
    [{ kind: "ban" }, { executed: false, ...{ status: 403, text: "access too frequent" } }],
    [
      { kind: "skew", millis: 7000 },
      { executed: false, ...{ code: 10002, json: { time_now: 7000 } } }
    ],
    [{ kind: "nullResult" }, { executed: true, ...{ code: 0, json: { result: null } } }],
    [
      { kind: "wrongEnvelope" },
      { executed: true, ...{ json: { retCode: 0, result: { transferId: expect.any(String) } } } }
    ]
  ]
  for (const [fault, expected] of answers) {
    it.effect(`${JSON.stringify(fault)} with count 1 affects one request only`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(0)
        expect(yield* answered(fault)).toMatchObject(expected)
        expect((yield* Raw.post(transferPath, transferBody())).code).toBe(0)
      })
    )
  }

  for (const executed of [true, false]) {
    it.effect(`empty sends an empty body; executed: ${executed}`, () =>
      Effect.gen(function* () {
        yield* set({ fault: { kind: "empty", executed } })
        const { handle } = yield* Sandbox.Sandbox
        const nothing = yield* handle({ method: "GET", target: instruments, headers: {}, body: new Uint8Array() })
        expect([nothing.status, nothing.body, (yield* last).executed]).toEqual([200, "", executed])
      })
    )
  }

  it.effect("rateRefusal is sent with or without the headers of the limit", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(50_000)
      const bare = yield* answered({ kind: "rateRefusal", headers: false })
      expect([bare.status, bare.code, bare.executed]).toEqual([200, 10006, false])
      expect(Object.keys(bare.headers).filter((name) => /limit/i.test(name))).toEqual([])
      const told = yield* answered({ kind: "rateRefusal", headers: true })
      expect(told.headers).toMatchObject({
        "X-Bapi-Limit": "1",
        "X-Bapi-Limit-Status": "0",
        "X-Bapi-Limit-Reset-Timestamp": "51000"
      })
      yield* set({ fault: { kind: "rateRefusal", headers: true, limit: 4, resetMillis: -5 } })
      expect((yield* Raw.call(wallet, { accountType: "UNIFIED" })).headers).toMatchObject({
        "X-Bapi-Limit": "4",
        "X-Bapi-Limit-Reset-Timestamp": "49995"
      })
    })
  )

  it.effect("clock sets the server's clock ahead for a while, in checks and responses", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(100_000)
      yield* set({ fault: { kind: "clock", millis: 3_600_000 }, forMillis: 5000 })
      const behind = yield* Raw.post(transferPath, transferBody())
      expect([behind.code, behind.json.time_now]).toEqual([10002, 3_700_000])
      expect((yield* last).executed).toBe(false)
      const body = transferBody()
      const learnt = yield* Raw.post(transferPath, body, { skew: 3_600_000 })
      expect([learnt.code, learnt.json.time_now, learnt.headers.timenow]).toEqual([0, 3_700_000, "3700000"])
      expect([(yield* last).executed, yield* held(body.requestId)]).toEqual([true, 1])
      yield* TestClock.adjust("5 seconds")
      expect((yield* Raw.post(transferPath, transferBody(), { skew: 3_600_000 })).code).toBe(10002)
      expect((yield* Raw.post(transferPath, transferBody())).code).toBe(0)
    })
  )

  it.effect("clock can be combined with another fault", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(200_000)
      const internal: Faults.Fault = { kind: "internal", executed: true }
      yield* set({ fault: { kind: "clock", millis: -60_000 } }, { fault: internal })
      const body = transferBody()
      const answer = yield* Raw.post(transferPath, body, { skew: -60_000 })
      expect([answer.code, answer.json.time_now, yield* held(body.requestId)]).toEqual([10016, 140_000, 1])
      expect((yield* last).fault).toEqual(Option.some(internal))
    })
  )

  it.effect("wrongEnvelope uses the envelope of another operation", () =>
    Effect.gen(function* () {
      yield* set({ fault: { kind: "wrongEnvelope" } })
      expect((yield* Raw.call(wallet, { accountType: "UNIFIED" })).json).toMatchObject({ ret_code: 0, ext_code: "" })
      expect((yield* Raw.call(subTransfers)).json).toMatchObject({ retCode: 0, retMsg: "success" })
    })
  )

  it.effect("repeatedPage returns the rows of the previous page with the cursor of the current one", () =>
    Effect.gen(function* () {
      yield* set()
      const first = yield* page()
      const second = yield* page(cursorOf(first))
      yield* set({ fault: { kind: "repeatedPage" }, count: 1 })
      expect(ids(yield* page())).toEqual(ids(first))
      expect((yield* last).fault).toEqual(Option.none())
      const repeated = yield* page(cursorOf(first))
      expect(ids(repeated)).toEqual(ids(first))
      expect(cursorOf(repeated)).toBe(cursorOf(second))
      expect((yield* last).fault).toEqual(Option.some({ kind: "repeatedPage" }))
      expect(ids(yield* page(cursorOf(first)))).toEqual(ids(second))
    })
  )

  it.effect("repeatedCursor returns the cursor of the same page", () =>
    Effect.gen(function* () {
      yield* set({ fault: { kind: "repeatedCursor" } })
      const first = yield* page()
      expect(cursorOf(first)).not.toBe("")
      expect((yield* last).fault).toEqual(Option.none())
      const second = yield* page(cursorOf(first))
      expect(cursorOf(second)).toBe(cursorOf(first))
      expect(ids(second)).not.toEqual(ids(first))
      expect((yield* last).fault).toEqual(Option.some({ kind: "repeatedCursor" }))
    })
  )

  it.effect("missingCursor omits the next cursor and keeps the rows", () =>
    Effect.gen(function* () {
      yield* set()
      const whole = yield* page()
      expect(resultOf(whole)).toHaveProperty("nextPageCursor")
      yield* set({ fault: { kind: "missingCursor" } })
      const without = yield* page()
      expect(ids(without)).toEqual(ids(whole))
      expect(resultOf(without)).not.toHaveProperty("nextPageCursor")
    })
  )

  it.effect("missingRow omits a row if the page has one", () =>
    Effect.gen(function* () {
      yield* set()
      const whole = ids(yield* page())
      yield* set({ fault: { kind: "missingRow" } })
      expect(ids(yield* page())).toEqual([whole[0], whole[2]])
      const none = yield* Raw.call(executions, { category: "linear", startTime: 1, endTime: 2 })
      expect([none.code, none.json.result.list]).toEqual([0, []])
      expect((yield* last).fault).toEqual(Option.none())
    })
  )

  it.effect("unknownField adds a field to the result and to its rows", () =>
    Effect.gen(function* () {
      yield* set({ fault: { kind: "unknownField" } })
      const result = resultOf(yield* page())
      expect(result.newlyIntroduced).toBeDefined()
      expect(result.list.map((row) => "newlyIntroduced" in row)).toEqual([true, true, true])
      const made = yield* Raw.post(transferPath, transferBody())
      expect(Object.keys(made.json.result).sort()).toEqual(["newlyIntroduced", "transferId"])
    })
  )

  it.effect("unknownEnumValue changes one value of one row", () =>
    Effect.gen(function* () {
      yield* set()
      const before = resultOf(yield* page()).list
      yield* set({ fault: { kind: "unknownEnumValue" } })
      const after = resultOf(yield* page()).list
      const changed = Object.keys(before[0]!).filter((name) => before[0]![name] !== after[0]![name])
      expect(changed).toHaveLength(1)
      expect(after[0]![changed[0]!]).toBe("NewlyIntroduced")
      expect(after.slice(1)).toEqual(before.slice(1))
    })
  )

  it.effect("a refusal of the exchange is sent without the fault", () =>
    Effect.gen(function* () {
      yield* set({ fault: { kind: "nullResult" } })
      const refused = yield* Raw.post(transferPath, transferBody({ toAccountType: "FUND" }))
      expect(refused.code).toBe(131211)
      expect(yield* last).toMatchObject({ fault: Option.none(), executed: false })
    })
  )
})

layer(Sandbox.layer({ seed: 3, limits: "off", faults: { seed: 11, logSize: 50 } }))("rules", (it) => {
  const coin = Raw.call(coins, { coin: "BTC" })
  const statuses = (calls: number) =>
    Effect.map(Effect.replicateEffect(coin, calls), (all) => all.map(({ status }) => status))
  const fault: Faults.Fault = { kind: "status", status: 500, executed: false }

  it.effect("hit named operations only, after `skip` requests and `count` times", () =>
    Effect.gen(function* () {
      yield* set({ fault, operations: ["assets.coins"], skip: 2, count: 3 })
      expect((yield* Raw.call(wallet, { accountType: "UNIFIED" })).status).toBe(200)
      expect(yield* statuses(7)).toEqual([200, 200, 500, 500, 500, 200, 200])
      const { faults } = yield* Sandbox.Sandbox
      yield* set({ fault })
      yield* faults.clear
      expect(yield* statuses(1)).toEqual([200])
    })
  )

  it.effect("hit at random, equally for equal seeds", () =>
    Effect.gen(function* () {
      const run = Effect.zipRight(set({ fault, probability: 0.3 }), statuses(300))
      const first = yield* run
      const hits = first.filter((status) => status === 500).length
      expect(hits).toBeGreaterThan(60)
      expect(hits).toBeLessThan(120)
      expect(yield* run).toEqual(first)
    })
  )

  it.effect("with a common probability hit equally often", () =>
    Effect.gen(function* () {
      const kinds = [500, 501, 502, 503].map((status): Faults.Fault => ({ kind: "status", status, executed: false }))
      yield* set(...Faults.oneOf(kinds, { probability: 0.4, operations: ["assets.coins"] }))
      const all = yield* statuses(2000)
      for (const status of [500, 501, 502, 503]) {
        const part = all.filter((one) => one === status).length
        expect(part).toBeGreaterThan(140)
        expect(part).toBeLessThan(260)
      }
    })
  )

  it.effect("with an unknown operation or impossible options are rejected", () =>
    Effect.gen(function* () {
      for (const rule of [
        { fault, operations: ["orders.dance"] },
        { fault, probability: 2 },
        { fault, count: -1 }
      ]) {
        const exit = yield* Effect.exit(set(rule))
        expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Die")
      }
    })
  )

  it.effect("are logged with request and account, up to the size of the log, without secrets", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* set({ fault, count: 1 })
      yield* statuses(120)
      yield* Raw.call(wallet, { accountType: "UNIFIED", coin: "BTC" }, { role: "sub" })
      const entries = yield* sandbox.faults.log
      expect(entries).toHaveLength(50)
      expect(entries.at(-2)).toMatchObject({ operation: "assets.coins", parameters: { coin: "BTC" }, executed: true })
      const { response, ...last } = entries.at(-1) ?? expect.fail("nothing is logged")
      expect(Option.getOrElse(response, () => "")).toMatch(/^\{"retCode":0,.*"coin":"BTC"/)
      expect(last).toEqual({
        at: 0,
        method: "GET",
        path: wallet,
        operation: "account.walletBalance",
        signature: "valid",
        status: Option.some(200),
        code: Option.some(0),
        uid: Option.some(sandbox.uids.sub),
        parameters: { accountType: "UNIFIED", coin: "BTC" },
        fault: Option.none(),
        executed: true
      })
      expect(JSON.stringify(entries.map(({ parameters }) => parameters))).not.toMatch(/sign|api_key|timestamp/)
    })
  )
})

describe("options", () => {
  it.effect("set faults before the first request", () =>
    Effect.gen(function* () {
      const { faults, handle } = yield* Sandbox.Sandbox
      const request = { method: "GET", target: instruments, headers: {}, body: new Uint8Array() }
      expect((yield* handle(request)).status).toBe(503)
      expect((yield* faults.log).map(({ fault }) => Option.isSome(fault))).toEqual([true])
    }).pipe(
      Effect.provide(
        Sandbox.layer({ seed: 3, faults: { rules: [{ fault: { kind: "status", status: 503, executed: false } }] } })
      )
    )
  )
})

describe("on a socket", () => {
  const failure = (run: () => Promise<unknown>) =>
    Effect.flip(Effect.tryPromise({ try: run, catch: (error) => error })).pipe(
      Effect.map((error) => ({
        error,
        code: error instanceof Error ? (error.cause as { readonly code?: string } | undefined)?.code : undefined
      }))
    )

  /** A signed transfer as `fetch` sends it. */
  const transfer = (url: string, credentials: Sandbox.Sandbox.Shape["credentials"]["main"], init: RequestInit = {}) =>
    Effect.map(Clock.currentTimeMillis, (timestamp) => {
      const body = transferBody()
      const raw = Raw.request({ path: transferPath, method: "POST", parameters: body, credentials, timestamp })
      const headers = Object.fromEntries(Object.entries(raw.headers).map(([name, value]) => [name, value ?? ""]))
      return {
        requestId: body.requestId,
        send: () => fetch(url + raw.target, { ...init, method: "POST", headers, body: Buffer.from(raw.body) })
      }
    })

  it.scopedLive("drops connections and truncates bodies", () =>
    Effect.gen(function* () {
      const { credentials, url } = yield* Server.Server
      const { faults } = yield* Sandbox.Sandbox

      for (const kind of ["dropBefore", "dropAfter"] as const) {
        yield* faults.set([{ fault: { kind } }])
        const { requestId, send } = yield* transfer(url, credentials.main)
        expect((yield* failure(send)).code).toBe("ECONNRESET")
        expect(yield* held(requestId)).toBe(kind === "dropAfter" ? 1 : 0)
      }

      yield* faults.set([{ fault: { kind: "truncated", breaks: false, keep: 0.25 } }])
      const whole = yield* Effect.promise(() => fetch(url + instruments).then((one) => one.text()))
      expect(whole).toMatch(/^\{"retCode":0,/)
      expect(() => JSON.parse(whole) as unknown).toThrow()

      yield* faults.set([{ fault: { kind: "truncated", breaks: true } }])
      const begun = yield* Effect.promise(() => fetch(url + instruments))
      expect(begun.status).toBe(200)
      expect(Number(begun.headers.get("content-length"))).toBeGreaterThan(whole.length)
      expect((yield* failure(() => begun.text())).error).toBeInstanceOf(TypeError)

      yield* faults.clear
      expect((yield* Effect.promise(() => fetch(url + instruments))).status).toBe(200)
    }).pipe(Effect.provide(Server.layer({ seed: 3, limits: "off" })))
  )
})
