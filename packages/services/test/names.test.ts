/** Each method of a service has its name in traces, and its caller in the stack of its failure. */
import * as Account from "@effect-venue/services/Account"
import * as ApiLimits from "@effect-venue/services/ApiLimits"
import * as Assets from "@effect-venue/services/Assets"
import * as Broker from "@effect-venue/services/Broker"
import * as Executions from "@effect-venue/services/Executions"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Samples from "@effect-venue/testing/Samples"
import { collecting } from "@effect-venue/testing/Spans"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { type Context, Effect, Layer, Option, Redacted, Stream } from "effect"

const secret = "example-secret-not-real-0001"
const apiKey = "EXAMPLEKEY0001"
const refused = JSON.stringify({ retCode: 10001, retMsg: "no", result: null, retExtInfo: null, time: 0 })

const services = Venue.layer.pipe(
  Layer.provide(Credentials.layer({ baseUrl: "http://venue.test", apiKey, apiSecret: Redacted.make(secret) })),
  Layer.provide(
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(refused))))
    )
  )
)

/** The request of a method: that of its operation, of the pages of a stream, or of the calls of `cancelEverything`. */
const requestOf = (method: string): object => {
  const operation = method.replace(/Stream$/, "").replace("cancelEverything", "cancelAll")
  return Samples.all.find(({ name }) => name === operation.charAt(0).toLowerCase() + operation.slice(1))?.request ?? {}
}

type Method = (request: object) => Effect.Effect<unknown, Error> | Stream.Stream<unknown, Error>

/** Calls a method here, so that this file is in the stack. */
const callHere = (method: Method, name: string): Effect.Effect<unknown, Error> => {
  const result = method(requestOf(name))
  return Effect.isEffect(result) ? result : Stream.runDrain(result)
}

const firstFrame = ({ stack = "" }: Error) => stack.split("\n").find((line) => line.startsWith("    at "))

const tags: Readonly<Record<string, Context.Tag<Venue.Venue, object>>> = {
  Account: Account.Account as never,
  ApiLimits: ApiLimits.ApiLimits as never,
  Assets: Assets.Assets as never,
  Broker: Broker.Broker as never,
  Executions: Executions.Executions as never,
  Instruments: Instruments.Instruments as never,
  Orders: Orders.Orders as never,
  Positions: Positions.Positions as never
}

const methodsOf = (service: string, tag: Context.Tag<Venue.Venue, object>) =>
  Effect.map(tag, (methods) =>
    // The members of a service are methods.
    Object.entries(methods as Record<string, Method>).map(([name, method]) => ({ name: `${service}.${name}`, method }))
  )

const allMethods = Effect.map(
  Effect.all(Object.entries(tags).map(([service, tag]) => methodsOf(service, tag))),
  (methods) => methods.flat()
)

describe("every method of a service", () => {
  it.effect("is one span of its name, without secrets, and its requests are below it", () =>
    Effect.gen(function* () {
      const methods = yield* allMethods
      expect(methods.length).toBeGreaterThan(Samples.all.length)
      for (const { method, name } of methods) {
        const { spans, told, tracer } = collecting()
        const failure = yield* Effect.flip(Effect.withTracer(callHere(method, name), tracer))
        const [first, ...others] = spans
        expect([name, first?.name, first?.kind]).toEqual([name, name, "internal"])
        expect(others.map((span) => span.name)).not.toContain(name)
        const requests = others.filter(({ kind }) => kind === "client")
        expect([name, requests.length]).toEqual([name, 1])
        // A method that makes one call has no further span of the call.
        const isOneCall = Samples.isOperation(name.charAt(0).toLowerCase() + name.slice(1)) && !name.endsWith("Batch")
        const parent = Option.getOrUndefined(requests[0]?.parent ?? Option.none())
        expect([name, parent === first]).toEqual([name, isOneCall])
        for (const text of [secret, apiKey, /[0-9a-f]{64}/]) expect(told()).not.toMatch(text)
        expect([name, firstFrame(failure)]).toEqual([
          name,
          expect.stringMatching(`at ${name} \\(.*names.test.ts:\\d+:\\d+\\)`)
        ])
      }
    }).pipe(Effect.provide(services))
  )

  it.effect("is the first frame of its failure without a tracer, too", () =>
    Effect.gen(function* () {
      for (const { method, name } of yield* allMethods) {
        const failure = yield* Effect.flip(callHere(method, name))
        expect([name, firstFrame(failure)]).toEqual([
          name,
          expect.stringMatching(`at ${name} \\(.*names.test.ts:\\d+:\\d+\\)`)
        ])
      }
    }).pipe(Effect.provide(services))
  )
})
