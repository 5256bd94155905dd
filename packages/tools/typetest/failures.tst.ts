import type { OrderAck } from "@effect-venue/schemas/Orders"
import type * as Credentials from "@effect-venue/signing/Credentials"
import type * as Executions from "@effect-venue/services/Executions"
import type * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect, test } from "tstyche"
import type { Read, Write } from "./shape.js"

declare const orders: Orders.Orders.Shape
declare const executions: Executions.Executions.Shape

const amended = orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "1", price: "64000.5" })
const listed = executions.list({ category: "linear" })

type ErrorOf<E> = E extends Effect.Effect<unknown, infer Failure, unknown> ? Failure : never

describe("tags", () => {
  test("of reads and of writes", () => {
    expect<Failure.ReadFailure["_tag"]>().type.toBe<Read>()
    expect<Failure.WriteFailure["_tag"]>().type.toBe<Write>()
    expect<Failure.Of<"read">>().type.toBe<Failure.ReadFailure>()
    expect<Failure.Of<"idempotent">>().type.toBe<Failure.WriteFailure>()
    expect<Failure.Of<"write">>().type.toBe<Failure.WriteFailure>()
  })

  test("a tag that was caught is gone, the others stay", () => {
    const _caught = Effect.catchTag(amended, "OutcomeUnknown", (failure) => failure.lookUp)
    expect<ErrorOf<typeof _caught>>().type.toBe<
      | Failure.InvalidRequest
      | Failure.Blocked
      | Failure.Rejected
      | Failure.Unauthorized
      | Failure.ClockSkew
      | Failure.RateLimited
      | Failure.Banned
      | Failure.Unavailable
      | Failure.ConnectionFailed
      | Failure.UnexpectedResponse
    >()
  })

  test("a write is repeated before its look-up, whose failures say nothing about the write", () => {
    const repeat = { times: 2, while: Failure.isSafeToRepeat }
    const _repeated = Effect.retry(amended, repeat)
    expect<ErrorOf<typeof _repeated>>().type.toBe<Failure.WriteFailure>()
    const lookedUp = Effect.catchTag(amended, "OutcomeUnknown", (failure) => failure.lookUp)
    expect(Effect.retry(lookedUp, repeat)).type.toRaiseError()
  })

  test("a tag that cannot come cannot be caught", () => {
    expect(Effect.catchTag(listed, "OutcomeUnknown", () => Effect.void)).type.toRaiseError()
    expect(Effect.catchTag(amended, "UnexpectedResponse", () => Effect.void)).type.toRaiseError()
    expect(Effect.catchTag(amended, "Rejectd", () => Effect.void)).type.toRaiseError()
  })
})

describe("what is needed to run", () => {
  test("a method needs nothing, its service and the layers say what they need", () => {
    expect(amended).type.toBe<Effect.Effect<OrderAck, Failure.WriteFailure>>()
    expect(Venue.layer).type.toBe<
      Layer.Layer<Venue.Venue | Transport.Transport, never, HttpClient.HttpClient | Credentials.Credentials>
    >()
    expect(Venue.layerConfig).type.toBe<
      Layer.Layer<Venue.Venue | Transport.Transport, ConfigError.ConfigError, HttpClient.HttpClient>
    >()
  })
})
