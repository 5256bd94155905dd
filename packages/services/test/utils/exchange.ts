import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Venue from "@effect-venue/services/Venue"
import * as Resting from "@effect-venue/testing/Resting"
import type * as Transport from "@effect-venue/transport/Transport"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Clock, Context, DateTime, Duration, Effect, Layer, TestClock } from "effect"

export const today = DateTime.unsafeMake("2026-06-15T12:34:56.789Z")
export const daysAgo = (days: number) => DateTime.subtractDuration(today, Duration.days(days))

/** A request as it arrived at the exchange, and the exchange's response before any fault on the way. */
export interface Seen {
  readonly at: number
  readonly host: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly status: number
  readonly answer: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Something between the client and the exchange that changes answers. */
export type Change = (answer: Answer, path: string) => Answer

const asItIs: Change = (answer) => answer

const watching = (inner: HttpClient.HttpClient, seen: Array<Seen>, change: Change): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const arrived = { at, host: url.host, path: url.pathname + url.search, headers: { ...request.headers }, body }
      const response = yield* Effect.tapError(inner.execute(request), () =>
        Effect.sync(() => seen.push({ ...arrived, status: 0, answer: "" }))
      )
      const text = yield* response.text
      seen.push({ ...arrived, status: response.status, answer: text })
      const answer = change({ status: response.status, headers: { ...response.headers }, text }, url.pathname)
      return HttpClientResponse.fromWeb(
        request,
        new Response(answer.text, { status: answer.status, headers: answer.headers })
      )
    })
  )

/**
 * The sandbox behind an observer, which records every exchange and may change the responses. The market of `Resting` is held, so that
 * orders at its price rest.
 */
export const watched = (options: Sandbox.Options = {}, change: Change = asItIs) => {
  const seen: Array<Seen> = []
  const sandbox = Layer.scopedContext(
    Layer.build(Sandbox.layer({ seed: 5, ...options })).pipe(
      Effect.tap((context) => Resting.hold(Context.get(context, Sandbox.Sandbox).control)),
      Effect.map((context) =>
        Context.add(context, HttpClient.HttpClient, watching(Context.get(context, HttpClient.HttpClient), seen, change))
      )
    )
  )
  return { seen, sandbox, venue: Venue.layer.pipe(Layer.provideMerge(sandbox)) }
}

/** On a day of the test's choosing, so that the world of the sandbox is the same every time. */
export const onThatDay = <A, E, R, R2>(
  layer: Layer.Layer<R, never, R2>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R2> => Effect.zipRight(TestClock.setTime(today.epochMillis), Effect.provide(effect, layer))

export type Services = Venue.Venue | Transport.Transport | Sandbox.Sandbox

/** How often the exchange refused for a limit: per UID, and with a ban. */
export const refusals = (seen: ReadonlyArray<Seen>) => ({
  rate: seen.filter(({ answer }) => /"ret_?[cC]ode":10006/.test(answer)).length,
  bans: seen.filter(({ status }) => status === 403).length
})
