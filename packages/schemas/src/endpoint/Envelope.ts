/**
 * The envelopes of a response, and their common content. Only the return code and the result decide: a message or a time that cannot be read
 * counts as absent.
 *
 * @sibling
 */
import type * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Endpoint from "./Endpoint.js"
import * as Absent from "../fields/Absent.js"
import * as instants from "../scalars/instants.js"
import { Integer } from "../scalars/integer.js"

/** Envelope A of the service's document. */
export const StandardEnvelope = Schema.Struct({
  retCode: Integer,
  retMsg: Absent.ignorable(Schema.String, ""),
  result: Schema.optional(Schema.Unknown),
  retExtInfo: Schema.optional(Schema.Unknown),
  time: Absent.undescribed(instants.MillisNumber, "left out")
})

/** Envelope B of the service's document. */
export const LegacyEnvelope = Schema.Struct({
  ret_code: Integer,
  ret_msg: Absent.ignorable(Schema.String, ""),
  ext_code: Schema.optional(Schema.Unknown),
  result: Schema.optional(Schema.Unknown),
  ext_info: Schema.optional(Schema.Unknown),
  time_now: Absent.undescribed(instants.MillisNumber, "left out")
})

export const BareEnvelope = Schema.Struct({
  ret_code: Integer,
  ret_msg: Absent.ignorable(Schema.String, ""),
  result: Schema.optional(Schema.Unknown)
})

/** An answer out of its wrapping. */
export interface Unwrapped {
  readonly code: number
  readonly message: string
  readonly result: unknown
  readonly extInfo: unknown
  /** The service's clock when it responded; `none` if the envelope has no time. */
  readonly time: Option.Option<DateTime.Utc>
}

/** Returns the names of the fields of an envelope that are sent and cannot be read. */
export const unreadable = (kind: Endpoint.Envelope, wire: unknown): ReadonlyArray<string> => {
  if (!Predicate.isReadonlyRecord(wire)) return []
  const [message, time] = kind === "standard" ? ["retMsg", "time"] : ["ret_msg", "time_now"]
  const isSent = (value: unknown) => value !== undefined && value !== null && value !== ""
  const isTime = Schema.is(Schema.encodedSchema(instants.MillisNumber))
  const readsTime = (value: unknown) =>
    isTime(value) && Option.isSome(Schema.decodeOption(instants.MillisNumber)(value))
  return [
    ...(isSent(wire[message]) && typeof wire[message] !== "string" ? [message] : []),
    ...(kind !== "bare" && isSent(wire[time]) && !readsTime(wire[time]) ? [time] : [])
  ]
}

/** The schema of an envelope: the wire on the encoded side, `Unwrapped` on the type side. */
export const fromKind = (kind: Endpoint.Envelope): Schema.Schema<Unwrapped, unknown> => schemas[kind]

const UnwrappedFromSelf: Schema.Schema<Unwrapped> = Schema.Struct({
  code: Schema.Int,
  message: Schema.String,
  result: Schema.Unknown,
  extInfo: Schema.Unknown,
  time: Schema.OptionFromSelf(Schema.DateTimeUtcFromSelf)
})

const wrap = <A, I>(
  envelope: Schema.Schema<A, I>,
  decode: (wire: A) => Unwrapped,
  encode: (unwrapped: Unwrapped) => A
): Schema.Schema<Unwrapped, unknown> =>
  // The response can be any JSON, so the schema decides whether it is an envelope.
  Schema.compose(Schema.Unknown, Schema.transform(envelope, UnwrappedFromSelf, { strict: true, decode, encode }), {
    strict: false
  })

const schemas: { readonly [K in Endpoint.Envelope]: Schema.Schema<Unwrapped, unknown> } = {
  standard: wrap(
    StandardEnvelope,
    (wire) => ({
      code: wire.retCode,
      message: wire.retMsg,
      result: wire.result,
      extInfo: wire.retExtInfo,
      time: wire.time
    }),
    (answer) => ({
      retCode: answer.code,
      retMsg: answer.message,
      result: answer.result,
      retExtInfo: answer.extInfo,
      time: answer.time
    })
  ),
  legacy: wrap(
    LegacyEnvelope,
    (wire) => ({
      code: wire.ret_code,
      message: wire.ret_msg,
      result: wire.result,
      extInfo: wire.ext_info,
      time: wire.time_now
    }),
    (answer) => ({
      ret_code: answer.code,
      ret_msg: answer.message,
      ext_code: "",
      result: answer.result,
      ext_info: answer.extInfo,
      time_now: answer.time
    })
  ),
  bare: wrap(
    BareEnvelope,
    (wire) => ({
      code: wire.ret_code,
      message: wire.ret_msg,
      result: wire.result,
      extInfo: null,
      time: Option.none()
    }),
    (answer) => ({ ret_code: answer.code, ret_msg: answer.message, result: answer.result })
  )
}
