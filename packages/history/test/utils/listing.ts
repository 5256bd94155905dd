import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Clock, Context, Effect, Layer } from "effect"

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
  (rows: ReadonlyArray<Row>, instant: string) =>
  ({ cursor, from, to }: Ask): Required<Page> => {
    const within = rows
      .filter((row) => Number(row[instant]) >= from && Number(row[instant]) <= to)
      .toSorted((row, next) => Number(next[instant]) - Number(row[instant]))
    const start = Number.parseInt(cursor ?? "0")
    const end = start + pageSize
    return { list: within.slice(start, end), nextPageCursor: end < within.length ? String(end) : "" }
  }

const bodyOf = (page: Page | string, now: number): string =>
  typeof page === "string"
    ? page
    : JSON.stringify({ retCode: 0, retMsg: "OK", result: { category: "linear", ...page }, retExtInfo: {}, time: now })

/** A sandbox whose lists at this path are answered by `answer`. */
export const exchangeWith = (
  path: string,
  answer: Answer
): Layer.Layer<Transport.Transport | HttpClient.HttpClient | Sandbox.Sandbox> => {
  const sandbox = Layer.scopedContext(
    Effect.map(Layer.build(Sandbox.layer({ seed: 3, prices: "still" })), (context) => {
      const inner = Context.get(context, HttpClient.HttpClient)
      const client = HttpClient.make((request, url) => {
        if (url.pathname !== path) return inner.execute(request)
        const parameters = url.searchParams
        const ask = {
          from: Number(parameters.get("startTime")),
          to: Number(parameters.get("endTime")),
          cursor: parameters.get("cursor") ?? undefined
        }
        return Effect.map(Clock.currentTimeMillis, (now) =>
          HttpClientResponse.fromWeb(
            request,
            new Response(bodyOf(answer(ask), now), { headers: { "content-type": "application/json; charset=utf-8" } })
          )
        )
      })
      return Context.add(context, HttpClient.HttpClient, client)
    })
  )
  return Transport.layerStandalone.pipe(Layer.provideMerge(sandbox))
}
