/** A service that holds executions, and answers for some of them badly in some nights: whoever reads it every night has each row once, or names its range. */
import * as Executions from "@effect-venue/schemas/Executions"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"

export type Row = Readonly<Record<string, unknown>>

/** A page as the service means it. */
export interface Page {
  readonly list: ReadonlyArray<Row>
  readonly nextPageCursor?: string
}

/** A request for a page: its range, and the number of the row that the page begins with. */
export interface Ask {
  readonly from: number
  readonly to: number
  readonly cursor: string | undefined
}

/** Answers a request for a page: a page, or text that is no answer. */
export type Answer = (ask: Ask) => Page | string

const pageSize = 5

/** The list of these rows: both ends of the range included, newest first, in pages of five. */
export const pagesOf =
  (rows: ReadonlyArray<Row>, instant: string): ((ask: Ask) => Required<Page>) =>
  ({ cursor, from, to }) => {
    const within = rows
      .filter((row) => Number(row[instant]) >= from && Number(row[instant]) <= to)
      .toSorted((row, next) => Number(next[instant]) - Number(row[instant]))
    const start = Number.parseInt(cursor ?? "0")
    const end = start + pageSize
    return { list: within.slice(start, end), nextPageCursor: end < within.length ? String(end) : "" }
  }

/** The body of a response to a request of a URL; those of other paths have an empty list. */
export const bodyOf = (path: string, answer: Answer, { pathname, searchParams }: URL, now: number): string => {
  const ask = {
    from: Number(searchParams.get("startTime")),
    to: Number(searchParams.get("endTime")),
    cursor: searchParams.get("cursor") ?? undefined
  }
  const page = pathname === path ? answer(ask) : { list: [], nextPageCursor: "" }
  if (typeof page === "string") return page
  const result = { category: "linear", ...page }
  return JSON.stringify({ retCode: 0, retMsg: "OK", result, retExtInfo: {}, time: Math.floor(now) })
}

/** A record as the service sends it. */
export const recordOf = <A, I extends Row>(schema: Schema.Schema<A, I>): Row => {
  const [record] = FastCheck.sample(Arbitrary.make(schema), { numRuns: 1, seed: 7 })
  if (record === undefined) throw new Error("no sample")
  return Schema.encodeSync(schema)(record)
}

const execution = recordOf(Executions.Execution)

export const executionOf = (execId: string, at: number): Row => ({ ...execution, execId, execTime: String(at) })

const hour = 3_600_000

const day = 24 * hour

/** A range that the service answers badly in one night, in milliseconds since the first row can be. */
interface Fault {
  readonly night: number
  readonly from: number
  readonly to: number
  readonly kind: "missingCursor" | "html" | "cut" | "refused"
}

export interface BadNights {
  readonly faults: ReadonlyArray<Fault>
  /** Hours between two rows. */
  readonly every: number
  /** How many days the service keeps rows; none: for ever. */
  readonly keeps: number | undefined
}

/** Bad answers at random. The last two nights are sound: the first of them can finish a range that was begun earlier. */
export const badNights = (count: number): FastCheck.Arbitrary<BadNights> => {
  const fault = FastCheck.record({
    night: FastCheck.integer({ min: 0, max: count - 3 }),
    start: FastCheck.integer({ min: 0, max: 24 * count }),
    hours: FastCheck.integer({ min: 1, max: 24 * Math.ceil(count / 3) }),
    kind: FastCheck.constantFrom("missingCursor" as const, "html" as const, "cut" as const, "refused" as const)
  }).map(({ hours, kind, night, start }): Fault => ({
    night,
    kind,
    from: start * hour,
    to: (start + hours) * hour
  }))
  return FastCheck.record({
    faults: FastCheck.array(fault, { minLength: Math.ceil(count / 3), maxLength: 2 * count }),
    every: FastCheck.integer({ min: 3, max: 9 }),
    keeps: FastCheck.constantFrom(undefined, undefined, Math.ceil(count / 4), Math.ceil(count / 2))
  })
}

/** The ends of nights, a day apart. */
export const nightsOf = (begin: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => begin + (index + 1) * day)

/** The rows of some days. */
export const rowsOf = ({ every }: BadNights, begin: number, count: number): ReadonlyArray<Row> =>
  Array.from({ length: Math.floor((24 * count) / every) }, (_, index) =>
    executionOf(`e${index}`, begin + (index * every + 1) * hour - 1)
  )

const answerBadly = (kind: Fault["kind"], page: Page): Page | string => {
  if (kind === "missingCursor") return { list: page.list.slice(0, 2) }
  if (kind === "html") return "<html><body>Bad gateway</body></html>"
  if (kind === "cut") return '{"retCode":0,"retMsg":"OK","result":{"category":"linear","list":[{"execId":"e'
  return '{"retCode":10001,"retMsg":"the range cannot be read","result":{}}'
}

/** The answer of a night at its end: rows since then are not there yet, and old ones no longer. */
export const answerOf =
  (
    { faults, keeps }: BadNights,
    rows: ReadonlyArray<Row>,
    { begin, end, night }: { readonly begin: number; readonly end: number; readonly night: number }
  ): Answer =>
  (ask) => {
    const earliest = keeps === undefined ? 0 : end - keeps * day
    const present = rows.filter(({ execTime }) => Number(execTime) < end && Number(execTime) >= earliest)
    const page = pagesOf(present, "execTime")(ask)
    const fault = faults.find(
      (each) => each.night === night && begin + each.from < ask.to && begin + each.to > ask.from
    )
    return fault === undefined ? page : answerBadly(fault.kind, page)
  }
