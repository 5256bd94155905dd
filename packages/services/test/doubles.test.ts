import * as Samples from "@effect-venue/testing/Samples"
import * as Id from "@effect-venue/schemas/Id"
import * as Endpoints from "@effect-venue/schemas/Orders"
import * as Account from "@effect-venue/services/Account"
import * as ApiLimits from "@effect-venue/services/ApiLimits"
import * as Assets from "@effect-venue/services/Assets"
import * as Broker from "@effect-venue/services/Broker"
import * as Executions from "@effect-venue/services/Executions"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import * as Double from "@effect-venue/transport/siblings/Double"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Cause, type Context, DateTime, Effect, Exit, type Layer, Option, Stream } from "effect"

const market = { category: "linear", symbol: "BTCUSDT" } as const
const amendment = { ...market, orderId: "1", price: "64000.5" } as const
const ack: Endpoints.OrderAck = { orderId: Id.OrderId.make("1"), orderLinkId: Option.none() }

/** The message of the defect that an effect dies of. */
const deathOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.match(exit, {
      onSuccess: () => "it succeeded",
      onFailure: (cause) =>
        Option.match(Cause.dieOption(cause), {
          onNone: () => Cause.pretty(cause),
          onSome: (defect) => (defect instanceof Double.NotGiven ? defect.message : String(defect))
        })
    })
  )

describe("a service with some members", () => {
  it.layer(Orders.layerTest({ amend: () => Effect.succeed(ack) }))((it) => {
    it.effect("returns the results of its members", () =>
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        expect(yield* orders.amend(amendment)).toEqual(ack)
      })
    )

    it.effect("dies with the name of a missing method", () =>
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        expect(yield* deathOf(orders.cancel({ ...market, orderId: "1" }))).toBe(
          "Orders.cancel was called, but this layerTest gives only: amend"
        )
      })
    )

    it.effect("dies with the name of a missing stream when it is run", () =>
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const rows = Stream.map(orders.openStream(market), ({ orderId }) => orderId)
        expect(yield* deathOf(Stream.runCollect(rows))).toBe(
          "Orders.openStream was called, but this layerTest gives only: amend"
        )
      })
    )
  })
})

/** What every method of a service that gives none dies of, by the name of the method. */
const deathsOf = <Id, Shape extends object>(tag: Context.Tag<Id, Shape>, double: Layer.Layer<Id>) =>
  Effect.flatMap(tag, (service) =>
    // The members of a service are methods.
    Effect.all(
      Object.fromEntries(
        Object.entries(service as Record<string, () => Effect.Effect<unknown>>).map(([name, method]) => [
          name,
          deathOf(method())
        ])
      )
    )
  ).pipe(Effect.provide(double))

/** The operations of a domain, by the names of their methods. */
const operationsOf = (domain: string): ReadonlyArray<string> =>
  Samples.all.flatMap(({ endpoint, name }) => (endpoint.domain === domain ? [name.replace(/^\w+\./, "")] : []))

describe("a service without members dies with the name of each", () => {
  const has = <Id, Shape extends object>(domain: string, tag: Context.Tag<Id, Shape>, double: Layer.Layer<Id>) =>
    it.effect(domain, () =>
      Effect.map(deathsOf(tag, double), (deaths) => {
        const methods = Object.keys(deaths)
        expect(methods).toEqual(expect.arrayContaining([...operationsOf(domain)]))
        for (const method of methods) {
          expect(deaths[method]).toBe(`${domain}.${method} was called, but this layerTest gives no member`)
        }
      })
    )

  has("Account", Account.Account, Account.layerTest({}))
  has("ApiLimits", ApiLimits.ApiLimits, ApiLimits.layerTest({}))
  has("Assets", Assets.Assets, Assets.layerTest({}))
  has("Broker", Broker.Broker, Broker.layerTest({}))
  has("Executions", Executions.Executions, Executions.layerTest({}))
  has("Instruments", Instruments.Instruments, Instruments.layerTest({}))
  has("Orders", Orders.Orders, Orders.layerTest({}))
  has("Positions", Positions.Positions, Positions.layerTest({}))
})

describe("a transport with some operations", () => {
  const transport = Transport.layerTest({
    call: Transport.callOf(
      Transport.on(Endpoints.amend, (request) => Effect.succeed({ ...ack, orderId: Id.OrderId.make(request.symbol) }))
    )
  })

  it.effect("answers its operations below a service", () =>
    Effect.gen(function* () {
      const orders = yield* Effect.map(Transport.Transport, Orders.make)
      expect(yield* orders.amend(amendment)).toEqual({ ...ack, orderId: "BTCUSDT" })
      expect(yield* deathOf(orders.cancelAll(market))).toBe(
        "orders.cancelAll was called, but this layerTest gives only: orders.amend"
      )
    }).pipe(Effect.provide(transport))
  )

  it.effect("dies with the name of any other member, except clock and identity", () =>
    Effect.gen(function* () {
      const double = yield* Transport.Transport
      expect(yield* deathOf(double.check(Endpoints.amend, amendment))).toBe(
        "Transport.check was called, but this layerTest gives only: call"
      )
      expect(yield* deathOf(double.account.callText(Endpoints.open, market))).toBe(
        "Transport.callText was called, but this layerTest gives only: call"
      )
      expect(yield* double.account.serverTime).toBe(DateTime.toEpochMillis(yield* DateTime.now))
      expect(double.account.identity.host).toBe("test.invalid")
    }).pipe(Effect.provide(transport))
  )
})
