import * as Json from "@effect-venue/schemas/siblings/Json"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "@effect-venue/transport/Failure"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Dataset from "./Dataset.js"

/** A page of a response. */
interface PageWithTexts extends Dataset.Page {
  readonly texts: ReadonlyArray<string>
}

/** A response with a list; `null` is an empty one. Its rows are checked one by one, so that one malformed row does not invalidate the page. */
const listSchema = (items: string): Schema.Schema<Dataset.Row, Dataset.Row> =>
  Schema.Record({ key: Schema.String, value: Schema.Unknown }).pipe(
    Schema.filter(
      (result) =>
        Array.isArray(result[items]) || result[items] === null || { path: [items], message: "expected a list" }
    )
  )

/**
 * Requests pages of an operation. `cursor` is the name of the cursor in a response, if it differs from the endpoint's; `items` is the
 * field of the rows, for an endpoint without pages.
 */
export const of = <Req, ReqWire, Res, ResWire>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, "read">,
  names: { readonly items?: string | undefined; readonly cursor?: string | undefined } = {}
): ((request: Req) => Effect.Effect<PageWithTexts, Failure.ReadFailure, Transport.Transport>) => {
  const paging = Option.getOrUndefined(endpoint.paging)
  const items = paging?.items ?? names.items ?? "list"
  const answer = { ...endpoint, result: listSchema(items) }
  return (request) =>
    Effect.flatMap(Transport.Transport, (transport) =>
      // Who waits for the same rate limits to trade goes first.
      Effect.provideService(transport.account.callText(answer, request), CallOptions.Priority, "bulk")
    ).pipe(
      Effect.map(({ body, result }) => {
        const rows = result[items]
        return {
          rows: Array.isArray(rows) ? rows : [],
          texts: Json.itemTexts(body, items),
          next: paging === undefined ? "" : result[names.cursor ?? paging.cursor]
        }
      })
    )
}
