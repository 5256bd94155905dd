import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as Transport from "@effect-venue/transport/Transport"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, DateTime, Effect, Stream } from "effect"
import { enveloped, serve, venueAt } from "./utils/server.js"

const transfer = { coin: "USDT", amount: "50", fromAccountType: "FUND", toAccountType: "UNIFIED" }
const transferId = "42c0cfb0-6bca-4242-bc76-4e6df6cbcb16"
const request = { ...transfer, requestId: transferId }
const record = { ...transfer, transferId, status: "SUCCESS", timestamp: "1700000000" }

describe("reconcile", () => {
  it.scopedLive("leaves a transfer open while its record is pending, or if another transfer has its id", () =>
    Effect.gen(function* () {
      let listed: object = record
      const { url } = yield* serve(() => enveloped({ list: [listed], cursor: "" }))
      const storage = WriteJournal.memoryStorage()
      const program = Effect.gen(function* () {
        const transport = yield* Transport.Transport
        const { host, key } = transport.account.identity
        const at = DateTime.toEpochMillis(yield* DateTime.now) - 60_000
        const intent = { id: "1", operation: "assets.transfer", host, key, parameters: request, recvWindow: 5_000, at }
        const reconciled = Effect.gen(function* () {
          storage.entries = [{ intent, outcome: undefined }]
          const found = yield* Stream.runCollect(OpenWrites.reconcile()).pipe(
            Effect.provideService(WriteJournal.WriteJournal, yield* WriteJournal.makeMemory(storage))
          )
          const [item] = Chunk.toReadonlyArray(found)
          return [item?._tag === "Closed" ? item.executed : item?._tag, storage.entries.length]
        })
        const results: Record<string, unknown> = { SUCCESS: yield* reconciled }
        for (const status of ["PENDING", "STATUS_UNKNOWN", "FAILED"]) {
          listed = { ...record, status }
          results[status] = yield* reconciled
        }
        listed = { ...record, amount: "1" }
        return { ...results, another: yield* reconciled }
      })
      expect(yield* Effect.provide(program, venueAt(url))).toEqual({
        SUCCESS: ["yes", 0],
        PENDING: ["StillOpen", 1],
        STATUS_UNKNOWN: ["StillOpen", 1],
        FAILED: ["no", 0],
        another: ["StillOpen", 1]
      })
    })
  )
})
