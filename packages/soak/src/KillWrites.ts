/**
 * Writes that are killed: a process that sends orders, batches and transfers over sockets with a journal, SIGKILL at random instants while responses are
 * late or lost, and this process, which reconciles. The simulation's judges compare the journal with the exchange.
 */
import type * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Venue from "@effect-venue/services/Venue"
import * as Draws from "@effect-venue/simulation/kernel/Draws"
import type * as Journal from "@effect-venue/simulation/world/Journal"
import * as Requests from "@effect-venue/simulation/workloads/calls/requests"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Chunk from "effect/Chunk"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Exchange from "./shared/Exchange.js"
import * as Judged from "./shared/Judged.js"
import * as Processes from "./shared/Processes.js"
import type * as Workload from "./shared/Workload.js"
import * as Arrivals from "./writes/Arrivals.js"
import * as Records from "./writes/Records.js"

export interface Options {
  /** How many processes are killed. */
  readonly runs: number
  readonly seed: number
  /** Changes the folder of the journal after each kill, for a test that must fail. */
  readonly meddle?: (folder: string) => void
}

// The exchange takes 500 open orders of a symbol, enough for 60 runs.
const kinds = ["create", "create", "transfer", "batch", "create", "transfer", "create"] as const

/** Longer than a late request takes to be executed. */
const listedWithin = Duration.millis(500)

const orders = ["orders.create", "orders.createBatch"] as const

const faults: Sandbox.Options["faults"] = {
  logSize: 100_000,
  rules: [
    { fault: { kind: "dropAfter" }, operations: [...orders, "assets.transfer"], probability: 0.1 },
    { fault: { kind: "dropBefore" }, operations: orders, probability: 0.1 },
    ...[[150, "atOnce", 0.4] as const, [250, "afterwards", 0.7] as const].map(([millis, executed, probability]) => ({
      fault: { kind: "delay" as const, millis, executed },
      operations: [...orders, "assets.transfer" as const],
      probability
    }))
  ]
}

type Resolved = ReadonlyArray<OpenWrites.Closed | OpenWrites.Unrecorded | OpenWrites.StillOpen>

/** Reconciles the open entries of a process. */
const reconcileFolder = (folder: string, env: Readonly<Record<string, string>>): Effect.Effect<Resolved> =>
  Effect.map(Stream.runCollect(OpenWrites.reconcile({ listedWithin, concurrency: 16 })), Chunk.toReadonlyArray).pipe(
    Effect.provide(
      Venue.layerConfig.pipe(
        Layer.provideMerge(FileWriteJournal.layer({ folder, compactAt: 1e9 })),
        Layer.provide([NodeConnections.layer, NodeContext.layer])
      )
    ),
    Effect.provideService(Limits.Limits, Limits.none),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)))),
    Effect.orDie
  )

const toRequested = ({ id, kind }: Records.Call): Journal.Happening => ({
  _tag: "Requested",
  call: id,
  process: "",
  safety: Requests.safetyOf(kind),
  isCreating: true
})

/** The facts of an entry, as the files have it before the reconciliation. */
const toRecorded = ([entry, record]: readonly [string, Records.Record]): ReadonlyArray<Journal.Happening> => {
  const { outcome } = record
  const call = Arrivals.callOf(record)
  const kept: Journal.Happening = { _tag: "Recorded", call, entry, wishes: Arrivals.wishesOf(record) }
  if (outcome === undefined || outcome._tag === "Unknown") return [kept]
  const codes = outcome.codes ?? [0]
  const isDone = outcome._tag === "Done" && codes.includes(0)
  const executed = isDone ? (codes.every((code) => code === 0) ? "yes" : "partly") : "no"
  return [kept, { _tag: "Closed", call, entry, by: "call", executed }]
}

/** The facts of a look-up. Every order and every transfer is created under an id, so a look-up can decide it; a transfer can also be repeated. */
const toResolved = (item: Resolved[number]): ReadonlyArray<Journal.Happening> => {
  const { id: entry, operation, parameters } = item.entry.intent
  const call = Arrivals.callOf({ operation, parameters })
  if (item._tag !== "Closed") return [{ _tag: "StillOpen", call, entry }]
  const { executed, isRepeatable } = item
  const isDecided = executed !== "unknowable" || isRepeatable
  return [
    { _tag: "Closed", call, entry, by: "reconcile", executed },
    { _tag: "Compared", call, rule: "Verdict", got: isDecided ? "decided" : item.reason, expected: "decided" }
  ]
}

const partsOf = (all: Resolved) => all.flatMap((item) => (item._tag === "Closed" ? item.parts : []))

export const killWrites = ({ meddle, runs, seed }: Options) =>
  Effect.gen(function* () {
    const draws = Draws.make(seed)
    const home = yield* Processes.temporaryFolder
    const [folder, workFile] = [path.join(home, "journal"), path.join(home, "work.json")]
    const exchange = yield* Exchange.make({ seed, faults }, ({ method }) => method === "POST")
    const env = { ...exchange.env, VENUE_RECV_WINDOW: "600" }
    const writer = [...Processes.toArguments(new URL("./writes/writer.ts", import.meta.url)), folder, workFile]
    const facts: Array<Journal.Happening> = []
    const figures = { kills: 0, calls: 0, open: 0, inFlight: 0, foundExecuted: 0, foundNotExecuted: 0 }
    for (let run = 0; run < runs; run++) {
      const work = kinds.map((kind): Records.Call => ({ id: `c${++figures.calls}`, kind }))
      facts.push(...work.map(toRequested))
      fs.writeFileSync(workFile, JSON.stringify(work))
      yield* exchange.restart
      const pause = Effect.sleep(Duration.millis(draws.int(200, "pause", run)))
      const doom = Effect.zipRight(exchange.reached(1 + draws.int(5, "reached", run)), pause)
      const ended = yield* Processes.run(writer, { cwd: home, env, doom })
      if (ended.isKilled) figures.kills++
      else if (ended.code !== 0) return yield* Effect.dieMessage(`the program failed: ${ended.err}`)
      meddle?.(folder)
      facts.push(...[...Records.read(folder)].flatMap(toRecorded))
      const lookedUp = yield* reconcileFolder(folder, env)
      facts.push(...lookedUp.flatMap(toResolved))
      figures.open += lookedUp.length
      figures.inFlight += lookedUp.filter(({ entry }) => entry.outcome === undefined).length
      figures.foundExecuted += partsOf(lookedUp).filter(({ executed }) => executed === "yes").length
      figures.foundNotExecuted += partsOf(lookedUp).filter(({ executed }) => executed === "no").length
      // Each process has a journal without the closed entries of the one before.
      fs.rmSync(folder, { recursive: true, force: true })
    }
    // Longer than a request can be late.
    yield* Effect.sleep("1 second")
    const arrivals = Arrivals.of(yield* exchange.sandbox.faults.log, yield* exchange.sandbox.snapshot)
    const sent = arrivals.flatMap((fact): ReadonlyArray<Journal.Happening> =>
      fact._tag === "Arrived" ? [{ _tag: "Sent", call: fact.call, sending: fact.sending }, fact] : []
    )
    const conditions: Journal.Conditions = { isRecorded: true, durableFrom: 0 }
    return { problems: Judged.problems([...facts, ...sent], conditions), figures }
  })

export const workload: Workload.Workload = {
  title: "writes with a journal that are killed between sending and response",
  defaults: { runs: 20, seed: 1 },
  run: (option) => killWrites({ runs: option("runs"), seed: option("seed") })
}
