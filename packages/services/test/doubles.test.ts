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
import * as Double from "@effect-venue/transport/Double"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Cause, type Context, DateTime, Effect, Exit, type Layer, Option, Stream } from "effect"

const market = { category: "linear", symbol: "BTCUSDT" } as const
const amendment = { ...market, orderId: "1", price: "64000.5" } as const
const ack = Endpoints.OrderAck.make({ orderId: Id.OrderId.make("1"), orderLinkId: Option.none() })

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
    it.effect("answers with what is given", () =>
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        expect(yield* orders.amend(amendment)).toEqual(ack)
      })
    )

    it.effect("dies by name of a method that is not given", () =>
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        expect(yield* deathOf(orders.cancel({ ...market, orderId: "1" }))).toBe(
          "Orders.cancel was called, but this layerTest gives only: amend"
        )
      })
    )

    it.effect("dies by name of a stream that is not given, when it is run", () =>
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

/** Calls every method of a service that gives none. */
const deathsOf = <Id, Shape extends object>(tag: Context.Tag<Id, Shape>, double: Layer.Layer<Id>) =>
  Effect.flatMap(tag, (service) =>
    Effect.forEach(Object.values(service), (method: () => Effect.Effect<unknown>) => deathOf(method()))
  ).pipe(Effect.provide(double))

const allOf = (service: string, methods: ReadonlyArray<string>) =>
  methods.map((method) => `${service}.${method} was called, but this layerTest gives no member`)

describe("a service without members dies of each by its name", () => {
  const has = <Id, Shape extends object>(
    name: string,
    tag: Context.Tag<Id, Shape>,
    double: Layer.Layer<Id>,
    methods: { readonly [K in keyof Shape]: true }
  ) =>
    it.effect(name, () =>
      Effect.map(deathsOf(tag, double), (deaths) => {
        expect(new Set(deaths)).toEqual(new Set(allOf(name, Object.keys(methods))))
      })
    )

  has("Account", Account.Account, Account.layerTest({}), { walletBalance: true, feeRate: true })
  has("ApiLimits", ApiLimits.ApiLimits, ApiLimits.layerTest({}), { set: true, query: true })
  has("Assets", Assets.Assets, Assets.layerTest({}), {
    deposits: true,
    depositsStream: true,
    coins: true,
    bonusUsage: true,
    transfers: true,
    transfersStream: true,
    subAccountTransfers: true,
    subAccountTransfersStream: true,
    transfer: true,
    transferableCoins: true,
    withdrawInternal: true,
    fundingAssets: true
  })
  has("Broker", Broker.Broker, Broker.layerTest({}), { customers: true, tradeVolume: true, tradeVolumeStream: true })
  has("Executions", Executions.Executions, Executions.layerTest({}), {
    list: true,
    listStream: true,
    history: true,
    preUpgrade: true,
    preUpgradeStream: true,
    preUpgradeHistory: true
  })
  has("Instruments", Instruments.Instruments, Instruments.layerTest({}), { list: true, listStream: true })
  has("Orders", Orders.Orders, Orders.layerTest({}), {
    open: true,
    openStream: true,
    history: true,
    historyStream: true,
    historyBetween: true,
    create: true,
    cancel: true,
    createBatch: true,
    amendBatch: true,
    cancelBatch: true,
    amend: true,
    cancelAll: true,
    cancelEverything: true
  })
  has("Positions", Positions.Positions, Positions.layerTest({}), {
    list: true,
    listStream: true,
    addMargin: true,
    setTradingStop: true,
    setRiskLimit: true,
    confirmNewRiskLimit: true,
    setLeverage: true,
    setTpslMode: true,
    closedPnl: true,
    closedPnlStream: true,
    closedPnlHistory: true,
    preUpgradeClosedPnl: true,
    preUpgradeClosedPnlStream: true,
    preUpgradeClosedPnlHistory: true
  })
})

describe("a transport with some calls", () => {
  const transport = Transport.layerTest({
    call: Transport.callOf(
      Transport.on(Endpoints.amend, (request) => Effect.succeed({ ...ack, orderId: Id.OrderId.make(request.symbol) }))
    )
  })

  it.effect("answers the operations that are given, below a service", () =>
    Effect.gen(function* () {
      const orders = yield* Effect.map(Transport.Transport, Orders.make)
      expect(yield* orders.amend(amendment)).toEqual({ ...ack, orderId: "BTCUSDT" })
      expect(yield* deathOf(orders.cancelAll(market))).toBe(
        "orders.cancelAll was called, but this layerTest gives only: orders.amend"
      )
    }).pipe(Effect.provide(transport))
  )

  it.effect("dies by name of its other members, but for the clock and the identity", () =>
    Effect.gen(function* () {
      const double = yield* Transport.Transport
      expect(yield* deathOf(double.check(Endpoints.amend, amendment))).toBe(
        "Transport.check was called, but this layerTest gives only: call"
      )
      expect(yield* deathOf(Transport.callText(double, Endpoints.open, market))).toBe(
        "Transport.callText was called, but this layerTest gives only: call"
      )
      expect(yield* Transport.serverTime(double)).toBe(DateTime.toEpochMillis(yield* DateTime.now))
      expect(Transport.identity(double).host).toBe("test.invalid")
    }).pipe(Effect.provide(transport))
  )
})
