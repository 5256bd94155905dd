import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import type * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
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

/** At every operation in the long tier, at some of them otherwise. */
const stride = process.env.VENUE_TESTS === "long" ? 1 : 5

type Journal = WriteJournal.Operations

const open = (disk: Files.Disk, step: Files.Step) =>
  FileWriteJournal.make({ folder: "/journal", compactAt: 600 }).pipe(
    Effect.provideService(FileSystem.FileSystem, disk.files(step)),
    Effect.provide(Path.layer)
  )

const undisturbed: Files.Step = (effect) => effect

/** The intents that were recorded, after which a write is sent, and those of them that were about to be closed. */
interface Progress {
  readonly begun: Set<string>
  readonly ending: Set<string>
}

/** Sends writes in groups; every third has no outcome, and every seventh an unknown one. */
const work = (journal: Journal, prefix: string, { begun, ending }: Progress) =>
  Effect.forEach(
    Array.from({ length: 16 }, (_, index) => index),
    (index) =>
      Effect.gen(function* () {
        const id = `${prefix}-${index}`
        yield* journal.begin(intent(id))
        begun.add(id)
        if (index % 3 === 0) return
        if (index % 7 === 0) return yield* journal.end(id, { _tag: "Unknown", failure: "ConnectionFailed (Timeout)" })
        ending.add(id)
        yield* journal.end(id, { _tag: "Done" })
      }),
    { concurrency: 3, discard: true }
  )

/** Stops the process before its n-th operation on files, or in the middle of it. */
const stopping = (n: number, isHalf: boolean, stopped: Deferred.Deferred<void>): Files.Step => {
  let operations = 0
  return (effect, half) =>
    Effect.suspend(() => {
      operations++
      if (operations < n) return effect
      const torn = operations === n && isHalf && half !== undefined ? Effect.ignore(half) : Effect.void
      return Effect.zipRight(torn, Effect.zipRight(Deferred.succeed(stopped, undefined), Effect.never))
    })
}

const idsOf = (journal: Journal) =>
  Effect.map(journal.open, (entries) => new Set(entries.map(({ intent }) => intent.id)))

/** Every entry is open that was begun and not closed. One that was closed may be: outcomes are synced with the next intent. */
const expectKept = (found: ReadonlySet<string>, { begun, ending }: Progress, at: string) => {
  const owed = [...begun].filter((id) => !ending.has(id))
  expect(
    owed.filter((id) => !found.has(id)),
    `lost when stopped ${at}`
  ).toEqual([])
}

/** Runs a process until it stops before its n-th operation; false when it is done before. */
const halted = (disk: Files.Disk, prefix: string, progress: Progress, n: number, isHalf: boolean) =>
  Effect.gen(function* () {
    const stopped = yield* Deferred.make<void>()
    const process = Effect.flatMap(open(disk, stopping(n, isHalf, stopped)), (journal) =>
      work(journal, prefix, progress)
    )
    const fiber = yield* Effect.forkDaemon(Effect.scoped(Effect.zipLeft(process, Effect.never)))
    // Nothing waits for anything outside of this process: after these turns it is stopped or done.
    for (let turn = 0; turn < 300 && !(yield* Deferred.isDone(stopped)); turn++) yield* Effect.yieldNow()
    const isStopped = yield* Deferred.isDone(stopped)
    if (!isStopped) yield* Fiber.interrupt(fiber)
    return { isStopped }
  })

describe("a journal of writes on a file system that loses what was not synced", () => {
  for (const isHalf of [false, true]) {
    for (const keepsNames of [false, true]) {
      it.effect(
        `keeps every intent when the machine stops at any operation${isHalf ? ", in the middle of it" : ""}${keepsNames ? ", names kept" : ""}`,
        () =>
          Effect.gen(function* () {
            let operations = 0
            for (let n = 1 + (isHalf ? 1 : 0) + (keepsNames ? 2 : 0); ; n += stride) {
              const disk = Files.make(() => 0)
              const progress: Progress = { begun: new Set(), ending: new Set() }
              const first = yield* halted(disk, "first", progress, n, isHalf)
              disk.crash(keepsNames)
              if (!first.isStopped) break
              operations = n
              // The next process stops at some operation of its own, and the one after it is left alone.
              yield* halted(disk, "second", progress, 1 + (n % 23), isHalf)
              disk.crash(keepsNames)
              const found = yield* Effect.scoped(Effect.flatMap(open(disk, undisturbed), idsOf))
              expectKept(found, progress, `before operation ${n}`)
            }
            expect(operations).toBeGreaterThan(40)
          })
      )
    }
  }

  it.effect("lets a process that was frozen at any operation begin no write that a later process does not read", () =>
    Effect.gen(function* () {
      for (let n = 1; ; n += stride) {
        const disk = Files.make(() => 0)
        const [frozen, revived] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        let operations = 0
        const freezing: Files.Step = (effect) =>
          Effect.suspend(() =>
            ++operations < n
              ? effect
              : Effect.zipRight(Deferred.succeed(frozen, undefined), Effect.zipRight(Deferred.await(revived), effect))
          )
        const begun = new Set<string>()
        const first = yield* Effect.fork(
          Effect.scoped(
            Effect.flatMap(open(disk, freezing), (journal) =>
              Effect.forEach(
                Array.from({ length: 8 }, (_, index) => `w-${index}`),
                (id) =>
                  Effect.zipRight(
                    Effect.map(journal.begin(intent(id)), () => begun.add(id)),
                    id < "w-5" ? Effect.ignore(journal.end(id, { _tag: "Done" })) : Effect.void
                  ),
                { discard: true }
              )
            )
          )
        )
        for (let turn = 0; turn < 300 && !(yield* Deferred.isDone(frozen)); turn++) yield* Effect.yieldNow()
        if (!(yield* Deferred.isDone(frozen))) break
        const before = new Set(begun)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const second = yield* open(disk, undisturbed)
            const found = yield* idsOf(second)
            yield* Deferred.succeed(revived, undefined)
            yield* Effect.exit(Fiber.join(first))
            const late = [...begun].filter((id) => !before.has(id))
            const unread = late.filter((id) => !found.has(id))
            // One that was frozen before it had the journal takes it over when it goes on.
            const isTakenOver = Either.isLeft(yield* Effect.either(second.begin(intent("of-second"))))
            expect(isTakenOver ? [] : unread, `begun after a thaw at operation ${n}`).toEqual([])
            if (isTakenOver) expect(before.size, `taken over by one that had begun, at operation ${n}`).toBe(0)
          })
        )
      }
    })
  )

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
          const journal = yield* open(disk, undisturbed)
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
          const found = yield* Effect.scoped(
            Effect.flatMap(open(damaged, undisturbed), (journal) => journal.open)
          ).pipe(
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
