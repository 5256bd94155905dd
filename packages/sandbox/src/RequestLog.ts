/**
 * The log of a sandbox: every request to the exchange, with the check of its signature and its response. It contains no secrets and no
 * signatures, and no requests to the control path or to pages of the server.
 */
import * as Schema from "effect/Schema"
import * as Faults from "./Faults.js"
import { described, optional } from "./internal/described.js"
import { latest, whole } from "./internal/wholeNumber.js"

/** One request. */
export const Entry = Schema.Struct({
  /** When it arrived, by the sandbox's clock; milliseconds since 1970. */
  at: described(Schema.Number, "when it arrived, by the sandbox's clock; milliseconds since 1970"),
  /** The HTTP method. */
  method: described(Schema.String, "the HTTP method"),
  /** The path without the query. */
  path: described(Schema.String, "the path without the query"),
  /** Its operation, such as orders.create; null for a path without one. */
  operation: described(
    Schema.OptionFromNullOr(Schema.String),
    "its operation, such as orders.create; null for a path without one"
  ),
  /** The account of the key that it names, before the signature is checked. */
  uid: described(
    Schema.OptionFromNullOr(Schema.String),
    "the account of the key that it names, before the signature is checked"
  ),
  /** How its signature was checked. */
  signature: described(Faults.SignatureCheck, "how its signature was checked"),
  /** Its parameters, without key and signature. */
  parameters: described(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "its parameters, without key and signature"
  ),
  /** The fault that was applied. */
  fault: described(Schema.OptionFromNullOr(Faults.Fault), "the fault that was applied"),
  /** Whether the exchange has executed it, even if the response was lost. */
  executed: described(Schema.Boolean, "whether the exchange has executed it, even if the response was lost"),
  /** The HTTP status of the response; null without a response. */
  status: described(Schema.OptionFromNullOr(Schema.Number), "the HTTP status of the response; null without a response"),
  /** The return code of the response; null for a response without an envelope. */
  code: described(
    Schema.OptionFromNullOr(Schema.Number),
    "the return code of the response; null for a response without an envelope"
  )
})

export interface Entry extends Schema.Schema.Type<typeof Entry> {}

/** Selects the requests that match every field. Defaults to the whole log. */
export const Query = Schema.Struct({
  /** Requests to this operation, such as orders.create. */
  operation: optional(Schema.String, "requests to this operation, such as orders.create"),
  /** Requests with a key of this UID. */
  account: optional(Schema.String, "requests with a key of this UID"),
  /** Requests whose signature was checked with this result. */
  signature: optional(Faults.SignatureCheck, "requests whose signature was checked with this result"),
  /** Requests whose path begins with this text. */
  path: optional(Schema.String, "requests whose path begins with this text"),
  /** Requests that were answered with this HTTP status. */
  status: optional(whole(100, "must be an HTTP status"), "requests that were answered with this HTTP status"),
  /** Requests that were answered with this return code. */
  code: optional(whole(0, "must be a return code"), "requests that were answered with this return code"),
  /** Requests at or after this instant, milliseconds since 1970. */
  since: optional(
    whole(0, "must be milliseconds since 1970"),
    "requests at or after this instant, milliseconds since 1970"
  ),
  /** Only this many of the latest; defaults to all. */
  last: optional(latest, "only this many of the latest; defaults to all")
})

export interface Query extends Schema.Schema.Type<typeof Query> {}
