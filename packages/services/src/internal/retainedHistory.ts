import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Instant from "@effect-venue/schemas/Instant"
import type * as Failure from "@effect-venue/transport/Failure"
import type * as Lists from "@effect-venue/transport/Lists"
import * as Pages from "@effect-venue/transport/Pages"
import * as Transport from "@effect-venue/transport/Transport"
import * as Windows from "@effect-venue/transport/Windows"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

interface Options<Row> {
  readonly transport: Transport.Transport.Shape
  readonly endpoint: Endpoint.Properties
  readonly range: Windows.HistoryRange
  /** Requests the page at a cursor of the list between two instants, in milliseconds. */
  readonly page: (
    startTime: number,
    endTime: number,
    cursor: string | undefined
  ) => Effect.Effect<Lists.Page<Row>, Failure.ReadFailure>
  readonly key: (row: Row) => string
  readonly keyIs?: "id" | "content"
  readonly at: (row: Row) => number
  /** Another instant by which the service can sort a row into a window. */
  readonly filedAt?: (row: Row) => number
}

/** Streams the rows of any range, oldest first, each once. Windows are as long as the endpoint allows and read to their last page. */
export const history = <Row>({
  at,
  endpoint,
  filedAt,
  key,
  keyIs = "id",
  page,
  range,
  transport
}: Options<Row>): Stream.Stream<Row, Failure.HistoryFailure> => {
  const bounds = Option.getOrUndefined(endpoint.historyWindow)
  const keeps = bounds?.reachBack ?? Option.none()
  const retention = Effect.map(Transport.serverTime(transport), (now): Windows.Retention => ({ keeps, now }))
  const planned = Effect.flatMap(retention, (known) => Windows.within(endpoint.name, range, known))

  const isDecidedByClock = (window: Either.Either<Windows.Window, Failure.HistoryFailure>): boolean =>
    Option.isSome(keeps) &&
    (range.from === "earliest" ||
      Either.match(window, {
        onLeft: ({ _tag }) => _tag === "BeyondRetention",
        onRight: ({ from }) => !Option.contains(Instant.millis(range.from), from)
      }))

  // The service's clock is only known from its responses. If the clock decides about the range, one page is read first, so that a wrong
  // local clock neither refuses nor shortens a range.
  const learn = Effect.flatMap(Transport.serverTime(transport), (now) =>
    Stream.runHead(Pages.stream({ operation: endpoint.name, page: (cursor) => page(now - 1, now, cursor) }))
  )
  const plan = Effect.flatMap(Effect.either(planned), (window) =>
    isDecidedByClock(window) ? Effect.zipRight(learn, planned) : window
  )

  // The earliest instant advances while a window is read, and the first response can correct the clock.
  const isStillKept = ({ from }: Windows.Window) =>
    range.from === "earliest" || range.beyondRetention === "clamp"
      ? Effect.void
      : Effect.flatMap(retention, (known) =>
          Option.match(Windows.beyondRetention(endpoint.name, from, known), {
            onNone: () => Effect.void,
            onSome: Effect.fail
          })
        )

  return Stream.unwrap(
    Effect.map(plan, (window) =>
      Windows.read({
        operation: endpoint.name,
        range: window,
        span: Option.getOrElse(bounds?.span ?? Option.none(), () => Duration.infinity),
        page: (part, cursor) => Effect.zipLeft(page(part.from, part.to, cursor), isStillKept(part)),
        key,
        keyIs,
        at,
        filedAt
      }).pipe(Stream.mapConcat((content) => content.rows))
    )
  )
}
