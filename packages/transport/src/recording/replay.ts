/** Finds the recorded response to a request. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as parts from "./exchangeParts.js"
import * as matching from "./matching.js"
import type { Exchange, NotRecorded, Recording } from "./Recording.js"

type ReplayedAnswer = NonNullable<Exchange["answer"]>

// The constructor of responses refuses even an empty body for these statuses.
const withoutBody = new Set([204, 205, 304])

const responseOf = (request: HttpClientRequest.HttpClientRequest, answer: ReplayedAnswer) =>
  HttpClientResponse.fromWeb(
    request,
    new Response(withoutBody.has(answer.status) ? null : parts.bodyText(answer), {
      status: answer.status,
      headers: { ...answer.headers }
    })
  )

const replayExchange = (
  request: HttpClientRequest.HttpClientRequest,
  { answer, failure }: Exchange
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.RequestError> =>
  answer === undefined
    ? Effect.fail(
        new HttpClientError.RequestError({ request, reason: "Transport", description: failure ?? "recorded failure" })
      )
    : Effect.sync(() => responseOf(request, answer))

interface Answers {
  readonly exchanges: Array<Exchange>
  given: number
}

const byKey = ({ exchanges }: Recording, ignored: ReadonlySet<string>): ReadonlyMap<string, Answers> => {
  const answers = new Map<string, Answers>()
  for (const exchange of exchanges) {
    const key = matching.keyOf(exchange.request, ignored)
    const same = answers.get(key)
    if (same === undefined) answers.set(key, { exchanges: [exchange], given: 0 })
    else same.exchanges.push(exchange)
  }
  return answers
}

const differenceText = ({ parameter, recorded, sent }: matching.Difference): string =>
  `${parameter} (recorded ${recorded ?? "without"}, sent ${sent ?? "without"})`

const notRecorded = (
  recording: Recording,
  request: Exchange["request"],
  ignored: ReadonlySet<string>,
  answered: number
) => {
  const near = matching.nearest(recording.exchanges, request, ignored)
  return {
    method: request.method,
    path: request.path,
    given: answered,
    nearest: near === undefined ? undefined : `${near.exchange.request.method} ${near.exchange.request.path}`,
    differences: near === undefined ? [] : near.differences.map(differenceText)
  }
}

/** A client over a recording. The responses to equal requests are returned in the order of recording, each once. */
export const replay = (
  recording: Recording,
  ignored: ReadonlySet<string>,
  failure: (details: ConstructorParameters<typeof NotRecorded>[0]) => NotRecorded
): HttpClient.HttpClient => {
  const answers = byKey(recording, ignored)
  return HttpClient.make((request) =>
    Effect.suspend(() => {
      const requested = parts.requestOf(parts.partsOf(request), (text) => text)
      const same = answers.get(matching.keyOf(requested, ignored))
      const exchange = same?.exchanges[same.given]
      if (same !== undefined && exchange !== undefined) {
        same.given += 1
        return replayExchange(request, exchange)
      }
      const cause = failure(notRecorded(recording, requested, ignored, same?.given ?? 0))
      return Effect.fail(new HttpClientError.RequestError({ request, reason: "InvalidUrl", cause }))
    })
  )
}
