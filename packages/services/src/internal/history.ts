import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Windows from "@effect-venue/transport/Windows"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** A list's parameters without those that a history sets itself. Distributes, so that unions by category stay unions. */
export type Beyond<Req> = Req extends unknown ? Omit<Req, "startTime" | "endTime" | "cursor"> : never

/** The rows of any range, oldest first, each once: windows as long as the endpoint allows, each to its last page. */
export const history = <Row>(options: {
  readonly endpoint: Endpoint.Properties
  readonly range: Windows.Range
  readonly pages: (startTime: number, endTime: number) => Stream.Stream<ReadonlyArray<Row>, Failure.ReadFailure>
  readonly key: (row: Row) => string
  readonly at: (row: Row) => number
}): Stream.Stream<Row, Failure.ReadFailure> =>
  Either.match(Windows.make(options.endpoint.name, options.range), {
    onLeft: (refused) => Stream.fail(refused),
    onRight: (range) =>
      Windows.read({
        operation: options.endpoint.name,
        range,
        span: Option.getOrElse(
          Option.flatMap(options.endpoint.historyWindow, (window) => window.span),
          () => Duration.infinity
        ),
        pages: (window) => options.pages(window.from, window.to),
        key: options.key,
        at: options.at
      }).pipe(Stream.mapConcat((content) => content.rows))
  })
