/**
 * Writes of two accounts that are recorded in a journal on a disk: the process can end or stand still at any operation on its files, and a later one
 * looks up what was executed.
 */
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Guard from "@effect-venue/transport/Guard"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as Transport from "@effect-venue/transport/Transport"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as Process from "../../kernel/Process.js"
import * as Sim from "../../kernel/Sim.js"
import * as Exchange from "../../models/Exchange.js"
import * as Callers from "../../world/Callers.js"
import * as Faults from "../../world/Faults.js"
import * as Files from "../../world/Files.js"
import type * as Journal from "../../world/Journal.js"
import * as Mortal from "../../world/Mortal.js"
import * as Network from "../../world/Network.js"
import type * as World from "../../world/World.js"
import * as Requests from "../calls/requests.js"
import * as wrappers from "../calls/wrappers.js"
import * as Workload from "../../run/Workload.js"
import * as Plan from "./Plan.js"

interface WritesStage extends Mortal.MortalMachine {
  readonly plan: Plan.WritesPlan
  readonly exchange: ReturnType<typeof Exchange.make>
  readonly callers: Callers.Callers
  /** The calls of entries. */
  readonly calls: Map<string, string>
  /** The failures that were recorded of entries that stay open. */
  readonly unknown: Map<string, string>
  readonly disturbed: HttpClient.HttpClient
  readonly calm: HttpClient.HttpClient
}

/** A closing is lost with a process that ends before it is on the disk, and given up if the disk takes a second or has no space. */
const isCalm = ({ disk, starts }: Plan.WritesPlan) =>
  disk < 50 && starts.every(({ fate, full, killedAfter }) => (fate ?? killedAfter ?? full) === undefined)

const toExecuted = (
  outcome: Exclude<WriteJournal.Outcome, { readonly _tag: "Unknown" }>
): Journal.Of<"Closed">["executed"] => {
  switch (outcome._tag) {
    case "Done":
      // The orders of a batch are executed one by one.
      return outcome.codes === undefined ? "yes" : "partly"
    case "Refused":
    case "NotSent":
      return "no"
    case "Reconciled":
      return outcome.executed
    default:
      // The types rule this out, but a mistake of the library could still do it.
      return "unknowable"
  }
}

/** Compares the codes that are recorded of a batch with the orders that were executed. */
const compareCodes = (world: World.World, call: string, codes: ReadonlyArray<number>) => {
  const expected = Requests.wishesOf({ id: call, kind: "batch" }).map((wish) => Requests.isExecuted(world, wish))
  const got = codes.map((code) => code === 0)
  world.add({ _tag: "Compared", call, rule: "Coded", got: got.join(), expected: expected.join() })
}

/** A failure with its return code, as it is recorded. */
const textOf = (outcome: WriteJournal.Unknown | undefined) =>
  outcome === undefined ? "nothing" : `${outcome.failure} ${outcome.retCode}`

/** Records the entries that a journal keeps and closes, and compares the outcomes of open entries with those that were recorded. */
const recordJournal = (
  { calls, plan, unknown, world }: WritesStage,
  journal: WriteJournal.WriteJournal.Shape
): WriteJournal.WriteJournal.Shape => ({
  ...journal,
  begin: (intent) =>
    Effect.flatMap(Network.CurrentCall, (call) =>
      Effect.tap(journal.begin(intent), () =>
        Effect.sync(() => {
          calls.set(intent.id, call)
          world.add({ _tag: "Recorded", call, entry: intent.id })
        })
      )
    ),
  // Recorded when it is tried: one that fails leaves the entry to a later look-up.
  end: (entry, outcome) =>
    Effect.suspend(() => {
      const call = calls.get(entry)
      // An intent whose recording failed is not in the journal, and its request has not left.
      if (outcome._tag !== "Unknown" && call !== undefined) {
        if (outcome._tag === "Done" && outcome.codes !== undefined) compareCodes(world, call, outcome.codes)
        const refusal = outcome._tag === "Refused" || outcome._tag === "NotSent" ? outcome : undefined
        const { failure, retCode } = refusal ?? {}
        const by = outcome._tag === "Reconciled" ? "reconcile" : "call"
        world.cover(`entry ${outcome._tag} ${toExecuted(outcome)}`)
        world.add({ _tag: "Closed", call, entry, by, executed: toExecuted(outcome), failure, retCode })
      }
      const ended = journal.end(entry, outcome)
      return outcome._tag === "Unknown"
        ? Effect.tap(ended, () => Effect.sync(() => unknown.set(entry, textOf(outcome))))
        : ended
    }),
  open: Effect.tap(journal.open, (entries) =>
    Effect.sync(() => {
      // What a process has recorded can be lost if it does not end by itself.
      if (!isCalm(plan)) return
      for (const { intent, outcome } of entries) {
        const [got, expected] = [textOf(outcome), unknown.get(intent.id) ?? "nothing"]
        world.add({ _tag: "Compared", call: calls.get(intent.id) ?? "", rule: "Recalled", got, expected })
      }
    })
  )
})

const accounts = ["main", "sub"] as const

/** The services and the transport of an account. */
const servicesOf = ({ exchange }: WritesStage, account: Plan.WriteCall["account"], client: HttpClient.HttpClient) =>
  Venue.layerServices.pipe(
    Layer.provideMerge(Transport.layer),
    Layer.provide(Signer.layer),
    Layer.provide(Layer.succeed(Credentials.Credentials, exchange.accounts[account])),
    Layer.provide(Venue.layerShared),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )

/** Looks up the open entries of each account. */
const reconcileAll = (stage: WritesStage, client: HttpClient.HttpClient) =>
  Effect.forEach(accounts, (account) =>
    OpenWrites.reconcile({ concurrency: 2 }).pipe(
      Stream.runForEach((result) =>
        Effect.sync(() => {
          stage.world.cover(`entry ${result._tag}`)
        })
      ),
      Effect.provideService(Network.CurrentCall, Exchange.noCall),
      Effect.provide(servicesOf(stage, account, client)),
      Effect.catchAllCause((cause) => Effect.sync(() => stage.world.sim.trace(`reconcile ${cause._tag}`)))
    )
  )

/** The guard of a process, which knows what earlier ones have used. */
const guarding = ({ plan: { cap } }: WritesStage) =>
  cap === undefined
    ? Effect.succeed(Layer.empty)
    : Guard.makeJournalled({ orders: { USDT: { perDay: String(cap) } } }).pipe(
        Effect.catchTag("InvalidGuard", Effect.die),
        Effect.map(Layer.succeedContext)
      )

/** Makes the calls of a start, each as its caller. */
const making = (stage: WritesStage, index: number, guard: Layer.Layer<never>) =>
  Effect.forEach(
    accounts,
    (account) => {
      const { callers, plan, world } = stage
      const own = plan.calls.filter((call) => call.account === account && call.start === index)
      const run = (call: Plan.WriteCall) => {
        const made = Requests.send(call).pipe(
          Effect.provideService(Network.CurrentCall, call.id),
          Effect.provideService(CallOptions.OnInterruptedWrite, (failure) =>
            Effect.sync(() => Requests.reportFailure(world, call, failure))
          )
        )
        return callers.run(call, made, Requests.outcomesOf(call))
      }
      return Effect.forEach(own, run, { concurrency: "unbounded", discard: true }).pipe(
        Effect.provide(servicesOf(stage, account, stage.disturbed).pipe(Layer.provide(guard))),
        Effect.provideService(CallOptions.TransformClient, wrappers.transforming(world, plan.wrapper))
      )
    },
    { concurrency: "unbounded", discard: true }
  )

/** Runs a process with the journal. */
const withJournal = <R>(
  stage: WritesStage,
  files: FileSystem.FileSystem,
  use: Effect.Effect<unknown, WriteJournal.WriteJournalFailed, R | WriteJournal.WriteJournal>
) =>
  Effect.gen(function* () {
    const journal = yield* FileWriteJournal.make({ folder: "/journal", compactAt: 2_000 })
    yield* Effect.provideService(use, WriteJournal.WriteJournal, recordJournal(stage, journal))
  }).pipe(
    Effect.scoped,
    Effect.provideService(FileSystem.FileSystem, files),
    Effect.provide(Path.layer),
    Effect.catchTag("WriteJournalFailed", ({ reason }) => Effect.sync(() => stage.world.cover(`journal ${reason}`)))
  )

/** Takes the space of the disk away for a while. */
const fill = ({ disk, world }: WritesStage, { after, lasts }: NonNullable<Plan.Start["full"]>) => {
  const set = (isFull: boolean) => () => {
    disk.isFull = isFull
  }
  world.sim.after(after, set(true))
  world.sim.after(after + lasts, set(false))
}

/** Runs a start until it has ended, or its process does; one that stands still is not waited for. */
const runStart = (stage: WritesStage, start: Plan.Start, index: number) =>
  Effect.gen(function* () {
    const { callers, living, plan, world } = stage
    yield* Effect.sleep(start.after)
    const process: Process.Process = world.sim.makeProcess()
    const pid = index + 1
    living.set(pid, process)
    const files = Mortal.filesOf(stage, start, pid, process, plan.disk)
    if (start.full !== undefined) fill(stage, start.full)
    if (start.killedAfter !== undefined) world.sim.after(start.killedAfter, process.kill)
    const work = Effect.zipRight(
      reconcileAll(stage, stage.calm),
      Effect.flatMap(guarding(stage), (guard) => making(stage, index, guard))
    )
    const run = process.run(Effect.withClock(withJournal(stage, files, work), world.sim.makeClock(Sim.epoch).clock))
    const ended = Effect.zipRight(
      run,
      Effect.sync(() => {
        living.delete(pid)
        for (const call of plan.calls) if (call.start === index) callers.lose(call.id)
      })
    )
    if (start.fate?._tag === "frozen") yield* Effect.forkDaemon(ended)
    else yield* ended
    if (start.fate?._tag === "frozen") yield* Effect.sleep(5_000)
  })

/** How long after the last start everything is over that was under way or stood still. */
const settling = 200_000

/** Looks up the open entries again and again, as later processes without faults, and records those that are open even then. */
const lastly = (stage: WritesStage) =>
  Effect.gen(function* () {
    const files = stage.disk.files((effect) => effect)
    // A transfer that was pending is decided by a later look-up.
    for (let round = 0; round < 3; round++)
      yield* Effect.zipLeft(withJournal(stage, files, reconcileAll(stage, stage.calm)), Effect.sleep("10 minutes"))
    const open = Effect.flatMap(WriteJournal.WriteJournal, (journal) => journal.open)
    const recording = Effect.map(open, (entries) => {
      for (const { intent } of entries) {
        stage.world.add({ _tag: "StillOpen", call: stage.calls.get(intent.id) ?? "", entry: intent.id })
      }
    })
    yield* withJournal(stage, files, recording)
  })

const start = (world: World.World, plan: Plan.WritesPlan): Workload.Started => {
  const { batches, faults, latency } = plan
  const exchange = Exchange.make(world, plan.calls.map(Requests.exchangeCallOf), {
    exchange: "sandbox",
    ahead: 0,
    batches
  })
  const callers = Callers.make(world)
  const noteEnd = (call: string) => {
    const after = plan.calls.find(({ id }) => id === call)?.interruptedAtAnswer
    if (after !== undefined) world.sim.after(after, () => callers.interrupt(call))
  }
  const stage: WritesStage = {
    world,
    plan,
    exchange,
    disk: Files.make(() => Sim.epoch + world.sim.now()),
    living: new Map(),
    frozen: new Map(),
    callers,
    calls: new Map(),
    unknown: new Map(),
    disturbed: Network.client(world, { faults, latency, exchange: exchange.judge, ended: noteEnd }),
    calm: Network.client(world, { faults: Faults.none, latency: 1, exchange: exchange.judge })
  }
  for (const { id, kind } of plan.calls) {
    const safety = Requests.safetyOf(kind)
    const worth = Requests.worthOf({ id, kind })
    world.add({ _tag: "Requested", call: id, process: "", safety, isCreating: kind !== "cancel", worth })
  }
  const conditions = {
    cap: plan.cap,
    isRecorded: true,
    isClear: false,
    isServed: isCalm(plan),
    durableFrom: isCalm(plan) ? 0 : Number.POSITIVE_INFINITY
  }
  const program = Effect.gen(function* () {
    yield* Effect.forEach(plan.starts, (each, index) => runStart(stage, each, index), { discard: true })
    yield* Effect.sleep(settling)
    conditions.durableFrom = Math.min(conditions.durableFrom, world.sim.now())
    yield* lastly(stage)
  })
  return { program, conditions }
}

export const workload = Workload.make({
  name: "writes",
  plan: Plan.make,
  calm: Plan.calm,
  optional: ["interruptedAfter", "interruptedAtAnswer", "fate", "killedAfter", "full"],
  limit: 400_000_000,
  start
})
