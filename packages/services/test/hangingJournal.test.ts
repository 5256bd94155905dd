import * as Orders from "@effect-venue/services/Orders"
import * as Resting from "@effect-venue/testing/Resting"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Deferred, Duration, Effect, Fiber, Layer, Logger, Option, type Scope, Stream, TestClock } from "effect"
import { today, watched } from "./utils/exchange.js"

/** A place that stops answering: every operation waits until it answers again. */
interface Storage {
  readonly hang: Effect.Effect<void>
  readonly recover: Effect.Effect<void>
  /** Ends when an operation waits for it. */
  readonly reached: Effect.Effect<void>
  readonly through: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

const storage: Effect.Effect<Storage> = Effect.map(Deferred.make<void>(), (reached) => {
  let hung: Deferred.Deferred<void> | undefined
  return {
    reached: Deferred.await(reached),
    hang: Effect.map(Deferred.make<void>(), (deferred) => void (hung = deferred)),
    recover: Effect.suspend(() => {
      const recovered = hung
      hung = undefined
      return recovered === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(recovered, undefined))
    }),
    // As an operation of the file system that is under way: nothing ends it.
    through: (effect) =>
      Effect.uninterruptible(
        Effect.suspend(() =>
          hung === undefined
            ? effect
            : Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(hung)).pipe(Effect.zipRight(effect))
        )
      )
  }
})

type Operation = "writeAll" | "sync"

/** A file system of which one operation hangs with its storage. */
const hanging = (fs: FileSystem.FileSystem, { through }: Storage, operation: Operation): FileSystem.FileSystem => ({
  ...fs,
  open: (path, options) =>
    Effect.map(fs.open(path, options), (file): FileSystem.File =>
      Object.create(file, {
        sync: { value: operation === "sync" ? through(file.sync) : file.sync },
        writeAll: {
          value: (bytes: Uint8Array) =>
            operation === "writeAll" ? through(file.writeAll(bytes)) : file.writeAll(bytes)
        }
      })
    )
})

const timeout = Duration.millis(200)

/** Runs an effect to its end: time passes only while an operation waits for the storage. */
const whileItHangs = <A, E, R>({ reached }: Storage, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* reached
    while (Option.isNone(yield* Fiber.poll(fiber))) yield* TestClock.adjust(timeout)
    return yield* Fiber.join(fiber)
  })

type Journal = WriteJournal.WriteJournal.Shape
type Opened = Effect.Effect<Journal, unknown, Scope.Scope | NodeContext.NodeContext>

/** A journal over a storage, and the same journal as the next process opens it. */
interface Subject {
  readonly journal: Opened
  readonly next: Opened
}

const inFolder =
  (operation: Operation) =>
  (storage: Storage, folder: string): Subject => ({
    journal: Effect.flatMap(FileSystem.FileSystem, (fs) =>
      Effect.provideService(
        FileWriteJournal.make({ folder, timeout }),
        FileSystem.FileSystem,
        hanging(fs, storage, operation)
      )
    ),
    next: FileWriteJournal.make({ folder })
  })

const ofTheApplication = ({ through }: Storage): Subject => {
  const entries = new Map<string, WriteJournal.Entry>()
  const opened = (through: Storage["through"]) =>
    Effect.sync(() =>
      WriteJournal.make(
        {
          nextId: Effect.sync(() => globalThis.crypto.randomUUID()),
          begin: (intent) => through(Effect.sync(() => void entries.set(intent.id, { intent, outcome: undefined }))),
          end: (id) => through(Effect.sync(() => void entries.delete(id))),
          open: Effect.sync(() => [...entries.values()]),
          guarded: Effect.succeed({ entries: [], totals: [] })
        },
        { timeout }
      )
    )
  return { journal: opened(through), next: opened((effect) => effect) }
}

const journals = {
  "a journal in a folder whose writeAll hangs": inFolder("writeAll"),
  "a journal in a folder whose sync hangs": inFolder("sync"),
  "a journal of the application that cannot be interrupted": ofTheApplication
}

interface World {
  readonly storage: Storage
  readonly journal: Journal
  /** The journal as the next process opens it. */
  readonly next: Effect.Effect<Journal, unknown, Scope.Scope>
  readonly requests: () => number
  /** Does something once, when the next request has arrived. */
  readonly onRequest: (effect: Effect.Effect<void>) => void
  readonly logged: ReadonlyArray<string>
}

const create = Effect.flatMap(Orders.Orders, (orders) =>
  orders.create({
    ...Resting.market,
    side: "Buy",
    orderType: "Limit",
    qty: "1",
    price: Resting.price,
    orderLinkId: "first"
  })
)

const namesOf = (journal: Journal) =>
  Effect.map(journal.open, (entries) => entries.map(({ intent }) => String(intent.parameters.orderLinkId)))

type Needed = Layer.Layer.Success<ReturnType<typeof watched>["venue"]> | WriteJournal.WriteJournal

const inWorld = <A, E>(
  subjectOf: (storage: Storage, folder: string) => Subject,
  use: (world: World) => Effect.Effect<A, E, Needed | Scope.Scope>
) =>
  Effect.gen(function* () {
    const place = yield* storage
    const subject = subjectOf(place, yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped()))
    yield* TestClock.setTime(today.epochMillis)
    const journal = yield* subject.journal
    yield* Effect.addFinalizer(() => place.recover)
    const logged: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => logged.push(`${logLevel.label} ${String(message)}`))
    let arrived = Effect.void
    const { seen, venue } = watched({ prices: "still" }, (answer) => {
      Effect.runSync(arrived)
      arrived = Effect.void
      return answer
    })
    const world: World = {
      storage: place,
      journal,
      next: Effect.provide(subject.next, NodeContext.layer),
      requests: () => seen.length,
      onRequest: (effect) => void (arrived = effect),
      logged
    }
    return yield* use(world).pipe(
      Effect.provide(Layer.provideMerge(venue, Layer.succeed(WriteJournal.WriteJournal, journal))),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
  }).pipe(Effect.provide(NodeContext.layer))

const reconciled = (journal: Journal) =>
  OpenWrites.reconcile({ listedWithin: 0 }).pipe(
    Stream.filterMap((write) => (write._tag === "Closed" ? Option.some(write) : Option.none())),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray),
    Effect.provideService(WriteJournal.WriteJournal, journal)
  )

/** What ends a call whose intent is not recorded, and what its caller receives. */
const limits: Readonly<
  Record<
    string,
    readonly [
      (call: typeof create) => Effect.Effect<unknown, unknown, Orders.Orders>,
      Readonly<Record<string, unknown>>
    ]
  >
> = {
  CallTimeout: [
    Effect.provideService(CallOptions.CallTimeout, Duration.millis(50)),
    { _tag: "ConnectionFailed", reason: "Timeout", sent: false }
  ],
  "Effect.timeout": [Effect.timeout("50 millis"), { _tag: "TimeoutException" }],
  "the timeout of the journal": [(call) => call, { _tag: "ConnectionFailed", reason: "WriteJournal", sent: false }]
}

for (const [name, subject] of Object.entries(journals)) {
  describe(name, () => {
    for (const [limit, [limited, expected]] of Object.entries(limits)) {
      it.scoped(`delays a write for at most ${limit}, and the write is not sent`, () =>
        inWorld(subject, ({ journal, next, requests, storage }) =>
          Effect.gen(function* () {
            const interrupted: Array<Failure.OutcomeUnknown> = []
            yield* storage.hang
            const failure = yield* whileItHangs(storage, Effect.flip(limited(create))).pipe(
              Effect.provideService(CallOptions.OnInterruptedWrite, (failure) =>
                Effect.sync(() => void interrupted.push(failure))
              )
            )
            expect(failure).toMatchObject(expected)
            expect(requests()).toBe(0)
            expect(interrupted).toEqual([])
            // When the storage answers again, an intent that is recorded late is closed.
            yield* storage.recover
            yield* create
            expect(requests()).toBe(1)
            expect(yield* namesOf(journal)).toEqual([])
            expect(yield* namesOf(yield* next)).toEqual([])
          })
        )
      )
    }
  })
}

it.scoped("an abandoned intent is left to the next process, which finds that it was not executed", () =>
  inWorld(journals["a journal in a folder whose sync hangs"], ({ next, storage }) =>
    Effect.gen(function* () {
      yield* storage.hang
      yield* whileItHangs(storage, Effect.flip(create))
      // Until the request cannot arrive any more.
      yield* TestClock.adjust("1 minute")
      expect(yield* reconciled(yield* next)).toMatchObject([{ executed: "no" }])
    })
  )
)

describe("a journal that hangs after the answer", () => {
  for (const name of [
    "a journal in a folder whose writeAll hangs",
    "a journal of the application that cannot be interrupted"
  ] as const) {
    it.scoped(`${name}: does not withhold the result, and leaves an entry that can be reconciled`, () =>
      inWorld(journals[name], ({ journal, logged, next, onRequest, storage }) =>
        Effect.gen(function* () {
          onRequest(storage.hang)
          const { orderLinkId } = yield* whileItHangs(storage, create)
          expect(Option.getOrNull(orderLinkId)).toBe("first")
          expect(logged).toEqual([expect.stringMatching(/^WARN the outcome of a write .* stays open/)])
          expect(yield* namesOf(journal)).toEqual(["first"])
          expect(yield* reconciled(yield* next)).toMatchObject([{ executed: "yes" }])
        })
      )
    )
  }
})
