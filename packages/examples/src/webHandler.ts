/**
 * A web handler over the library: a custom endpoint that returns the fees of a period, as a function from `Request` to `Response`
 * that any server of the web standard runs.
 */
import * as History from "@effect-venue/history/History"
import type * as Transport from "@effect-venue/transport/Transport"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as DateTime from "effect/DateTime"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const Period = Schema.Struct({ from: Schema.DateTimeUtc, to: Schema.DateTimeUtc })

const fees = Effect.gen(function* () {
  const { from, to } = yield* HttpServerRequest.schemaSearchParams(Period)
  const fills = History.stream(History.executions, { category: "linear", execType: "Trade", from, to })
  const sums = yield* fills.pipe(
    // Fees of contracts that settle in USDT are in USDT, so they can be added over all symbols.
    Stream.runFold({ fills: 0, fees: BigDecimal.fromBigInt(0n) }, (all, { execFee }) => ({
      fills: all.fills + 1,
      fees: BigDecimal.sum(all.fees, execFee)
    }))
  )
  return yield* HttpServerResponse.json({ fills: sums.fills, fees: BigDecimal.format(sums.fees) })
})

/**
 * Maps every failure to a status that shows the caller how to react: a mistake in the request, a limit or a ban with the time to try again,
 * or a failure of the gateway. Messages of the service are not passed on.
 */
export const router = HttpRouter.empty.pipe(
  HttpRouter.get("/fees", fees),
  HttpRouter.catchTags({
    ParseError: () =>
      HttpServerResponse.json({ error: "from and to are instants such as 2026-01-01T00:00:00Z" }, { status: 400 }),
    InvalidRequest: ({ field, rule }) => HttpServerResponse.json({ error: `${field} ${rule}` }, { status: 400 }),
    RateLimited: () => HttpServerResponse.empty({ status: 503, headers: { "retry-after": "5" } }),
    Banned: ({ until }) =>
      HttpServerResponse.empty({ status: 503, headers: { "retry-after": DateTime.toDate(until).toUTCString() } })
  }),
  HttpRouter.catchAll(() => HttpServerResponse.empty({ status: 502 }))
)

/** The handler, and a function to call when the server ends. The layer is built once, on the first request. */
export const handler = <E>(venue: Layer.Layer<Transport.Transport, E>) => HttpApp.toWebHandlerLayer(router, venue)
