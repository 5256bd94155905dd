/**
 * Export of history: windows and cursors to rows, rows to a sink.
 *
 * @since 0.1.0
 */
import type * as Failure from "@effect-venue/transport/Failure"
import * as Lane from "@effect-venue/transport/Lane"
import * as Transport from "@effect-venue/transport/Transport"
import * as Windows from "@effect-venue/transport/Windows"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Dataset from "./Dataset.js"
import type * as Manifest from "./Manifest.js"
import type * as Sink from "./Sink.js"

export {
  /**
   * @since 0.1.0
   * @category datasets
   */
  executions,
  /**
   * @since 0.1.0
   * @category datasets
   */
  preUpgradeClosedPnl,
  /**
   * @since 0.1.0
   * @category datasets
   */
  preUpgradeExecutions
} from "./Dataset.js"

/**
 * How far an export has come.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  readonly rows: number
  readonly pages: number
  readonly windowsDone: number
  readonly windows: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Called after every page and every window. */
  readonly onProgress?: ((progress: Progress) => Effect.Effect<void>) | undefined
  /** Windows read side by side: 4 unless told. */
  readonly concurrency?: number | undefined
}

/**
 * The windows of a dataset with their rows, oldest first. Ranges are half-open.
 *
 * @since 0.1.0
 * @category streams
 */
export const windows = <Query, R extends Dataset.Row>(
  dataset: Dataset.Dataset<Query, R>,
  query: NoInfer<Query> & Windows.Range,
  options: Options & { readonly onPage?: (rows: number) => Effect.Effect<void> } = {}
): Stream.Stream<Windows.Content<R>, Failure.ReadFailure, Transport.Transport> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const transport = yield* Transport.Transport
      const range = yield* Windows.make(dataset.endpoint.name, query)
      const onPage = options.onPage
      const tapped = (pages: Stream.Stream<ReadonlyArray<R>, Failure.ReadFailure>) =>
        onPage === undefined ? pages : Stream.tap(pages, (rows) => onPage(rows.length))
      return Windows.read({
        operation: dataset.endpoint.name,
        range,
        span: dataset.span,
        concurrency: options.concurrency,
        // Who waits for the same budgets to trade goes first.
        pages: (window) => Stream.provideService(tapped(dataset.pages(transport, query, window)), Lane.Lane, "bulk"),
        key: dataset.key,
        at: dataset.at
      })
    })
  )

/**
 * The rows of a dataset, oldest first, each once.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = <Query, R extends Dataset.Row>(
  dataset: Dataset.Dataset<Query, R>,
  query: NoInfer<Query> & Windows.Range,
  options: Options = {}
): Stream.Stream<R, Failure.ReadFailure, Transport.Transport> =>
  Stream.mapConcat(windows(dataset, query, options), (content) => content.rows)

/**
 * Exports a dataset to a sink and says what was read. When it fails, nothing is left under the sink's name.
 *
 * @since 0.1.0
 * @category running
 */
export const run = <Query, R extends Dataset.Row, SinkR>(
  dataset: Dataset.Dataset<Query, R>,
  query: NoInfer<Query> & Windows.Range,
  sink: Sink.Sink<SinkR>,
  options: Options = {}
): Effect.Effect<Manifest.Manifest, Failure.ReadFailure | Sink.SinkFailure, Transport.Transport | SinkR> =>
  Effect.gen(function* () {
    const range = yield* Windows.make(dataset.endpoint.name, query)
    const writer = yield* sink.open
    const report = options.onProgress ?? (() => Effect.void)
    let progress: Progress = {
      rows: 0,
      pages: 0,
      windowsDone: 0,
      windows: Windows.split(range, dataset.span).length
    }
    const advance = (by: Partial<Progress>) => {
      progress = {
        ...progress,
        rows: progress.rows + (by.rows ?? 0),
        pages: progress.pages + (by.pages ?? 0),
        windowsDone: progress.windowsDone + (by.windowsDone ?? 0)
      }
      return report(progress)
    }
    let first = Option.none<number>()
    let last = Option.none<number>()
    const covered: Array<Manifest.WindowCoverage> = []
    yield* Stream.runForEach(
      windows(dataset, query, { ...options, onPage: (rows) => advance({ rows, pages: 1 }) }),
      (content) =>
        Effect.gen(function* () {
          yield* writer.write(content.rows)
          const instants = content.rows.map(dataset.at)
          first = Option.orElse(first, () => Option.fromNullable(instants[0]))
          last = Option.orElse(Option.fromNullable(instants.at(-1)), () => last)
          covered.push({
            ...content.window,
            rows: content.rows.length,
            pages: content.pages,
            duplicates: content.duplicates
          })
          yield* advance({ windowsDone: 1 })
        })
    )
    yield* writer.commit
    const sum = (of: (window: Manifest.WindowCoverage) => number): number =>
      covered.reduce((total, window) => total + of(window), 0)
    return {
      dataset: dataset.name,
      ...range,
      location: sink.location,
      rows: sum((window) => window.rows),
      pages: sum((window) => window.pages),
      duplicates: sum((window) => window.duplicates),
      first,
      last,
      windows: covered
    }
  }).pipe(Effect.scoped)
