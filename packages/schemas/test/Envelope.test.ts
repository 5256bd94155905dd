import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import * as Envelope from "../src/Envelope.js"
import { at, mismatches, none, some } from "./helpers.js"

const time = 1_700_000_000_123

const wires = {
  A: { retCode: 0, retMsg: "OK", result: { list: [] }, retExtInfo: {}, time },
  B: { ret_code: 0, ret_msg: "success", ext_code: "", result: { list: [] }, ext_info: null, time_now: time },
  bare: { ret_code: 0, ret_msg: "OK", result: { list: [] } }
} as const

const unwrapped = {
  A: { code: 0, message: "OK", result: { list: [] }, extInfo: {}, time: some(at(time)) },
  B: { code: 0, message: "success", result: { list: [] }, extInfo: null, time: some(at(time)) },
  bare: { code: 0, message: "OK", result: { list: [] }, extInfo: null, time: none }
} as const

for (const kind of ["A", "B", "bare"] as const) {
  const schema = Envelope.fromKind(kind)

  describe(`envelope ${kind}`, () => {
    it("is taken off", () => {
      expect(Schema.decodeUnknownSync(schema)(wires[kind])).toStrictEqual(unwrapped[kind])
    })

    it("is put on", () => {
      expect(Schema.encodeSync(schema)(unwrapped[kind])).toStrictEqual(wires[kind])
    })

    it.prop("carries any code, message and result through", [fc.integer(), fc.string(), fc.jsonValue()], (values) => {
      const [code, message, result] = values
      const answer = { ...unwrapped[kind], code, message, result }
      expect(Schema.decodeUnknownSync(schema)(Schema.encodeSync(schema)(answer))).toStrictEqual(answer)
    })

    it("may have a result of null, or none", () => {
      expect(Schema.decodeUnknownSync(schema)({ ...wires[kind], result: null }).result).toBeNull()
      const { result: _, ...rest } = wires[kind]
      expect(Schema.decodeUnknownSync(schema)(rest).result).toBeUndefined()
    })

    it("takes fields that nobody knows", () => {
      expect(Schema.decodeUnknownSync(schema)({ ...wires[kind], trace: "t" })).toStrictEqual(unwrapped[kind])
    })

    it("is not any other JSON", () => {
      for (const wire of [null, "OK", 0, [], {}, "<html></html>"]) {
        expect(mismatches(schema, wire)).not.toHaveLength(0)
      }
    })

    it("needs a whole code", () => {
      const name = kind === "A" ? "retCode" : "ret_code"
      for (const code of ["0", 0.5, null]) {
        expect(mismatches(schema, { ...wires[kind], [name]: code })).toStrictEqual([
          expect.stringMatching(`^${name}: `)
        ])
      }
      const message = kind === "A" ? "retMsg" : "ret_msg"
      expect(mismatches(schema, { ...wires[kind], [message]: 1 })).toStrictEqual([
        expect.stringMatching(`^${message}: `)
      ])
    })

    it("is put on nothing that is no answer", () => {
      const isAnswer = Schema.is(schema)
      expect(isAnswer(unwrapped[kind])).toBe(true)
      for (const wrong of [{}, { ...unwrapped[kind], code: 0.5 }, { ...unwrapped[kind], time }]) {
        expect(isAnswer(wrong)).toBe(false)
      }
    })
  })
}

describe("envelopes A and B", () => {
  it("are not each other", () => {
    expect(mismatches(Envelope.fromKind("A"), wires.B)).not.toHaveLength(0)
    expect(mismatches(Envelope.fromKind("B"), wires.A)).not.toHaveLength(0)
  })

  it("tell the time", () => {
    const { time: _, ...withoutTime } = wires.A
    expect(mismatches(Envelope.fromKind("A"), withoutTime)).toStrictEqual(["time: is missing"])
    const { time_now: __, ...withoutTimeNow } = wires.B
    expect(mismatches(Envelope.fromKind("B"), withoutTimeNow)).toStrictEqual(["time_now: is missing"])
  })

  it("are put on an answer that tells no time with the beginning of time", () => {
    expect(Schema.encodeSync(Envelope.fromKind("A"))({ ...unwrapped.A, time: none })).toStrictEqual({
      ...wires.A,
      time: 0
    })
    expect(Schema.encodeSync(Envelope.fromKind("B"))({ ...unwrapped.B, time: none })).toStrictEqual({
      ...wires.B,
      time_now: 0
    })
  })

  it("take null and nothing for further information", () => {
    for (const retExtInfo of [null, {}, undefined]) {
      expect(Schema.decodeUnknownSync(Envelope.fromKind("A"))({ ...wires.A, retExtInfo }).extInfo).toStrictEqual(
        retExtInfo
      )
    }
    for (const ext_code of [null, "", "7", undefined]) {
      expect(Schema.decodeUnknownSync(Envelope.fromKind("B"))({ ...wires.B, ext_code })).toStrictEqual(unwrapped.B)
    }
  })
})
