/**
 * The log of a sandbox: every request to the exchange, with the check of its signature and its response. It contains no secrets and no
 * signatures, and no requests to the control path or to pages of the server.
 */
import * as Schema from "effect/Schema"
import * as Faults from "./Faults.js"
import { latest, whole } from "./wholeNumber.js"

/** One request. */
export const Entry = Schema.Struct({
  /** When it arrived, by the sandbox's clock; milliseconds since 1970. */
  at: Schema.Number,
  /** The HTTP method. */
  method: Schema.String,
  /** The path without the query. */
  path: Schema.String,
  /** Its operation, such as orders.create; null for a path without one. */
  operation: Schema.OptionFromNullOr(Schema.String),
  /** The account of the key that it names, before the signature is checked. */
  uid: Schema.OptionFromNullOr(Schema.String),
  /** How its signature was checked. */
  signature: Faults.SignatureCheck,
  /** Its parameters, without key and signature. */
  parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** The fault that was applied. */
  fault: Schema.OptionFromNullOr(Schema.asSchema(Faults.Fault)),
  /** Whether the exchange has executed it, even if the response was lost. */
  executed: Schema.Boolean,
  /** The HTTP status of the response; null without a response. */
  status: Schema.OptionFromNullOr(Schema.Number),
  /** The return code of the response; null for a response without an envelope. */
  code: Schema.OptionFromNullOr(Schema.Number),
  /** The first 2,000 characters of the response, with {key} and {signature} for those of the request; null without a response. */
  response: Schema.OptionFromNullOr(Schema.String)
})

export interface Entry extends Schema.Schema.Type<typeof Entry> {}

/** Selects the requests that match every field. Defaults to the whole log. */
export const Query = Schema.Struct({
  /** Requests to this operation, such as orders.create. */
  operation: Schema.optional(Schema.String),
  /** Requests with a key of this UID. */
  account: Schema.optional(Schema.String),
  /** Requests whose signature was checked with this result. */
  signature: Schema.optional(Faults.SignatureCheck),
  /** Requests whose path begins with this text. */
  path: Schema.optional(Schema.String),
  /** Requests that were answered with this HTTP status. */
  status: Schema.optional(whole(100, "must be an HTTP status")),
  /** Requests that were answered with this return code. */
  code: Schema.optional(whole(0, "must be a return code")),
  /** Requests at or after this instant, milliseconds since 1970. */
  since: Schema.optional(whole(0, "must be milliseconds since 1970")),
  /** Only this many of the latest; defaults to all. */
  last: Schema.optional(latest)
})

export interface Query extends Schema.Schema.Type<typeof Query> {}
