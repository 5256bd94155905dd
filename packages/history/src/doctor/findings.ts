import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as ReturnCode from "@effect-venue/schemas/siblings/ReturnCode"
import type * as Failure from "@effect-venue/transport/Failure"
import type * as Recording from "@effect-venue/transport/Recording"
import { countNoun, formatDuration, listAll } from "@effect-venue/schemas/siblings/Words"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Dataset from "../model/Dataset.js"
import type * as Column from "../model/Column.js"
import * as Datasets from "../requests/Datasets.js"
import * as Rows from "../formats/Rows.js"
import type { Finding } from "./Doctor.js"
import type { Surprise } from "./surprises.js"

/** An exchange, and how long it took in milliseconds. */
export interface Timed {
  readonly exchange: Recording.Exchange
  readonly millis: number
}

/** The finding of an operation that could not be read. */
export const toFinding = (operation: string, failure: Failure.ReadFailure): Finding => {
  // The message begins with the operation, as the finding does.
  const detail = failure.message.replace(`${failure.operation}: `, "")
  switch (failure._tag) {
    case "Unauthorized":
      return failure.reason === "Permission"
        ? { verdict: "notice", check: "permissions", operation, detail: `the key has no permission for it: ${detail}` }
        : { verdict: "problem", check: "permissions", operation, detail }
    case "ClockSkew":
      return { verdict: "problem", check: "clock", operation, detail }
    case "RateLimited":
    case "Banned":
      return { verdict: "problem", check: "limits", operation, detail }
    default:
      return { verdict: "problem", check: "answers", operation, detail }
  }
}

export const reportSurprises = (operation: string, found: ReadonlyArray<Surprise>): ReadonlyArray<Finding> => {
  const details = found.map(({ kind, path, value }) =>
    kind === "field" ? `unknown field ${path}` : `unknown value ${JSON.stringify(value)} of ${path}`
  )
  return Array.from(new Set(details), (detail) => ({ verdict: "notice", check: "fields", operation, detail }))
}

const findEndpoint = ({ exchange: { request } }: Timed): Endpoint.Any | undefined =>
  Endpoints.all.find(({ method, path }) => method === request.method && request.path.endsWith(path))

const envelopeOf = (endpoint: Endpoint.Any, { exchange }: Timed): Option.Option<Envelope.Unwrapped> =>
  Schema.decodeUnknownOption(Envelope.fromKind(endpoint.envelope))(exchange.answer?.body)

const slowMillis = 2000

const slow = (endpoint: Endpoint.Any, { millis }: Timed): ReadonlyArray<Finding> =>
  millis < slowMillis
    ? []
    : [
        {
          verdict: "notice",
          check: "answers",
          operation: endpoint.name,
          detail: `an answer took ${formatDuration(millis)}`
        }
      ]

const unknownCode = (endpoint: Endpoint.Any, { code, message }: Envelope.Unwrapped): ReadonlyArray<Finding> =>
  code === ReturnCode.success || ReturnCodes.rules.has(code)
    ? []
    : [
        {
          verdict: "notice",
          check: "codes",
          operation: endpoint.name,
          detail: `unknown return code ${code}: ${message}`
        }
      ]

/** The fields of the envelope that cannot be read, and count as absent. */
const unread = (endpoint: Endpoint.Any, { exchange }: Timed): ReadonlyArray<Finding> =>
  Envelope.unreadable(endpoint.envelope, exchange.answer?.body).map((name) => ({
    verdict: "notice",
    check: "fields",
    operation: endpoint.name,
    detail: `${name} of the envelope cannot be read`
  }))

const describeLimit = ({ rateLimit }: Endpoint.Any): string =>
  Option.match(rateLimit, {
    onNone: () => "none",
    onSome: ({ count, window }) => `${count} in ${formatDuration(Duration.toMillis(window))}`
  })

/** The limit that answers state, beside the documented one. */
const limitOf = (endpoint: Endpoint.Any, exchanges: ReadonlyArray<Timed>): ReadonlyArray<Finding> => {
  const seen = exchanges.flatMap(({ exchange }) => exchange.answer?.headers["x-bapi-limit"] ?? [])
  const limits = Array.from(new Set(seen))
  if (limits.length === 0) return []
  const expected = Option.map(endpoint.rateLimit, ({ count }) => count)
  const isExpected = limits.every((limit) => Option.contains(expected, Number(limit)))
  return [
    {
      verdict: isExpected ? "ok" : "notice",
      check: "limits",
      operation: endpoint.name,
      detail: `the answers state ${listAll(limits)} calls; documented: ${describeLimit(endpoint)}`
    }
  ]
}

/** Findings about the exchanges of each operation, apart from their results. */
export const ofExchanges = (exchanges: ReadonlyArray<Timed>): ReadonlyArray<Finding> => {
  const byEndpoint = new Map<Endpoint.Any, Array<Timed>>()
  for (const timed of exchanges) {
    const endpoint = findEndpoint(timed)
    if (endpoint !== undefined) byEndpoint.set(endpoint, [...(byEndpoint.get(endpoint) ?? []), timed])
  }
  return Array.from(byEndpoint).flatMap(([endpoint, all]) => [
    ...all.flatMap((timed) => [
      ...slow(endpoint, timed),
      ...unread(endpoint, timed),
      ...Option.match(envelopeOf(endpoint, timed), {
        onNone: () => [],
        onSome: (envelope) => unknownCode(endpoint, envelope)
      })
    ]),
    ...limitOf(endpoint, all)
  ])
}

// A timestamp can be a second ahead of the service's clock, since some envelopes state whole seconds.
const toleratedMillis = 1000

interface Offset {
  readonly operation: string
  readonly millis: number
  /** The uncertainty of the round trip. */
  readonly doubt: number
}

const offsetOf = (timed: Timed): ReadonlyArray<Offset> => {
  const endpoint = findEndpoint(timed)
  if (endpoint === undefined) return []
  const time = Option.flatMap(envelopeOf(endpoint, timed), ({ time }) => time)
  const middle = DateTime.toEpochMillis(timed.exchange.at) + timed.millis / 2
  return Option.match(time, {
    onNone: () => [],
    onSome: (time) => [
      { operation: endpoint.name, millis: Math.round(time.epochMillis - middle), doubt: timed.millis / 2 }
    ]
  })
}

/** How far the service's clock is from this machine's, by the answer that shows most. */
export const clock = (exchanges: ReadonlyArray<Timed>): Finding => {
  const offsets = exchanges.flatMap(offsetOf)
  const [first, ...others] = offsets
  if (first === undefined)
    return { verdict: "notice", check: "clock", operation: "", detail: "no answer states a time" }
  const beyond = ({ doubt, millis }: Offset) => Math.abs(millis) - doubt
  const worst = others.reduce((left, right) => (beyond(right) > beyond(left) ? right : left), first)
  const direction = worst.millis < 0 ? "behind" : "ahead of"
  return {
    verdict: beyond(worst) > toleratedMillis ? "problem" : "ok",
    check: "clock",
    operation: worst.operation,
    detail: `the service's clock is up to ${formatDuration(worst.millis)} ${direction} this machine's`
  }
}

type Filed = Pick<Dataset.Dataset<never, unknown>, "filedBy" | "instant">

const findFiled = (operation: string): Filed | undefined =>
  Datasets.datasets.find(({ endpoint }) => endpoint.name === operation)

const rowOf = (text: string): Dataset.Row => {
  const row: unknown = JSON.parse(text)
  return Predicate.isReadonlyRecord(row) ? row : {}
}

const nameOf = Option.match({ onNone: () => "", onSome: ({ name }: Column.Column) => name })

/** Reports rows outside the requested window, by the instant that the service documents for them. */
export const outside = (
  endpoint: string,
  operation: string,
  rows: ReadonlyArray<string>,
  { from, to }: { readonly from: number; readonly to: number }
): ReadonlyArray<Finding> => {
  const filed = findFiled(endpoint)
  if (filed === undefined) return []
  // Both ends of a request belong to its window.
  const window = [{ from, to: to + 1 }]
  const all = rows.map(rowOf)
  const beyond = (by: Filed) => all.filter((row) => !Rows.isWithin(by, row, window)).length
  const byInstant = beyond({ ...filed, filedBy: Option.none() })
  if (byInstant === 0) return []
  const isFiledByOther = beyond(filed) === 0
  const [instant, filedBy] = [nameOf(filed.instant), nameOf(filed.filedBy)]
  return [
    {
      verdict: isFiledByOther ? "notice" : "problem",
      check: "history",
      operation,
      detail: isFiledByOther
        ? `it is listed by ${filedBy}: the ${instant} of ${byInstant} of ${countNoun(all.length, "row")} is outside the requested window`
        : `${beyond(filed)} of ${countNoun(all.length, "row")} are outside the requested window`
    }
  ]
}
