import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import {} from "@effect-venue/schemas/siblings/Words"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Layout from "../output/layout.js"
import * as Output from "../output/output.js"

const limit = ({ assumed, count, scope, window }: Endpoint.RateLimit) => ({
  count,
  windowSeconds: Duration.toSeconds(window),
  scope,
  assumed: assumed ?? null
})

const historyWindow = ({ bounds, from, reachBack, span, to, unit }: Endpoint.HistoryWindow) => ({
  from,
  to,
  unit,
  bounds,
  spanDays: Option.getOrNull(Option.map(span, Duration.toDays)),
  reachBackDays: Option.getOrNull(Option.map(reachBack, Duration.toDays))
})

const paging = ({ cursor, cursorParameter, items, size, sizeParameter }: Endpoint.Paging) => ({
  items,
  cursor,
  cursorParameter,
  sizeParameter,
  size: Option.getOrNull(size)
})

/** An operation as JSON; undocumented properties are null. */
const json = (endpoint: Endpoint.Properties) => ({
  name: endpoint.name,
  domain: endpoint.domain,
  summary: endpoint.summary,
  method: endpoint.method,
  path: endpoint.path,
  signing: endpoint.signing,
  envelope: endpoint.envelope,
  limit: Option.getOrNull(Option.map(endpoint.rateLimit, limit)),
  safety: endpoint.safety,
  paging: Option.getOrNull(Option.map(endpoint.paging, paging)),
  window: Option.getOrNull(Option.map(endpoint.historyWindow, historyWindow)),
  evidence: endpoint.evidence,
  deprecated: endpoint.deprecated,
  source: endpoint.source
})

const assumedText = { spot: ", spot assumed", all: ", assumed" } as const

const limitText = ({ assumed, count, scope, window }: Endpoint.RateLimit): string => {
  const per = Duration.toSeconds(window) === 1 ? "s" : "min"
  const category = scope === "uid x category" ? " per category" : ""
  return `${count}/${per}${category}${assumed === undefined ? "" : assumedText[assumed]}`
}

const pagingText = ({ cursorParameter, size }: Endpoint.Paging): string =>
  Option.match(size, {
    onNone: () => cursorParameter,
    onSome: ({ max, min }) => `${cursorParameter}, ${min}-${max}`
  })

const windowText = ({ span, unit }: Endpoint.HistoryWindow): string =>
  Option.match(span, {
    onNone: () => unit,
    onSome: (length) => `${countNoun(Duration.toDays(length), "day")}, ${unit}`
  })

const text = <A>(option: Option.Option<A>, show: (value: A) => string): string =>
  Option.match(option, { onNone: () => "-", onSome: show })

const row = (endpoint: Endpoint.Properties): ReadonlyArray<string> => [
  endpoint.name,
  endpoint.method,
  endpoint.path,
  endpoint.signing,
  endpoint.envelope,
  text(endpoint.rateLimit, limitText),
  endpoint.safety,
  text(endpoint.paging, pagingText),
  text(endpoint.historyWindow, windowText),
  endpoint.evidence
]

const heads = ["operation", "method", "path", "signing", "envelope", "limit", "safety", "paging", "window", "evidence"]

export const operationsCommand = Command.make(
  "operations",
  { json: Options.boolean("json").pipe(Options.withDescription("One JSON array, for machines.")) },
  (options) =>
    options.json
      ? Output.printJson(Endpoints.all.map(json))
      : Effect.flatMap(Layout.page, (page) => Output.print(Layout.list({ heads, rows: Endpoints.all.map(row) }, page)))
).pipe(Command.withDescription("List the operations of the service that this library supports."))
