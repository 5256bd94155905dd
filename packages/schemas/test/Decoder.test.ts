import { beforeAll, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, ParseResult, Schema } from "effect"
import * as assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Absent from "@effect-venue/schemas/siblings/Absent"
import * as Decimal from "../src/scalars/Decimal.js"
import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import * as Endpoints from "../src/document/Endpoints.js"
import * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import * as Executions from "../src/domains/Executions.js"
import * as Instant from "../src/scalars/instants.js"
import * as Integer from "../src/scalars/integer.js"
import { check } from "../src/compiler/check.js"
import { read } from "../src/compiler/read.js"
import { refused } from "../src/compiler/protocol.js"
import * as Orders from "../src/domains/Orders.js"
import { agrees, asJson, isStraight, mutate, mutated, mutation, otherSchemas, runs, strange } from "./decoding.js"

const fixtures = new URL("fixtures/successes/", import.meta.url)

const recorded = readdirSync(fixtures).map((file) => {
  const { result } = JSON.parse(readFileSync(new URL(file, fixtures), "utf8")) as { readonly result: unknown }
  return { name: file.replace(/\.json$/, ""), result }
})

/** What failed where code from text is not allowed, as where a content security policy forbids it: messages by name. */
const failuresWithoutCode = new Map<string, string>()

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...["--disallow-code-generation-from-strings", "--import", "tsx"],
      fileURLToPath(new URL("withoutCode.ts", import.meta.url))
    ],
    // Where tsx is installed.
    { cwd: fileURLToPath(new URL("../../..", import.meta.url)), maxBuffer: 2 ** 26 }
  )
  const outcomes = Object.entries(JSON.parse(stdout) as Readonly<Record<string, string>>)
  for (const [name, outcome] of outcomes) failuresWithoutCode.set(name, outcome)
})

/** It ran, and found nothing. */
const agreesWithoutCode = (name: string): void => {
  assert.equal(failuresWithoutCode.get(name), "")
}

describe("the compiled decoder equals the schema's decoder", () => {
  for (const endpoint of Endpoints.all) {
    it.prop(
      `${endpoint.name}: valid and mutated results`,
      [mutated(endpoint.result)],
      ([input]) => {
        agrees(endpoint.result, input)
      },
      { fastCheck: { numRuns: runs.allowed } }
    )

    it(`${endpoint.name}: valid and mutated results without generated code`, () => {
      agreesWithoutCode(endpoint.name)
    })
  }

  for (const { name, result } of recorded) {
    it(`${name}: the recorded answer`, () => {
      const endpoint = Endpoints.all.find((one) => one.name === name)
      assert.ok(endpoint !== undefined)
      if (endpoint.extended === true) return
      assert.notEqual(read(endpoint.result.ast)(result), refused)
      agrees(endpoint.result, result)
    })
  }

  for (const kind of ["standard", "legacy", "bare"] as const) {
    const envelope = Envelope.fromKind(kind)
    const answers = fc.record({ time: fc.nat(), time_now: fc.nat(), result: fc.jsonValue() })
    it.prop(`envelope ${kind}`, [answers, fc.array(mutation, { maxLength: 2 })], ([answer, mutations]) => {
      const whole = { retCode: 0, retMsg: "OK", ret_code: 0, ret_msg: "OK", ext_code: "", ext_info: null, ...answer }
      agrees(envelope, mutations.reduce(mutate, asJson(whole)))
    })
  }
})

describe("single fields", () => {
  // Their wire sides differ, which is of no account here.
  /* eslint-disable-next-line @typescript-eslint/no-explicit-any */
  const schemas: Record<string, Schema.Schema<any, any>> = {
    decimal: Decimal.Decimal,
    "instant of ms": Instant.MillisText,
    "instant of s": Instant.SecondsNumber,
    "instant of either": Instant.disputedText("s"),
    integer: Integer.Integer,
    "integer text": Integer.IntegerText
  }
  const digits = fc.stringMatching(/^[-+]?[0-9]{0,18}\.?[0-9]{0,18}(e[-+]?\d{1,4})?$/)
  for (const [name, schema] of Object.entries(schemas)) {
    it.prop(`${name}: any text or value`, [fc.oneof(digits, fc.double(), fc.integer(), strange)], ([input]) => {
      agrees(schema, input)
      const field = Schema.Struct({ field: Absent.emptyable(schema, "0", "None") })
      agrees(field, { field: input })
    })
  }

  it.prop("decodes decimals by their digits", [digits], ([text]) => {
    const read = Decimal.parse(text)
    const isDecimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(text)
    assert.equal(read._tag, isDecimal ? "Some" : "None")
    if (read._tag === "None") return
    const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^([-+]?)(\d*)\.?(\d*)(?:e(.*))?$/.exec(text) ?? []
    assert.equal(read.value.value, BigInt(`${whole}${fraction}` || "0") * (sign === "-" ? -1n : 1n))
    assert.equal(read.value.scale, fraction.length - Number(exponent))
  })
})

describe("schemas of an application", () => {
  for (const [name, schema] of Object.entries(otherSchemas)) {
    const inputs = fc.oneof(mutated(schema), strange)
    it.prop(name, [inputs], ([input]) => {
      agrees(schema, input)
    })
    it(`${name}, without generated code`, () => {
      agreesWithoutCode(name)
    })
  }
})

describe("schemas that the compiler passes to the schema's decoder", () => {
  const effect = Schema.transformOrFail(Schema.String, Schema.Number, {
    strict: true,
    decode: (text) => Effect.sync(() => text.length),
    encode: (count) => ParseResult.succeed("x".repeat(count))
  })
  it.prop("include a transformation that returns a completed effect", [strange], ([input]) => {
    agrees(effect, input, true)
  })
})

describe("the generated code", () => {
  it("has one line per field if code generation is allowed, and is a loop over fields otherwise", () => {
    const { ast } = Orders.Order
    assert.ok(isStraight(read(ast)))
    assert.ok(isStraight(check(Schema.encodedSchema(Orders.Order).ast)))
    agreesWithoutCode("lists of fields")
  })

  it("contains only the quoted field names of a schema", () => {
    const name = 'a"]; throw new Error("b\u2028\\'
    const made = read(Schema.Struct({ [name]: Schema.String }).ast)
    assert.deepEqual(made({ [name]: "c" }), { [name]: "c" })
  })

  it("keeps no reference to a response", () => {
    const decode = Decoder.decodeUnknownEither(Executions.list.result)
    const answer = recorded.find(({ name }) => name === "executions.list")?.result
    const [one, other] = [Either.getOrThrow(decode(answer)), Either.getOrThrow(decode(answer))]
    assert.deepStrictEqual(one, other)
    assert.notEqual(one.list[0], other.list[0])
  })
})
