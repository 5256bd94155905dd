import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Effect, Fiber, Layer, Redacted, TestClock } from "effect"

/** The body of an answer, with headers and its HTTP status, which defaults to 200; `"lost"` is a connection that breaks, `"refused"` one that is not made, `"hang"` no answer. */
export type Answer =
  | { readonly body: object; readonly headers?: Record<string, string>; readonly status?: number }
  | "lost"
  | "refused"
  | "hang"

/** The services of an account at a script: it says what the sandbox never does, such as the loss of a part of a batch. */
export const layer = (
  answer: (request: HttpClientRequest.HttpClientRequest, url: URL) => Effect.Effect<Answer>
): Layer.Layer<Venue.Venue> => {
  const client = HttpClient.make((request, url) =>
    Effect.flatMap(answer(request, url), (answered) => {
      if (answered === "hang") return Effect.never
      if (answered === "lost" || answered === "refused") {
        const cause =
          answered === "lost"
            ? Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
            : Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" })
        return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause }))
      }
      const response = new Response(JSON.stringify(answered.body), {
        headers: answered.headers ?? {},
        status: answered.status ?? 200
      })
      return Effect.succeed(HttpClientResponse.fromWeb(request, response))
    })
  )
  return Venue.layer.pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(
      Credentials.layer({ baseUrl: "http://venue.test", apiKey: "EXAMPLEKEY0001", apiSecret: Redacted.make("example") })
    )
  )
}

/** The text of a request's body. */
export const textOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "{}"

/** How an effect ends within five minutes of the test's clock. */
export const ended = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(effect))
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })
