/**
 * A web handler over the library: a custom endpoint that returns the fees of a period, as a function from `Request` to `Response`
 * that any server of the web standard runs.
 *
 * @since 0.1.0
 */
import * as Executions from "@effect-venue/services/Executions"
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
  const executions = yield* Executions.Executions
  const sums = yield* executions.history({ category: "linear", execType: "Trade", from, to }).pipe(
    // In contracts settled in USDT a fee is in USDT; the sum over all symbols means something.
    Stream.runFold({ fills: 0, fees: BigDecimal.fromBigInt(0n) }, (all, { execFee }) => ({
      fills: all.fills + 1,
      fees: BigDecimal.sum(all.fees, execFee)
    }))
  )
  return yield* HttpServerResponse.json({ fills: sums.fills, fees: BigDecimal.format(sums.fees) })
})

/**
 * Every failure of the library has a status from which a caller knows what to do: what is wrong with the request is theirs, a limit
 * or a ban says when to try again, everything else is a gateway's failure. No message of the service is passed on.
 *
 * @since 0.1.0
 * @category examples
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

/**
 * The handler, and what to call when the server ends. The layer is built once, with the first request.
 *
 * @since 0.1.0
 * @category examples
 */
export const handler = <E>(venue: Layer.Layer<Executions.Executions, E>) => HttpApp.toWebHandlerLayer(router, venue)
