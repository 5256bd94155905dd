import * as Endpoints from "@effect-venue/schemas/Orders"
import * as Orders from "@effect-venue/services/Orders"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { expect, test } from "tstyche"

declare const ack: Endpoints.OrderAck
declare const refused: Failure.Rejected
declare const notAFailure: Error

test("a double needs nothing and gives its service", () => {
  expect(Orders.layerTest({ amend: () => Effect.succeed(ack) })).type.toBe<Layer.Layer<Orders.Orders>>()
  expect(Orders.layerTest({ amend: () => Effect.fail(refused) })).type.toBe<Layer.Layer<Orders.Orders>>()
})

test("a member that the service has not is refused", () => {
  expect(Orders.layerTest).type.not.toBeCallableWith({ ammend: () => Effect.succeed(ack) })
})

test("a result or a failure that the member does not have is refused", () => {
  expect(Orders.layerTest).type.not.toBeCallableWith({ amend: () => Effect.succeed("amended") })
  expect(Orders.layerTest).type.not.toBeCallableWith({ amend: () => Effect.fail(notAFailure) })
})

test("an answer of a transport fits its operation", () => {
  expect(Transport.on(Endpoints.amend, () => Effect.succeed(ack))).type.toBe<Transport.TestAnswer>()
  expect(Transport.on).type.not.toBeCallableWith(Endpoints.amend, () => Effect.succeed("amended"))
  expect(Transport.layerTest).type.not.toBeCallableWith({ cal: () => Effect.succeed(ack) })
})
