import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Attempt, SendError, Venue } from "../attempt/callState.js"
import * as exchange from "../connections/exchange.js"
import * as wrappedView from "../connections/wrappedView.js"
import * as CallOptions from "../model/CallOptions.js"
import type * as ServerClock from "../time/ServerClock.js"
import { type Execute, send } from "./attempt.js"
import { interpretAnswer } from "./reading.js"

/** The attempt for which a client, wrapped or not, is sending. */
class Current extends Context.Reference<Current>()("@effect-venue/transport/internal/Current", {
  defaultValue: (): Option.Option<Attempt> => Option.none()
}) {}

type Transform = (client: CallOptions.Client) => CallOptions.Client

const toUnsigned = (host: string, { call: { endpoint } }: Attempt) =>
  HttpClientRequest.make(endpoint.method)(`${host}${endpoint.path}`)

/** The client that an application wraps. It sends for the attempt that is current. */
const makeOwnClient = (venue: Venue): CallOptions.Client =>
  HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest, SendError>) =>
      Effect.flatMap(request, (unsigned) =>
        Effect.flatMap(
          Current,
          Option.match({
            onNone: () => Effect.fail(exchange.requestError(unsigned, "this client sends for the transport only")),
            onSome: (attempt) =>
              Effect.mapBoth(
                Effect.uninterruptibleMask((restore) => send(venue, attempt, { restore, unsigned: () => unsigned })),
                {
                  onSuccess: (reading) => {
                    attempt.reading = wrappedView.reading(unsigned, reading, attempt.scrub)
                    return attempt.reading.answer.response
                  },
                  onFailure: (error) =>
                    HttpClientError.isHttpClientError(error) ? wrappedView.error(unsigned, error, attempt.scrub) : error
                }
              )
          })
        )
      ),
    Effect.succeed
  )

/** Executes an attempt with a wrapped client. */
const executeWrapped = Effect.fnUntraced(function* (
  { clock, host }: Venue,
  attempt: Attempt,
  client: CallOptions.Client
) {
  const response = yield* client.execute(toUnsigned(host, attempt))
  const { reading } = attempt
  // The context is long-lived, so drop the response here; otherwise it is not collected with its call.
  attempt.reading = undefined
  if (reading?.answer.response === response) return reading
  // A wrapping client created the response itself, so it contains no time of the service.
  const answer = yield* exchange.receive(response, yield* CallOptions.MaxResponseBytes)
  const now = attempt.now()
  const sample: ServerClock.Sample = {
    sentAt: now,
    receivedAt: now,
    serverTime: yield* clock.now(host, attempt.call.around.time)
  }
  return { ...interpretAnswer(attempt, answer, sample).reading, sample: Option.none() }
})

/**
 * Sends for an attempt through the client that the application has wrapped. Rate limits, gate and signature are inside, so a repeated sending waits for the
 * limits and is signed again. A client that is not wrapped is bypassed.
 */
export const make = (venue: Venue): Execute => {
  const own = makeOwnClient(venue)

  const direct: Execute = (attempt) =>
    send(venue, attempt, { restore: attempt.restore, unsigned: () => toUnsigned(venue.host, attempt) })

  const through =
    (client: CallOptions.Client): Execute =>
    (attempt) =>
      executeWrapped(venue, attempt, client).pipe(Effect.provideService(Current, Option.some(attempt)), attempt.restore)

  const wrap = (transform: Transform): Execute => {
    const client = transform(own)
    // This client creates no spans. The wrapper can create some, containing the URL and the key.
    return client === own ? direct : through(HttpClient.withTracerDisabledWhen(client, () => true))
  }

  const made = new WeakMap<Transform, Execute>()

  return (attempt) => {
    const transform = Context.get(attempt.call.around.references, CallOptions.TransformClient)
    const existing = made.get(transform)
    const execute = existing ?? wrap(transform)
    if (existing === undefined) made.set(transform, execute)
    return execute(attempt)
  }
}
