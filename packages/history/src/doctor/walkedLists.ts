import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Json from "@effect-venue/schemas/siblings/Json"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/siblings/Pages"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Endpoints from "@effect-venue/schemas/Endpoints"

type ReadEndpoint = Endpoint.Any & Endpoint.Properties<"read">

/** One way to call an operation that reads. */
export interface Read {
  readonly endpoint: ReadEndpoint
  readonly probe: Endpoint.Probe<unknown>
}

const isRead = (endpoint: Endpoint.Any): endpoint is ReadEndpoint => endpoint.safety === "read"

/** Every read of the library, by each category that it has. */
export const reads: ReadonlyArray<Read> = Endpoints.all
  .filter(isRead)
  .flatMap((endpoint) => (endpoint.probes ?? []).map((probe) => ({ endpoint, probe })))

/** The result of an answer as it was sent. */
export const resultOf = (body: string): unknown => {
  const envelope = Option.getOrUndefined(Json.parse(body))
  return Predicate.isReadonlyRecord(envelope) ? envelope.result : undefined
}

/** A list that was read: its rows as text, and whether its last page was reached. */
export interface Walked {
  readonly rows: ReadonlyArray<string>
  readonly pages: number
  readonly isWhole: boolean
  readonly results: ReadonlyArray<unknown>
  /** The problems of pages that were read correctly at the next request. */
  readonly reread: ReadonlyArray<Pages.Kind>
}

const maxPages = 100

const pageOf = (paging: Endpoint.Paging, { probe }: Read, result: unknown): Pages.Page<string> => {
  const fields = Predicate.isReadonlyRecord(result) ? result : {}
  const rows = fields[paging.items]
  return {
    rows: Array.isArray(rows) ? rows.map((row: unknown) => JSON.stringify(row)) : [],
    next: probe.unpaged === true ? "" : fields[probe.cursor ?? paging.cursor]
  }
}

/** Reads a list page by page, to its end or for a hundred pages. A list without pages is one page. */
export const walk = (
  transport: Transport.Transport.Shape,
  read: Read,
  ask: Omit<Endpoint.Ask, "cursor">
): Effect.Effect<Walked, Failure.ReadFailure> => {
  const results: Array<unknown> = []
  const reread: Array<Pages.Kind> = []
  const call = (cursor: string | undefined) =>
    Effect.map(transport.account.callText(read.endpoint, read.probe.request({ ...ask, cursor })), ({ body }) => {
      const result = resultOf(body)
      results.push(result)
      return result
    })
  return Option.match(read.endpoint.paging, {
    onNone: () => Effect.map(call(undefined), (): Walked => ({ rows: [], pages: 1, isWhole: true, results, reread })),
    onSome: (paging) =>
      Pages.stream({
        operation: read.endpoint.name,
        page: (cursor) => Effect.map(call(cursor), (result) => pageOf(paging, read, result)),
        onProblem: (kind) => reread.push(kind)
      }).pipe(
        Stream.take(maxPages),
        Stream.runFold({ rows: new Array<string>(), pages: 0 }, ({ pages, rows }, page) => ({
          rows: [...rows, ...page],
          pages: pages + 1
        })),
        Effect.map(({ pages, rows }): Walked => ({ rows, pages, isWhole: pages < maxPages, results, reread }))
      )
  })
}

/** How many rows one of two readings has and the other one lacks. */
export const difference = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): number => {
  const counts = new Map<string, number>()
  for (const row of left) counts.set(row, (counts.get(row) ?? 0) + 1)
  for (const row of right) counts.set(row, (counts.get(row) ?? 0) - 1)
  return Array.from(counts.values()).reduce((sum, count) => sum + Math.abs(count), 0)
}
