import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Assets from "@effect-venue/schemas/Assets"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Transport from "@effect-venue/transport/Transport"
import { settle } from "@effect-venue/testing/Settling"
import { FileSystem, HttpClient } from "@effect/platform"
import { Clock, Effect, Layer, TestClock } from "effect"
import { at } from "../../src/export/exported.js"
import * as Report from "../../src/figures/readReport.js"

// An account of a sandbox that does everything that changes a wallet, between two exports of one folder.

/** Shortly after a funding. */
export const opening = Date.parse("2026-06-15T00:30:00Z")

export const hour = 3_600_000
const day = 24 * hour

/** Has worlds begin there, which are created within. */
export const onOpening = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.zipRight(TestClock.setTime(opening), effect)

/** A world whose prices stand where they are set. */
export const exchange = (seed: number) => Sandbox.layer({ seed, limits: "off", prices: "still" })

const transportOf = (credentials: Credentials.Credentials.Shape) =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    Effect.provide(
      Transport.Transport,
      Transport.layerStandalone.pipe(
        Layer.provide([
          Layer.succeed(HttpClient.HttpClient, client),
          Layer.succeed(Credentials.Credentials, credentials)
        ])
      )
    )
  )

export const parts = [
  ...(["linear", "inverse", "spot"] as const).map((category) => Part.make(Datasets.executions, { category })),
  ...(["linear", "inverse"] as const).map((category) => Part.make(Datasets.closedPnl, { category })),
  Part.make(Datasets.transfers, {}),
  Part.make(Datasets.deposits, {}),
  Part.make(Datasets.subAccountTransfers, {}),
  Part.make(Datasets.bonusUsage, {})
]

let ids = 0
const uuid = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`

/** Sends calls of an account. */
const caller = (transport: Transport.Transport.Shape) => ({
  order: (category: "linear" | "inverse" | "spot", symbol: string, side: "Buy" | "Sell", qty: string) =>
    settle(
      transport.callWire(
        Orders.create,
        category === "spot"
          ? { category, symbol, side, orderType: "Market", qty, marketUnit: "baseCoin" }
          : { category, symbol, side, orderType: "Market", qty }
      )
    ),
  transfer: (coin: string, amount: string, fromAccountType: "FUND" | "UNIFIED", toAccountType: "FUND" | "UNIFIED") =>
    settle(transport.callWire(Assets.transfer, { requestId: uuid(), coin, amount, fromAccountType, toAccountType }))
})

const prices = (prices: Readonly<Record<"BTCUSDT" | "BTCUSD" | "ETHUSDT", string>>) =>
  Effect.gen(function* () {
    const { control } = yield* Sandbox.Sandbox
    yield* control.setPrice({ category: "linear", symbol: "BTCUSDT", price: prices.BTCUSDT })
    yield* control.setPrice({ category: "inverse", symbol: "BTCUSD", price: prices.BTCUSD })
    yield* control.setPrice({ category: "spot", symbol: "ETHUSDT", price: prices.ETHUSDT })
  })

/** Whatever changes a wallet: money in and out, trades of three categories, funding, a bonus and a coupon. */
const live = (uid: string, transport: Transport.Transport.Shape) =>
  Effect.gen(function* () {
    const { control } = yield* Sandbox.Sandbox
    const { order, transfer } = caller(transport)
    yield* prices({ BTCUSDT: "40000", BTCUSD: "40000", ETHUSDT: "2500" })
    for (const [coin, amount] of [
      ["USDT", "9000.5"],
      ["BTC", "0.3"],
      ["ETH", "2"]
    ] as const) {
      yield* control.deposit({ uid, coin, amount })
      yield* transfer(coin, amount, "FUND", "UNIFIED")
    }
    yield* control.grant({ uid, award: "bonus", coin: "USDT", amount: "7.5" })
    yield* control.grant({ uid, award: "coupon", coin: "USDT", amount: "0.37" })
    yield* TestClock.adjust("3 minutes")
    yield* order("linear", "BTCUSDT", "Buy", "0.031")
    yield* order("inverse", "BTCUSD", "Sell", "300")
    yield* order("spot", "ETHUSDT", "Buy", "0.7")
    yield* TestClock.adjust("9 hours")
    yield* prices({ BTCUSDT: "41234.5", BTCUSD: "41234.5", ETHUSDT: "2456.7" })
    yield* order("linear", "BTCUSDT", "Sell", "0.017")
    yield* order("inverse", "BTCUSD", "Buy", "300")
    yield* order("spot", "ETHUSDT", "Sell", "0.4")
    yield* transfer("USDT", "12.25", "UNIFIED", "FUND")
    yield* TestClock.adjust("3 minutes")
  })

/** Exports what an account has into a folder, by the test's clock. */
const exported = (folder: string, from: number, transport: Transport.Transport.Shape) =>
  Effect.gen(function* () {
    const range = { from, to: yield* Clock.currentTimeMillis }
    const run = History.runAll(parts, range, Sink.ndjson(folder), { incremental: true })
    const manifest = yield* settle(Effect.provideService(run, Transport.Transport, transport))
    yield* TestClock.adjust("2 minutes")
    return manifest
  })

const account = (uid: string) =>
  Effect.gen(function* () {
    const { control } = yield* Sandbox.Sandbox
    const fs = yield* FileSystem.FileSystem
    return {
      folder: yield* fs.makeTempDirectoryScoped(),
      transport: yield* transportOf(yield* control.openKey({ uid }))
    }
  })

/** The report of an account that lived between two exports of one folder. A classic account trades elsewhere: `trades` is false. */
export const lived = (uid: string, { trades }: { readonly trades: boolean } = { trades: true }) =>
  Effect.gen(function* () {
    const { folder, transport } = yield* account(uid)
    yield* exported(folder, opening - day, transport)
    if (trades) yield* live(uid, transport)
    yield* exported(folder, opening - day, transport)
    const report = yield* Report.read(at(folder))
    const { snapshot } = yield* Sandbox.Sandbox
    return { folder, report, state: yield* snapshot }
  })

/** An export of all that an account ever did. */
export const wholeLife = (uid: string) =>
  Effect.gen(function* () {
    const { folder, transport } = yield* account(uid)
    return { folder, manifest: yield* exported(folder, opening - 729 * day, transport) }
  })
