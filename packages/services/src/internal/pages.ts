import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/Pages"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Stream from "effect/Stream"

type Pages<Row> = Stream.Stream<ReadonlyArray<Row>, Failure.ReadFailure>

/** The pages of a v3 list, from a cursor or from the first. */
export const categorisedPages = <Row>(
  endpoint: Endpoint.Properties,
  from: string | undefined,
  page: (
    cursor: string | undefined
  ) => Effect.Effect<
    { readonly list: ReadonlyArray<Row>; readonly nextPageCursor: Option.Option<string> },
    Failure.ReadFailure
  >
): Pages<Row> =>
  Stream.map(
    Pages.stream({ operation: endpoint.name, from, page, next: ({ nextPageCursor }) => nextPageCursor }),
    ({ list }) => list
  )
