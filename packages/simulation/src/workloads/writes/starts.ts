/** The processes of a run: each opens the journal, looks up the open entries and makes its calls. */
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Guard from "@effect-venue/transport/Guard"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as SentWrites from "@effect-venue/transport/siblings/SentWrites"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Function from "effect/Function"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Sim from "../../kernel/Sim.js"
import * as Exchange from "../../models/Exchange.js"
import * as Mortal from "../../world/Mortal.js"
import * as Network from "../../world/Network.js"
import * as Requests from "../calls/requests.js"
import * as wrappers from "../calls/wrappers.js"
import type * as Plan from "./Plan.js"
import { recordJournal } from "./recordedJournal.js"
import { accounts, servicesOf, type WritesStage } from "./Stage.js"

/** Looks up the open entries of each account. */
export const reconcileAll = (stage: WritesStage, client: HttpClient.HttpClient) =>
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
const makeGuard = (stage: WritesStage) =>
  stage.plan.caps === undefined
    ? Effect.succeed(Layer.empty)
    : Guard.makeJournalled({
        orders: { USDT: { perDay: String(stage.plan.caps.orders) } },
        transfers: { USDT: { perDay: String(stage.plan.caps.transfers) } },
        isStopped: Effect.sync(() => stage.isStopped)
      }).pipe(Effect.catchTag("InvalidGuard", Effect.die), Effect.map(Layer.succeedContext))

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
export const withJournal = <R>(
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

/** Turns something on for a while. */
const setFor = (
  { world }: WritesStage,
  { after, lasts }: NonNullable<Plan.Start["full"]>,
  set: (isOn: boolean) => void
) => {
  for (const [at, isOn] of [
    [after, true],
    [after + lasts, false]
  ] as const) {
    world.sim.after(at, () => {
      set(isOn)
    })
  }
}

/** The disk can be full for a while, and the kill switch on. */
const disturb = (stage: WritesStage, { full, stopped }: Plan.Start) => {
  if (full !== undefined) {
    setFor(stage, full, (isFull) => {
      stage.disk.isFull = isFull
    })
  }
  if (stopped === undefined) return
  setFor(stage, stopped, (isOn) => {
    stage.isStopped = isOn
    stage.world.add({ _tag: "Switched", isOn })
  })
}

/** Runs a start until it has ended, or its process does; one that stands still is not waited for. */
export const runStart = (stage: WritesStage, start: Plan.Start, index: number) =>
  Effect.gen(function* () {
    const { callers, living, plan, world } = stage
    yield* Effect.sleep(start.after)
    const process = world.sim.makeProcess()
    const pid = index + 1
    living.set(pid, process)
    const files = Mortal.filesOf(stage, start, pid, process, plan.disk)
    disturb(stage, start)
    if (start.killedAfter !== undefined) world.sim.after(start.killedAfter, process.kill)
    const work = Effect.zipRight(
      reconcileAll(stage, stage.calm),
      Effect.flatMap(makeGuard(stage), (guard) => making(stage, index, guard))
    )
    const run = withJournal(stage, files, work).pipe(
      Effect.provideService(SentWrites.SentWrites, Function.constant(SentWrites.makeMemory())),
      Effect.withClock(world.sim.makeClock(Sim.epoch + (start.skew ?? 0)).clock),
      process.run
    )
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
