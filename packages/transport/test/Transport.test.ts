import * as Assets from "@effect-venue/schemas/Assets"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import type * as Failure from "@effect-venue/transport/Failure"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, TestClock } from "effect"
import { inspect } from "node:util"
import { settle } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

const executions = { category: "linear" } as const
const amend = { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" } as const
const transferRequest = {
  requestId: "87c18caa-539a-449e-99cc-c39e4329bcc5",
  coin: "USDT",
  amount: "1",
  fromAccountType: "UNIFIED",
  toAccountType: "FUND"
} as const
const emptyPage = { category: "linear", list: [], nextPageCursor: "" }
const acknowledged = { orderId: "o-1", orderLinkId: "" }

/** Runs a call to its end, however long it waits in between. */
const failureOf = <A, E>(exit: Exit.Exit<A, E>): E => {
  const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
  if (Option.isNone(failure)) throw new Error(`no failure: ${inspect(exit)}`)
  return failure.value
}

const read = (script: scripted.Script) => {
  const far = scripted.make(script)
  const call = Transport.Transport.pipe(Effect.flatMap((transport) => transport.call(Executions.list, executions)))
  return { far, run: settle(call).pipe(Effect.provide(far.layer)) }
}

const write = (script: scripted.Script) => {
  const far = scripted.make(script)
  const call = Transport.Transport.pipe(Effect.flatMap((transport) => transport.call(Orders.amend, amend)))
  return { far, run: settle(call).pipe(Effect.provide(far.layer)) }
}

describe("a call", () => {
  it.effect("returns the result on the domain side", () =>
    Effect.gen(function* () {
      const { run } = write(() => scripted.ok(acknowledged))
      const exit = yield* run
      expect(exit).toStrictEqual(Exit.succeed({ orderId: "o-1", orderLinkId: Option.none() }))
    })
  )

  it.effect("returns the wire side of the result verbatim, with unknown fields", () =>
    Effect.gen(function* () {
      const result = { ...emptyPage, novelty: [1, { a: null }] }
      const far = scripted.make(() => scripted.ok(result))
      const page = yield* Effect.provide(
        Effect.flatMap(Transport.Transport, (transport) => transport.callWire(Executions.list, executions)),
        far.layer
      )
      expect(page).toStrictEqual(result)
    })
  )

  it.effect("returns the text of the response with the result, for notations that values do not keep", () =>
    Effect.gen(function* () {
      const body =
        '{ "retCode":0,"retMsg":"OK","result":{"category":"linear","list":[],\n"nextPageCursor":"","odd":1.50},"time":1672282722429}'
      const far = scripted.make(() => ({ status: 200, body }))
      const answer = yield* Effect.provide(
        Effect.flatMap(Transport.Transport, (transport) => transport.account.callText(Executions.list, executions)),
        far.layer
      )
      expect(answer).toMatchObject({ result: { list: [] }, body })
    })
  )

  it.effect("that breaks rules is refused before sending, with every broken rule", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => scripted.ok(acknowledged))
      const failure = yield* Effect.flip(
        Effect.flatMap(Transport.Transport, (transport) =>
          transport.call(Orders.amend, { ...amend, price: "0", qty: "1e", symbol: "" })
        )
      ).pipe(Effect.provide(far.layer))
      expect(failure).toMatchObject({ _tag: "InvalidRequest", operation: "orders.amend" })
      expect((failure as Failure.InvalidRequest).issues.map(({ field }) => field).sort()).toEqual([
        "price",
        "qty",
        "symbol"
      ])
      expect(far.arrived).toEqual([])
    })
  )

  it.effect("refuses text that cannot be encoded as UTF-8", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => scripted.ok(emptyPage))
      const failure = yield* Effect.flip(
        Effect.flatMap(Transport.Transport, (transport) =>
          transport.call(Executions.list, { ...executions, symbol: "BTC\ud800" })
        )
      ).pipe(Effect.provide(far.layer))
      expect(failure).toMatchObject({ _tag: "InvalidRequest", field: "symbol", rule: "must be well-formed text" })
      expect(far.arrived).toEqual([])
    })
  )

  it.effect("without credentials can use public operations only", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => scripted.ok(emptyPage))
      const layer = Transport.layerStandalone.pipe(
        Layer.provide(Credentials.layerPublic({ baseUrl: "http://venue.test" })),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, far.client))
      )
      const program = Effect.gen(function* () {
        const transport = yield* Transport.Transport
        const instruments = yield* transport.call(Instruments.list, { category: "linear" })
        const refused = yield* Effect.flip(transport.call(Executions.list, executions))
        return { instruments, refused }
      })
      const { instruments, refused } = yield* Effect.provide(program, layer)
      expect(instruments.list).toEqual([])
      expect(refused).toMatchObject({ _tag: "Unauthorized", reason: "Credentials" })
      expect(far.arrived).toHaveLength(1)
      expect(Object.keys(far.arrived[0]?.headers ?? {}).filter((name) => name.startsWith("x-bapi"))).toEqual([])
    })
  )
})

describe("every request", () => {
  it.effect("is signed after it has waited for its rate limit", () =>
    Effect.gen(function* () {
      const far = scripted.make((arrived) => scripted.ok(emptyPage, arrived.at))
      const calls = Effect.flatMap(Transport.Transport, (transport) =>
        Effect.all(
          Array.from({ length: 25 }, () => transport.call(Executions.list, executions)),
          { concurrency: "unbounded" }
        )
      )
      expect(Exit.isSuccess(yield* settle(calls).pipe(Effect.provide(far.layer)))).toBe(true)
      expect(far.arrived).toHaveLength(25)
      for (const { at, headers } of far.arrived) expect(headers["x-bapi-timestamp"]).toBe(String(at))
      // 10 a second: 25 calls need three windows.
      expect(Math.max(...far.arrived.map(({ at }) => at))).toBeGreaterThanOrEqual(2000)
    })
  )
})

describe("a failed write", () => {
  const refusedConnection = {
    fail: Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" })
  } as const
  const reset = { fail: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }) } as const

  it.effect("of unknown outcome has the identifiers of its write", () =>
    Effect.gen(function* () {
      expect(failureOf(yield* write(() => reset).run)).toMatchObject({
        _tag: "OutcomeUnknown",
        operation: "orders.amend",
        identifiers: { category: "linear", symbol: "BTCUSDT", orderId: "o-1" }
      })
    })
  )

  it.effect("is repeated when the connection was refused, since nothing was sent", () =>
    Effect.gen(function* () {
      const { far, run } = write((_, index) => (index < 2 ? refusedConnection : scripted.ok(acknowledged)))
      expect(Exit.isSuccess(yield* run)).toBe(true)
      expect(far.arrived).toHaveLength(3)
    })
  )

  it.effect("with a request id is repeated with the same id after a broken connection", () =>
    Effect.gen(function* () {
      const far = scripted.make((_, index) =>
        index < 2
          ? reset
          : {
              body: JSON.stringify({
                ret_code: 0,
                ret_msg: "OK",
                ext_code: "",
                result: { transfer_id: transferRequest.requestId },
                ext_info: null,
                time_now: 0
              })
            }
      )
      const call = Effect.flatMap(Transport.Transport, (transport) => transport.call(Assets.transfer, transferRequest))
      expect(yield* settle(call).pipe(Effect.provide(far.layer))).toStrictEqual(
        Exit.succeed({ transferId: transferRequest.requestId })
      )
      const bodies = far.arrived.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
      expect(bodies.map(({ requestId }) => requestId)).toEqual(Array(3).fill(transferRequest.requestId))
      expect(new Set(bodies.map(({ sign }) => sign)).size).toBe(3)
    })
  )
})

describe("the service's clock", () => {
  const server = 1_700_000_000_000
  const refuseSkewed =
    (behind: number): scripted.Script =>
    (arrived) => {
      const now = server + arrived.at
      const timestamp = Number(arrived.headers["x-bapi-timestamp"])
      return timestamp >= now - 5000 - behind && timestamp < now + 1000
        ? scripted.ok(emptyPage, now)
        : scripted.refused(10002, "timestamp", now)
    }

  it.effect("is learnt from a refusal, and the call is signed again once", () =>
    Effect.gen(function* () {
      const { far, run } = read(refuseSkewed(0))
      expect(Exit.isSuccess(yield* run)).toBe(true)
      expect(far.arrived.map(({ headers }) => Number(headers["x-bapi-timestamp"]))).toEqual([0, server])
    })
  )

  it.effect("is learnt from a refused write too, because a wrong timestamp prevents its execution", () =>
    Effect.gen(function* () {
      const { far, run } = write((_, index) =>
        index === 0 ? scripted.refused(10002, "timestamp", server) : scripted.ok(acknowledged, server)
      )
      expect(Exit.isSuccess(yield* run)).toBe(true)
      expect(far.arrived).toHaveLength(2)
    })
  )

  it.effect("is reported with its skew if the second attempt is refused too", () =>
    Effect.gen(function* () {
      const { far, run } = read(() => scripted.refused(10002, "timestamp", server))
      expect(failureOf(yield* run)).toMatchObject({ _tag: "ClockSkew", skewMillis: server, retCode: 10002 })
      expect(far.arrived).toHaveLength(2)
    })
  )

  it.effect("has no skew if the refusal has no time that can be read", () =>
    Effect.gen(function* () {
      const { far, run } = read(() => ({ body: '{"retCode":10002,"retMsg":"timestamp","time":"1595314742.549034"}' }))
      const failure = failureOf(yield* run)
      expect(failure).toMatchObject({ _tag: "ClockSkew", retCode: 10002 })
      expect(failure).not.toHaveProperty("skewMillis")
      expect(failure.message).toContain(": the service's clock is not known, code 10002: timestamp")
      expect(far.arrived).toHaveLength(1)
    })
  )

  it.effect("is learnt from responses before a request is refused", () =>
    Effect.gen(function* () {
      const far = scripted.make((arrived) => scripted.ok(emptyPage, arrived.at + 700))
      const program = Effect.gen(function* () {
        const transport = yield* Transport.Transport
        yield* transport.call(Executions.list, executions)
        yield* TestClock.adjust("1 minute")
        yield* transport.call(Executions.list, executions)
      })
      yield* Effect.provide(program, far.layer)
      expect(far.arrived.map(({ headers }) => headers["x-bapi-timestamp"])).toEqual(["0", "60700"])
    })
  )
})

describe("the return-code table", () => {
  it.effect("can be extended by an application", () =>
    Effect.gen(function* () {
      const { run } = write(() => scripted.refused(987654))
      const extended = CallOptions.layerReturnCodes([
        {
          code: 987654,
          family: "riskLimit",
          executed: "no",
          onServicePage: false,
          scope: "application",
          meaning: "invented",
          noChange: false
        }
      ])
      expect(failureOf(yield* Effect.provide(run, extended))).toMatchObject({ _tag: "Rejected", reason: "RiskLimit" })
    })
  )
})
