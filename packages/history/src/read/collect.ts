import * as Predicate from "effect/Predicate"
import type * as Effect from "effect/Effect"
import type * as Dataset from "../model/Dataset.js"
import type * as Sink from "../store/Sink.js"
import * as Verbatim from "../model/verbatim.js"
import * as Arrivals from "./arrivals.js"
import * as Sorting from "./Sorting.js"

/** A line of the side file: an item as it is spelled in the response, and why it is there. */
export const sideLine = (problem: string, text: string, path = ""): string =>
  `{"path":${JSON.stringify(path)},"problem":${JSON.stringify(problem)},"row":${text}}`

/** Whether a line of the side file is about an item that was not exported. One that is about a field has its path. */
export const isAside = (line: string): boolean => line.startsWith('{"path":"",')

/** An item of a page, and how it is spelled there. */
export interface Item {
  readonly row: unknown
  readonly text: string
}

/** The items of a page. Rows without a text are those of their printed text. */
export const itemsOf = ({ rows, texts }: Dataset.Page): ReadonlyArray<Item> =>
  rows.map((row, index) => {
    const text = texts?.[index]
    if (text !== undefined) return { row, text }
    const printed = JSON.stringify(row)
    return { row: Predicate.isRecord(row) ? Verbatim.line(printed).row : row, text: printed }
  })

/** The requests for one window, and the anomalies of the responses. */
export class WindowCounts {
  readonly anomalies = new Map<string, number>()
  requests = 0
  rereads = 0
  retries = 0

  readonly count = (anomaly: string): void => {
    this.anomalies.set(anomaly, (this.anomalies.get(anomaly) ?? 0) + 1)
  }
}

/** The rows of one reading of a window, in time order once all have arrived. */
export interface Collected<E> {
  /** Lines of the side file for items that are no records. */
  readonly rejectedRows: ReadonlyArray<string>
  readonly rows: Sorting.Sorted<Arrivals.Arrival, E>
  /** Separates the rows from items that are no records. */
  readonly rowsOf: (items: ReadonlyArray<Item>) => ReadonlyArray<Arrivals.Arrival>
  /** The rows of a page. Nothing is recorded before all of them can be printed: a row that cannot spoils its page. */
  readonly prepare: (page: Dataset.Page) => ReadonlyArray<Arrivals.Arrival>
  readonly take: (rows: ReadonlyArray<Arrivals.Arrival>) => Effect.Effect<void, E>
}

export const collect = <E>(
  dataset: Dataset.Dataset<never, unknown>,
  window: Dataset.Window,
  buffer: Sink.Buffer<E> | undefined,
  counts: WindowCounts
): Collected<E> => {
  const rejectedRows: Array<string> = []
  const read = Arrivals.reading(dataset)
  const { pack, unpack } = Arrivals
  const { sorted, take } = Sorting.make({
    buffer,
    newestFirst: dataset.newestFirst,
    otherwise: window.from,
    pack,
    unpack
  })
  const rowsOf = (items: ReadonlyArray<Item>): ReadonlyArray<Arrivals.Arrival> =>
    items.flatMap(({ row, text }) => {
      if (Predicate.isRecord(row)) return [read(row, text)]
      counts.count("noRecord")
      rejectedRows.push(sideLine("is no record", text))
      return []
    })
  return { rejectedRows, rows: sorted, rowsOf, prepare: (page) => rowsOf(itemsOf(page)), take }
}
