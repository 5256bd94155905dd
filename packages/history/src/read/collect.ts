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

/** The rows of a page, and lines of the side file for its items that are no records. */
export interface ArrivedPage {
  readonly rows: ReadonlyArray<Arrivals.Arrival>
  readonly aside: ReadonlyArray<string>
}

/** Reads the items of pages. One without a text is that of its printed text. */
const pageReader = (dataset: Dataset.Dataset<never, unknown>) => {
  const read = Arrivals.reading(dataset)
  return ({ rows: items, texts }: Dataset.Page): ArrivedPage => {
    const rows: Array<Arrivals.Arrival> = []
    const aside: Array<string> = []
    for (const [index, item] of items.entries()) {
      const spelled = texts?.[index]
      const text = spelled ?? JSON.stringify(item)
      if (!Predicate.isRecord(item)) aside.push(sideLine("is no record", text))
      else rows.push(read(spelled === undefined ? Verbatim.line(text).row : item, text))
    }
    return { rows, aside }
  }
}

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
  /** The rows of a page. Nothing is recorded before all of them can be printed: a row that cannot spoils its page. */
  readonly prepare: (page: Dataset.Page) => ArrivedPage
  readonly take: (page: ArrivedPage) => Effect.Effect<void, E>
}

export const collect = <E>(
  dataset: Dataset.Dataset<never, unknown>,
  window: Dataset.Window,
  buffer: Sink.Buffer<E> | undefined,
  counts: WindowCounts
): Collected<E> => {
  const rejectedRows: Array<string> = []
  const { pack, unpack } = Arrivals
  const { sorted, take } = Sorting.make({
    buffer,
    newestFirst: dataset.newestFirst,
    otherwise: window.from,
    pack,
    unpack
  })
  return {
    rejectedRows,
    rows: sorted,
    prepare: pageReader(dataset),
    take: ({ aside, rows }) => {
      for (const line of aside) {
        rejectedRows.push(line)
        counts.count("noRecord")
      }
      return take(rows)
    }
  }
}
