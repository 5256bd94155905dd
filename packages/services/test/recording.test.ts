import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Account from "@effect-venue/services/Account"
import * as Assets from "@effect-venue/services/Assets"
import * as Executions from "@effect-venue/services/Executions"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Recording from "@effect-venue/transport/Recording"
import * as FileSystem from "@effect/platform/FileSystem"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, DateTime, Effect, Layer, Redacted, Stream, TestClock } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { today } from "./utils/exchange.js"

/** Reads and writes of both signing methods, in every envelope, in pages, and one that is refused. */
const program = Effect.gen(function* () {
  const account = yield* Account.Account
  const assets = yield* Assets.Assets
  const executions = yield* Executions.Executions
  const orders = yield* Orders.Orders
  const open = yield* orders.open({ category: "linear", settleCoin: "USDT" })
  return {
    wallet: yield* account.walletBalance({ accountType: "UNIFIED" }),
    deposits: yield* assets.deposits({ coin: "USDT" }),
    // Its id is compared too, and is the same in both runs.
    transfer: yield* assets.transfer({
      ...{ fromAccountType: "UNIFIED", toAccountType: "FUND", coin: "USDT", amount: "1" },
      requestId: "9d0c0c9a-7c4b-4b0e-8a55-0a9d3d4c0b11"
    }),
    transfers: yield* assets.transfers({ limit: 5 }),
    trades: yield* Stream.runCollect(
      executions.listStream({ category: "linear", startTime: DateTime.subtract(today, { days: 2 }), endTime: today })
    ).pipe(Effect.map(Chunk.toReadonlyArray)),
    open: open.list.length,
    refused: yield* Effect.flip(orders.cancel({ category: "linear", symbol: "BTCUSDT", orderId: "no-such-order" })),
    cancelled: yield* orders.cancelAll({ category: "linear", settleCoin: "USDT" })
  }
})

const settled = settle(program)

describe("a program over the sandbox", () => {
  it.scoped("returns the same results when its recording is replayed without the sandbox", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/recordings/program.json`
      const recording = Venue.layer.pipe(
        Layer.provide(Recording.layerRecord(file)),
        Layer.provideMerge(Sandbox.layer({ seed: 5 }))
      )
      yield* TestClock.setTime(today.epochMillis)
      const [result, { apiKey, apiSecret }] = yield* settled.pipe(
        Effect.zip(Effect.map(Sandbox.Sandbox, ({ credentials }) => credentials.main)),
        Effect.provide(recording)
      )
      expect(result.trades.length).toBeGreaterThan(0)
      expect(result.refused).toMatchObject({ _tag: "Rejected", reason: "NotFound" })

      const text = yield* files.readFileString(file)
      for (const secret of [apiKey, apiSecret]) expect(text).not.toContain(Redacted.value(secret))
      const { exchanges } = yield* Recording.parse(text)
      expect(JSON.stringify(exchanges.map(({ request }) => request))).not.toMatch(/sign|api_key|recv_window|timestamp/i)

      yield* TestClock.setTime(today.epochMillis)
      const replayed = yield* settled.pipe(Effect.provide(Venue.layer.pipe(Layer.provide(Recording.layerReplay(file)))))
      expect(replayed).toEqual(result)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
