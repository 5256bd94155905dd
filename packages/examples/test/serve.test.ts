/** The recipe that serves orders over HTTP, asked as a client of it does. */
import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Venue from "@effect-venue/services/Venue"
import * as Failure from "@effect-venue/transport/Failure"
import { HttpApiBuilder, HttpApiClient, HttpClient, HttpClientResponse, HttpServer, OpenApi } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Serve from "../src/recipes/serve.js"

const request = {
  category: "linear",
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  qty: "0.01",
  price: "20000",
  orderLinkId: "served-1"
} as const

type Client = Effect.Effect.Success<ReturnType<typeof clientOf>>

/** A client of the interface whose requests go to the handler, and the last response. */
const clientOf = (send: (request: Request) => Promise<Response>, seen: Array<Response>) =>
  HttpApiClient.makeWith(Serve.api, {
    baseUrl: "http://desk.invalid",
    httpClient: HttpClient.make((request, url) =>
      Effect.promise(async () => {
        const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : null
        const response = await send(new Request(url, { method: request.method, headers: request.headers, body }))
        seen.push(response)
        return HttpClientResponse.fromWeb(request, response.clone())
      })
    )
  })

const served = (
  title: string,
  body: (client: Client, seen: Array<Response>) => Effect.Effect<void, unknown, Sandbox.Sandbox>
) =>
  it.live(title, () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl
      const services = yield* Venue.account(yield* control.openAccount({ funds: { USDT: "100000" } }))
      const { dispose, handler } = HttpApiBuilder.toWebHandler(
        Layer.mergeAll(Layer.provide(Serve.layer, Layer.succeedContext(services)), HttpServer.layerContext)
      )
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const seen: Array<Response> = []
      yield* body(yield* clientOf(handler, seen), seen)
    }).pipe(Effect.scoped, Effect.provide(Venue.layerShared), Effect.provide(Sandbox.layer({ world: "empty" })))
  )

describe("orders over HTTP", () => {
  served("an order is placed and cancelled, and a mistake is named", (client, seen) =>
    Effect.gen(function* () {
      const { orderLinkId, symbol } = request
      const { orderId } = yield* client.desk.create({ payload: request })
      expect(yield* client.desk.cancel({ payload: { category: "linear", symbol, orderLinkId } })).toMatchObject({
        orderId
      })
      // The client has the rules of the interface too.
      const refused = yield* Effect.flip(client.desk.create({ payload: { ...request, orderLinkId: "x y" } }))
      expect(refused).toMatchObject({ _tag: "ParseError" })
      const gone = yield* Effect.flip(
        client.desk.cancel({ payload: { category: "linear", symbol, orderLinkId: "no" } })
      )
      expect(gone).toBeInstanceOf(Failure.Rejected)
      expect(seen.at(-1)?.status).toBe(422)
      const none = yield* Effect.flip(client.desk.outcome({ path: { orderLinkId } }))
      expect(none).toBeInstanceOf(Serve.NotInDoubt)
    })
  )

  served("a ban is a 429 with Retry-After, and the client receives the failure itself", (client, seen) =>
    Effect.gen(function* () {
      const { faults } = yield* Sandbox.Sandbox
      yield* faults.set([{ fault: { kind: "ban" } }])
      const failure = yield* Effect.flip(client.desk.create({ payload: request }))
      expect(failure).toBeInstanceOf(Failure.Banned)
      expect(seen.at(-1)?.status).toBe(429)
      expect(Number(seen.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(500)
    })
  )

  served("a lost answer is a 409, and its outcome can be asked for", (client, seen) =>
    Effect.gen(function* () {
      const { faults } = yield* Sandbox.Sandbox
      yield* faults.set([{ fault: { kind: "dropAfter" }, operations: ["orders.create"] }])
      const failure = yield* Effect.flip(client.desk.create({ payload: request }))
      expect(failure).toBeInstanceOf(Failure.OutcomeUnknown)
      expect(seen.at(-1)?.status).toBe(409)
      const outcome = yield* client.desk.outcome({ path: { orderLinkId: request.orderLinkId } })
      expect(outcome.executed).toBe("yes")
    })
  )

  it("has an OpenAPI document", () => {
    expect(Object.keys(OpenApi.fromApi(Serve.api).paths)).toEqual([
      "/orders",
      "/cancellations",
      "/outcomes/{orderLinkId}"
    ])
  })
})
