import * as Absent from "@effect-venue/schemas/siblings/Absent"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/siblings/Pages"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** A page of a list. A missing cursor does not mean that the page is the last one, unless `hasPages` is false. */
export const page = <Row>(
  rows: ReadonlyArray<Row>,
  cursor: Option.Option<string>,
  hasPages = true
): Pages.Page<Row> => ({
  rows,
  next: hasPages && Absent.wasLeftOut(cursor) ? undefined : Option.getOrElse(cursor, () => "")
})

type Asked<Row> = Effect.Effect<Pages.Page<Row>, Failure.ReadFailure>

/** A page of a v3 list. */
export const toPage = <Row>(
  answer: Effect.Effect<
    { readonly list: ReadonlyArray<Row>; readonly nextPageCursor: Option.Option<string> },
    Failure.ReadFailure
  >
): Asked<Row> => Effect.map(answer, ({ list, nextPageCursor }) => page(list, nextPageCursor))

/** The rows of a list, from the cursor of the request or from the first page. */
export const rows = <Req extends { readonly cursor?: string | undefined }, Row>(
  endpoint: Endpoint.Properties,
  request: Req | undefined,
  page: (request: Req) => Asked<Row>
): Stream.Stream<Row, Failure.ReadFailure> =>
  Stream.mapConcat(
    Pages.stream({
      operation: endpoint.name,
      from: request?.cursor,
      // An operation that requires a request refuses one without parameters.
      page: (cursor) => page({ ...request, cursor } as Req)
    }),
    (rows) => rows
  )
