import { describe, expect } from "@effect/vitest"
import * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as Samples from "@effect-venue/testing/Samples"
import * as Specification from "@effect-venue/testing/Specification"
import { Effect, TestClock } from "effect"
import * as Raw from "../utils/raw.js"
import * as Rules from "./utils.js"

const names = Samples.all.map(({ name }) => name)

/** The fields of an answer; none where it is no JSON. */
const fieldsOf = (json: object | undefined): ReadonlyArray<string> => Object.keys(json ?? {}).toSorted()

// Every operation twice: once accepted, once refused for a wrong secret.
const answers = (operation: Rules.Operation) =>
  Effect.all([
    Effect.flatMap(Rules.example(operation), (request) => Rules.send(operation, request)),
    Effect.flatMap(Rules.example(operation), (request) => Rules.send(operation, request, { secret: "no" }))
  ])

/** A world in which there is a new risk limit to confirm. */
const world = Rules.altered((state, main) =>
  Exchange.withAccount(state, {
    ...main,
    positions: main.positions.map((one) => (one.symbol === "XRPUSDT" ? { ...one, isReduceOnly: true } : one))
  })
)

describe("envelopes", () => {
  Rules.rule(
    "[conventions/envelope-a, conventions/envelope-of] A",
    function* () {
      yield* TestClock.adjust("1500 millis")
      for (const operation of Specification.namesIn("standard")) {
        for (const { json } of yield* answers(operation)) {
          expect(fieldsOf(json), operation).toEqual(["result", "retCode", "retExtInfo", "retMsg", "time"])
          expect(Rules.kinds(json)).toMatchObject({ retCode: "integer", retMsg: "string", time: "integer" })
          expect(json.time).toBe(1500)
          expect(["object", "null"]).toContain(Rules.kinds(json).retExtInfo)
        }
      }
    },
    world
  )

  Rules.rule(
    "[conventions/envelope-b, conventions/envelope-of] B",
    function* () {
      yield* TestClock.adjust("1500 millis")
      for (const operation of Specification.namesIn("legacy")) {
        for (const { json } of yield* answers(operation)) {
          const fields = ["ext_code", "ext_info", "result", "ret_code", "ret_msg", "time_now"]
          expect(fieldsOf(json), operation).toEqual(fields)
          expect(Rules.kinds(json)).toMatchObject({
            ret_code: "integer",
            ret_msg: "string",
            ext_code: "string",
            ext_info: "null",
            time_now: "integer"
          })
          expect(json.time_now).toBe(1500)
        }
      }
    },
    world
  )

  Rules.rule(
    "[conventions/envelope-bare, conventions/envelope-of] three fields",
    function* () {
      for (const operation of Specification.namesIn("bare")) {
        for (const { json } of yield* answers(operation)) {
          expect(fieldsOf(json), operation).toEqual(["result", "ret_code", "ret_msg"])
          expect(Rules.kinds(json)).toMatchObject({ ret_code: "integer", ret_msg: "string" })
        }
      }
    },
    world
  )

  Rules.rule(
    "[errors/1] a success has code 0 and the message OK or success, and a failure does not",
    function* () {
      for (const operation of names) {
        const [taken, refused] = yield* answers(operation)
        expect([operation, taken.status, taken.code], taken.text.slice(0, 200)).toEqual([operation, 200, 0])
        expect(["OK", "success"]).toContain(taken.json.retMsg ?? taken.json.ret_msg)
        expect(typeof taken.json.result).toBe("object")
        if (operation === "instruments.list") continue
        expect(refused.code).not.toBe(0)
        expect(["OK", "success"]).not.toContain(refused.json.retMsg ?? refused.json.ret_msg)
      }
    },
    world
  )
})

describe("conventions", () => {
  Rules.rule("[conventions/get] a GET's parameters are those of the query, and it has no body", function* () {
    const { path } = Rules.routeOf("executions.list")
    expect(yield* Rules.code("executions.list", { category: "linear" })).toBe(0)
    expect(yield* Rules.code("executions.list", {})).toBe(10001)
    const sent = yield* Raw.bare({ target: path, body: new TextEncoder().encode('{"category":"linear"}') })
    expect(sent.status).toBe(403)
  })

  Rules.rule("[conventions/post] a POST's parameters are those of its JSON body", function* () {
    const { credentials } = yield* Rules.sandbox
    const { method, path } = Rules.routeOf("orders.amend")
    const parameters = { category: "linear", symbol: "BTCUSDT", orderId: "none", qty: "1" }
    expect(yield* Rules.code("orders.amend", parameters)).toBe(110001)
    const inQuery = Raw.request({ path, method, parameters: {}, credentials: credentials.main, timestamp: 0 })
    const query = Object.entries(parameters)
      .map(([name, value]) => `${name}=${value}`)
      .join("&")
    expect((yield* Raw.bare({ ...inQuery, target: `${path}?${query}` })).code).toBe(10001)
    const form = new TextEncoder().encode(query)
    const sign = Raw.sign(credentials.main, 0, "5000", query)
    const headers = { ...inQuery.headers, "x-bapi-sign": sign }
    expect((yield* Raw.bare({ ...inQuery, headers, body: form })).code).toBe(10001)
  })

  Rules.rule("[versioning/paths] every path contains its version, and other versions do not exist", function* () {
    for (const { method, path } of Rules.names.map(Rules.routeOf)) {
      expect(path).toMatch(/^\/(cloud\/trade\/v3|private\/v1)\//)
      const status = (target: string) => Effect.map(Raw.bare({ method, target }), (answer) => answer.status)
      // It is there, and does not know who asks, or what for.
      expect([400, 401]).toContain(yield* status(path))
      const [elsewhere, unversioned] = [path.replace(/v[13]/, "v2"), path.replace(/\/v[13]/, "")]
      expect([yield* status(elsewhere), yield* status(unversioned)]).toEqual([404, 404])
    }
  })
})
