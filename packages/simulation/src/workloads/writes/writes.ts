/**
 * Writes of two accounts that are recorded in a journal on a disk: the process can end or stand still at any operation on its files, and a later one
 * looks up what was executed.
 */
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Sim from "../../kernel/Sim.js"
import * as Exchange from "../../models/Exchange.js"
import * as Callers from "../../world/Callers.js"
import * as Faults from "../../world/Faults.js"
import * as Files from "../../world/Files.js"
import * as Network from "../../world/Network.js"
import type * as World from "../../world/World.js"
import * as Requests from "../calls/requests.js"
import * as Workload from "../../run/Workload.js"
import * as Plan from "./Plan.js"
import { isCalm, type WritesStage } from "./Stage.js"
import { reconcileAll, runStart, withJournal } from "./starts.js"

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
        stage.world.add({ _tag: "StillOpen", call: stage.calls.get(intent.id)?.call ?? "", entry: intent.id })
      }
    })
    yield* withJournal(stage, files, recording)
  })

/** A write that a guard checks can read the time of the service first: that request belongs to no call. */
const nameReads = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (response, { method }) =>
    method === "GET" ? Effect.provideService(response, Network.CurrentCall, Exchange.noCall) : response
  )

const start = (world: World.World, plan: Plan.WritesPlan): Workload.Started => {
  const { batches, faults, latency } = plan
  const exchange = Exchange.make(world, plan.calls.map(Requests.exchangeCallOf), {
    exchange: "sandbox",
    ahead: 0,
    batches,
    isLimitChanging: plan.isLimitChanging
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
    isStopped: false,
    disturbed: nameReads(Network.client(world, { faults, latency, exchange: exchange.judge, ended: noteEnd })),
    calm: Network.client(world, { faults: Faults.none, latency: 1, exchange: exchange.judge })
  }
  for (const { id, kind, start } of plan.calls) {
    const safety = Requests.safetyOf(kind)
    const process = plan.starts[start]?.id ?? ""
    const worths = Requests.worthsOf({ id, kind })
    world.add({ _tag: "Requested", call: id, process, safety, isCreating: kind !== "cancel", worths })
  }
  const conditions = {
    caps: plan.caps,
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
  optional: ["interruptedAfter", "interruptedAtAnswer", "fate", "killedAfter", "full", "stopped", "skew"],
  limit: 400_000_000,
  start
})
