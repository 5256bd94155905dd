/** Clients as applications wrap them, and signers that take their time. */
import type * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import type * as CallOptions from "@effect-venue/transport/CallOptions"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Draws from "../../kernel/Draws.js"
import type * as Journal from "../../world/Journal.js"
import type * as World from "../../world/World.js"
import * as Network from "../../world/Network.js"
import type * as Plan from "./Plan.js"

/** Answers that a wrapper creates: of its circuit breaker, its own limit and its check of the time. */
const ownAnswers: readonly [Network.Answer, ...ReadonlyArray<Network.Answer>] = [
  { ...Network.proxy, status: 503 },
  { status: 200, headers: {}, body: '{"retCode":10006,"retMsg":"Too many visits!","result":{}}', isBan: false },
  { status: 200, headers: {}, body: '{"retCode":10002,"retMsg":"time","result":{},"time":1781524800000}', isBan: false }
]

/** Answers a third of all requests itself, or fails: some without sending them, others after it has dropped the response or the failure. */
const answering =
  ({ add, draws }: World.World) =>
  (client: CallOptions.Client): CallOptions.Client => {
    let count = 0
    return HttpClient.transform(client, (effect, request: HttpClientRequest.HttpClientRequest) =>
      Effect.suspend(() => {
        const name = ["answering", ++count] as const
        if (!draws.chance(0.33, ...name)) return effect
        if (draws.chance(0.2, ...name, "fails"))
          return new HttpClientError.RequestError({ request, reason: "Encode", description: "refused by a wrapper" })
        const answer = Effect.map(Network.CurrentCall, (call) => {
          add({ _tag: "Replaced", call })
          return Network.responseOf(request, draws.pick(ownAnswers, ...name, "answer"))
        })
        return draws.chance(0.5, ...name, "sends") ? Effect.zipRight(Effect.exit(effect), answer) : answer
      })
    )
  }

/** Sends twice, side by side: the second one a little later, while the first one waits, is signed or is under way. */
const hedging =
  (draws: Draws.Draws, isFirstEnd: boolean) =>
  (client: CallOptions.Client): CallOptions.Client => {
    let count = 0
    return HttpClient.transform(client, (effect) =>
      Effect.suspend(() => {
        const later = Effect.delay(effect, draws.pick([0, 0, 1, 50, 1_000], "hedging", ++count))
        return isFirstEnd ? Effect.raceFirst(effect, later) : Effect.race(effect, later)
      })
    )
  }

const request = (call: string, got: string, expected: string): Journal.Happening => ({
  _tag: "Compared",
  call,
  rule: "Request",
  got,
  expected
})

/** A wrapper reads where requests go, and of which request an error is. */
const reading = ({ add }: World.World, client: CallOptions.Client): CallOptions.Client => {
  const read = (url: string | undefined) =>
    Effect.map(Network.CurrentCall, (call) => {
      const isUrl = url !== undefined && URL.canParse(url)
      add(request(call, isUrl ? "an operation" : `nothing: ${url}`, "an operation"))
    })
  return client.pipe(
    HttpClient.tapRequest(({ url }: HttpClientRequest.HttpClientRequest) => read(url)),
    HttpClient.tapError((error) =>
      // The types rule out an error without a request, but a mistake of the library could still make one.
      HttpClientError.isHttpClientError(error)
        ? read((error.request as typeof error.request | undefined)?.url)
        : Effect.void
    )
  )
}

/** The client that a wrapper gets sends nothing of its own. */
const probeClient = ({ add }: World.World, client: CallOptions.Client): CallOptions.Client => {
  let isProbed = false
  const probe = Effect.suspend(() => {
    if (isProbed) return Effect.void
    isProbed = true
    const own = client.execute(HttpClientRequest.get("https://elsewhere.example"))
    return Effect.map(
      Effect.exit(Effect.mapInputContext(own, (_: Context.Context<never>) => Context.empty())),
      (exit) => {
        const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
        add(request("", Option.isSome(failure) ? failure.value._tag : exit._tag, "RequestError"))
      }
    )
  })
  return HttpClient.transform(client, (effect) => Effect.zipRight(probe, effect))
}

/** Wraps the client of all calls as the application does. */
export const transforming = (
  world: World.World,
  wrapper: Plan.Wrapper
): ((client: CallOptions.Client) => CallOptions.Client) => {
  const transform = transformOf(world, wrapper)
  return transform === undefined
    ? (client) => client
    : (client) => transform(reading(world, probeClient(world, client)))
}

/** Reads an answer that has not broken off. */
const readText = ({ add }: World.World, text: Effect.Effect<string, unknown>) =>
  Effect.zipWith(Network.CurrentCall, Effect.option(text), (call, body) => {
    if (Option.isSome(body)) add(request(call, typeof body.value, "string"))
  })

const transformOf = (
  world: World.World,
  wrapper: Plan.Wrapper
): ((client: CallOptions.Client) => CallOptions.Client) | undefined => {
  switch (wrapper) {
    case "none":
      return undefined
    case "retrying":
      return HttpClient.retryTransient({ times: 2, schedule: Schedule.spaced("100 millis") })
    case "hedging":
    case "racing":
      return hedging(world.draws, wrapper === "racing")
    case "holding":
      return HttpClient.tap(({ text }) => Effect.delay(readText(world, text), "100 millis"))
    case "answering":
      return answering(world)
  }
}

/** The signer of an account, which takes up to `longest` milliseconds. */
export const signer = (
  draws: Draws.Draws,
  longest: number
): Layer.Layer<Signer.Signer, never, Credentials.Credentials> => {
  let count = 0
  const slowly = (signer: Signer.Signer.Shape): Signer.Signer.Shape => ({
    sign: (request) =>
      Effect.zipRight(
        Effect.suspend(() => Effect.sleep(draws.fraction("signing", ++count) * longest)),
        signer.sign(request)
      )
  })
  return longest === 0
    ? Signer.layer
    : Layer.effect(Signer.Signer, Effect.map(Signer.Signer, slowly)).pipe(Layer.provide(Signer.layer))
}
