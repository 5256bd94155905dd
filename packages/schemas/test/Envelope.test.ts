import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import { at, mismatches, none, some } from "./helpers.js"

addEqualityTesters()

const time = 1_700_000_000_123

const wires = {
  standard: { retCode: 0, retMsg: "OK", result: { list: [] }, retExtInfo: {}, time },
  legacy: { ret_code: 0, ret_msg: "success", ext_code: "", result: { list: [] }, ext_info: null, time_now: time },
  bare: { ret_code: 0, ret_msg: "OK", result: { list: [] } }
} as const

const unwrapped = {
  standard: { code: 0, message: "OK", result: { list: [] }, extInfo: {}, time: some(at(time)) },
  legacy: { code: 0, message: "success", result: { list: [] }, extInfo: null, time: some(at(time)) },
  bare: { code: 0, message: "OK", result: { list: [] }, extInfo: null, time: none }
} as const

for (const kind of ["standard", "legacy", "bare"] as const) {
  const schema = Envelope.fromKind(kind)

  describe(`envelope ${kind}`, () => {
    it("is decoded to its content", () => {
      expect(Schema.decodeUnknownSync(schema)(wires[kind])).toStrictEqual(unwrapped[kind])
    })

    it("is encoded around its content", () => {
      expect(Schema.encodeSync(schema)(unwrapped[kind])).toStrictEqual(wires[kind])
    })

    it.prop(
      "keeps any code, message and result in a round trip",
      [fc.integer(), fc.string(), fc.jsonValue()],
      (values) => {
        const [code, message, result] = values
        const answer = { ...unwrapped[kind], code, message, result }
        expect(Schema.decodeUnknownSync(schema)(Schema.encodeSync(schema)(answer))).toStrictEqual(answer)
      }
    )

    it("accepts a null and a missing result", () => {
      expect(Schema.decodeUnknownSync(schema)({ ...wires[kind], result: null }).result).toBeNull()
      const { result: _, ...rest } = wires[kind]
      expect(Schema.decodeUnknownSync(schema)(rest).result).toBeUndefined()
    })

    it("accepts unknown fields", () => {
      expect(Schema.decodeUnknownSync(schema)({ ...wires[kind], trace: "t" })).toStrictEqual(unwrapped[kind])
    })

    it("counts a message and a time that cannot be read as absent, and names them", () => {
      const [message, clock] = kind === "standard" ? ["retMsg", "time"] : ["ret_msg", "time_now"]
      for (const value of [0, true, {}, []]) {
        const wire = { ...wires[kind], [message]: value }
        expect(Schema.decodeUnknownSync(schema)(wire)).toStrictEqual({ ...unwrapped[kind], message: "" })
        expect(Envelope.unreadable(kind, wire)).toEqual([message])
      }
      if (kind === "bare") return
      for (const value of [
        "1662979581.875564",
        time + 0.5,
        `${time}000000`,
        "2023-11-14T22:13:20Z",
        "soon",
        {},
        true
      ]) {
        const wire = { ...wires[kind], [clock]: value }
        expect(Schema.decodeUnknownSync(schema)(wire)).toEqual({ ...unwrapped[kind], time: none })
        expect(Envelope.unreadable(kind, wire)).toEqual([clock])
      }
      for (const value of [null, "", undefined, time, String(time)]) {
        expect(Envelope.unreadable(kind, { ...wires[kind], [clock]: value })).toEqual([])
      }
    })

    it("refuses other JSON", () => {
      for (const wire of [null, "OK", 0, [], {}, "<html></html>"]) {
        expect(mismatches(schema, wire)).not.toHaveLength(0)
      }
    })

    it("requires a whole number as code", () => {
      const name = kind === "standard" ? "retCode" : "ret_code"
      for (const code of ["", "0x", 0.5, null]) {
        expect(mismatches(schema, { ...wires[kind], [name]: code })).toStrictEqual([
          expect.stringMatching(`^${name}: `)
        ])
      }
    })

    it("cannot be encoded from a value that is not a response", () => {
      const isAnswer = Schema.is(schema)
      expect(isAnswer(unwrapped[kind])).toBe(true)
      for (const wrong of [{}, { ...unwrapped[kind], code: 0.5 }, { ...unwrapped[kind], time }]) {
        expect(isAnswer(wrong)).toBe(false)
      }
    })
  })
}

describe("standard and legacy envelopes", () => {
  it("refuse each other's form", () => {
    expect(mismatches(Envelope.fromKind("standard"), wires.legacy)).not.toHaveLength(0)
    expect(mismatches(Envelope.fromKind("legacy"), wires.standard)).not.toHaveLength(0)
  })

  it("leave out the time if the response has none", () => {
    const { time: _, ...standard } = wires.standard
    const { time_now: __, ...legacy } = wires.legacy
    expect(Schema.encodeSync(Envelope.fromKind("standard"))({ ...unwrapped.standard, time: none })).toStrictEqual(
      standard
    )
    expect(Schema.encodeSync(Envelope.fromKind("legacy"))({ ...unwrapped.legacy, time: none })).toStrictEqual(legacy)
  })

  it("accept null and a missing ext info", () => {
    for (const retExtInfo of [null, {}, undefined]) {
      expect(
        Schema.decodeUnknownSync(Envelope.fromKind("standard"))({ ...wires.standard, retExtInfo }).extInfo
      ).toStrictEqual(retExtInfo)
    }
    for (const ext_code of [null, "", "7", undefined]) {
      expect(Schema.decodeUnknownSync(Envelope.fromKind("legacy"))({ ...wires.legacy, ext_code })).toStrictEqual(
        unwrapped.legacy
      )
    }
  })
})
