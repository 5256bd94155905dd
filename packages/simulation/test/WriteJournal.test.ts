import * as Breadth from "@effect-venue/testing/Breadth"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import type * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Files from "../src/world/Files.js"

const intent = (id: string): WriteJournal.Intent => ({
  id,
  operation: "orders.create",
  host: "localhost",
  key: "k",
  parameters: { orderLinkId: id },
  at: 1,
  recvWindow: 5_000
})

/** At every byte in the long tier, at some of them otherwise. */
const stride = Breadth.repeats(1, 5)

const undisturbed: Files.FileStep = (effect) => effect

const open = (disk: Files.Disk) =>
  FileWriteJournal.make({ folder: "/journal", compactAt: 600 }).pipe(
    Effect.provideService(FileSystem.FileSystem, disk.files(undisturbed)),
    Effect.provide(Path.layer)
  )

// Processes that end or stand still at operations of the journal: the workload `writes`.
describe("a journal of writes on a disk", () => {
  it.effect("never lacks or closes a write after one byte of its file was changed or removed", () =>
    Effect.gen(function* () {
      const entries: ReadonlyArray<readonly [string, WriteJournal.Outcome | undefined]> = [
        ["open", undefined],
        ["closed", { _tag: "Done" }],
        ["unknown", { _tag: "Unknown", failure: "ConnectionFailed (Timeout)" }],
        ["later", undefined]
      ]
      const disk = Files.make(() => 0)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const journal = yield* open(disk)
          for (const [id, outcome] of entries) {
            yield* journal.begin(intent(id))
            if (outcome !== undefined) yield* journal.end(id, outcome)
          }
        })
      )
      const [path = ""] = disk.paths()
      const bytes = new TextEncoder().encode(disk.read(path))
      const changes: ReadonlyArray<(at: number) => Uint8Array> = [
        (at) => Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + 1)]),
        ...[1, 128].map((bit) => (at: number) => bytes.map((byte, index) => (index === at ? byte ^ bit : byte))),
        (at) => bytes.map((byte, index) => (index === at ? 10 : byte))
      ]
      const outcomes = new Map<string, number>()
      const places = [...bytes.keys()].filter(
        (at) => stride === 1 || at % (3 * stride) === 0 || at === bytes.length - 1
      )
      for (const at of places) {
        for (const change of changes) {
          const damaged = Files.make(() => 0)
          const files = damaged.files(undisturbed)
          yield* files.makeDirectory("/journal")
          yield* files.writeFile(path, change(at))
          const found = yield* Effect.scoped(Effect.flatMap(open(damaged), (journal) => journal.open)).pipe(
            Effect.map((found) => found.map(({ intent, outcome }) => `${intent.id} ${outcome?._tag ?? ""}`).join()),
            Effect.catchTag("WriteJournalFailed", ({ reason }) => Effect.succeed(reason))
          )
          outcomes.set(found, (outcomes.get(found) ?? 0) + 1)
        }
      }
      // Of a last line that lost its end the checksum shows that it is whole.
      expect([...outcomes.keys()].sort()).toEqual(["Damaged", "open ,unknown Unknown,later "])
    })
  )
})
