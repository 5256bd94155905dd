/**
 * Exports of one account into one folder, by processes that are killed, frozen and revived, on a disk that forgets what was not synced.
 */
import * as Datasets from "@effect-venue/history/Datasets"
import * as History from "@effect-venue/history/History"
import * as HistoryPart from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Transport from "@effect-venue/transport/Transport"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Exchange from "./Exchange.js"
import * as Draws from "./Draws.js"
import * as ExportJudge from "./ExportJudge.js"
import * as ExportPlan from "./ExportPlan.js"
import * as ExportRows from "./ExportRows.js"
import * as MemoryFiles from "./MemoryFiles.js"
import * as Mortal from "./Mortal.js"
import * as Network from "./Network.js"
import * as ShiftingLists from "./ShiftingLists.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

const day = 86_400_000

const limit = 30 * day

const folder = "/export"

const partOf = (subject: ExportPlan.Subject): HistoryPart.Part => {
  switch (subject) {
    case "executions linear":
      return HistoryPart.make(Datasets.executions, { category: "linear" })
    case "executions spot":
      return HistoryPart.make(Datasets.executions, { category: "spot" })
    case "closed-pnl linear":
      return HistoryPart.make(Datasets.closedPnl, { category: "linear" })
    case "deposits":
      return HistoryPart.make(Datasets.deposits, {})
    case "transfers":
      return HistoryPart.make(Datasets.transfers, {})
  }
}

/** The files that are the export, without its manifest. */
const filesOf = (disk: MemoryFiles.Disk): ReadonlyMap<string, string> =>
  new Map(
    disk
      .paths()
      .filter((path) => path.startsWith(`${folder}/`) && path !== `${folder}/manifest.json`)
      .sort()
      .map((path) => [path, disk.read(path) ?? ""])
  )

const endOf = (
  exit: Exit.Exit<{ readonly verdict: "complete" | "incomplete" }, History.RunFailure>
): Pick<ExportJudge.Ended, "detail" | "end"> => {
  if (Exit.isSuccess(exit)) return { end: exit.value.verdict, detail: "" }
  const failure = Cause.failureOption(exit.cause)
  return failure._tag === "Some"
    ? { end: "failed", detail: `${failure.value._tag} ${failure.value.message}` }
    : { end: "died", detail: Cause.pretty(exit.cause).slice(0, 300) }
}

/** What processes share: the simulation, the exchange, and who lives. */
const makeStage = (plan: ExportPlan.ExportPlan, coverage: Set<string>) => {
  const draws = Draws.make(plan.seed)
  const sim = Sim.make(draws, plan.mode)
  const { clock } = sim.makeClock(Sim.epoch)
  const state = Exchange.initialState()
  const sandbox = Effect.runSync(Effect.withClock(Sandbox.make({ state, prices: "still", limits: "off" }), clock))
  const answer = ({ raw }: Exchange.Request): Exchange.Answer => ({
    ...Effect.runSync(Effect.withClock(sandbox.handle(raw), clock)),
    isBan: false
  })
  const listener: Network.Listener = {
    sent: (call, sending, fault) => sim.trace(`send     ${call}.${sending} ${fault ?? ""}`),
    ended: (call, sending, _, kind) => sim.trace(`receive  ${call}.${sending} ${kind}`)
  }
  const shifted = (list: string, by: number) => {
    coverage.add("list shifted")
    sim.trace(`shifted  ${list} by ${by}`)
  }
  const calm = { faults: { probability: 0, kinds: [] }, latency: plan.latency }
  return {
    sim,
    draws,
    state,
    sandbox,
    disturbed: Network.make(sim, draws, plan, ShiftingLists.make(answer, draws, plan.shifts, shifted), listener),
    undisturbed: Network.make(sim, draws, calm, answer, listener),
    living: new Set<number>()
  }
}

type Stage = ReturnType<typeof makeStage>

/** Runs an export as one process. */
const exporting = (
  { living, sandbox, sim }: Stage,
  plan: ExportPlan.ExportPlan,
  start: ExportPlan.Start,
  pid: number,
  process: { readonly client: HttpClient.HttpClient; readonly files: FileSystem.FileSystem }
) => {
  const to = Sim.epoch - day
  const processes: ProcessIdentity.Processes.Shape = {
    self: Effect.succeed({ pid, startedAt: "", machine: plan.isIdentified ? "machine" : "" }),
    isAlive: (id) => Effect.succeed(plan.isIdentified ? living.has(id.pid) : undefined)
  }
  return Effect.suspend(() => {
    living.add(pid)
    return History.runAll(plan.subjects.map(partOf), { from: to - plan.days * day, to }, Sink.ndjson(folder))
  }).pipe(
    Effect.provide(
      Transport.layerStandalone.pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, process.client)),
        Layer.provide(Layer.succeed(Credentials.Credentials, sandbox.credentials[start.account]))
      )
    ),
    Effect.provide(Path.layer),
    Effect.provideService(FileSystem.FileSystem, process.files),
    Effect.provideService(ProcessIdentity.Processes, processes),
    Effect.provideService(Network.CurrentCall, start.id),
    Effect.withRandom(Random.make(`${plan.seed} ${start.id}`)),
    Effect.withClock(sim.makeClock(Sim.epoch + start.ahead).clock),
    Effect.ensuring(Effect.sync(() => living.delete(pid)))
  )
}

/** Runs a plan. */
export const run = (plan: ExportPlan.ExportPlan) => {
  const coverage = new Set<string>()
  const stage = makeStage(plan, coverage)
  const { draws, sandbox, sim } = stage
  const now = () => Sim.epoch + sim.now()
  const disk = MemoryFiles.make(now)
  const other = MemoryFiles.make(now)
  const ends: Array<ExportJudge.Ended> = []
  const leaks: Array<string> = []
  const mortals = new Map<string, Mortal.Mortal>()

  const frozen = new Set<string>()
  const ended = (start: string, end: Pick<ExportJudge.Ended, "detail" | "end">) => {
    ends.push({ start, isFrozen: frozen.has(start), ...end })
    coverage.add(`start ${end.end} ${end.end === "failed" ? (end.detail.split(" ")[0] ?? "") : ""}`)
    sim.trace(`${end.end.padEnd(8)} ${start} ${end.detail}`)
  }

  /** Runs a start until it ends, or its process does. */
  const started = (start: ExportPlan.Start, pid: number) =>
    Effect.gen(function* () {
      const gone = yield* Deferred.make<void>()
      const mortal = Mortal.make(
        sim,
        start.fate,
        (fate) => {
          coverage.add(`process ${fate._tag}`)
          sim.trace(`${fate._tag} ${start.id}`)
          if (fate._tag === "frozen") {
            frozen.add(start.id)
            return
          }
          stage.living.delete(pid)
          if (fate._tag === "crashed") {
            for (const one of mortals.values()) one.kill()
            stage.living.clear()
            disk.crash(fate.keepsNames)
          }
        },
        () => {
          Deferred.unsafeDone(gone, Effect.void)
        }
      )
      mortals.set(start.id, mortal)
      const client = HttpClient.transform(stage.disturbed, (effect) => mortal.step(effect))
      const files = disk.files((effect, half) =>
        mortal.operation(effect, draws.chance(0.5, start.id, "half") ? half : undefined)
      )
      yield* Effect.sleep(start.at)
      sim.trace(`start    ${start.id}`)
      const work = Effect.flatMap(Effect.exit(exporting(stage, plan, start, pid, { client, files })), (exit) =>
        Effect.sync(() => {
          mortal.kill()
          ended(start.id, endOf(exit))
        })
      )
      yield* Effect.forkDaemon(work)
      yield* Deferred.await(gone)
      mortals.delete(start.id)
      if (!ends.some(({ start: id }) => id === start.id)) ended(start.id, { end: "gone", detail: "" })
    })

  const calmly = (start: ExportPlan.Start, pid: number, target: MemoryFiles.Disk) =>
    Effect.exit(
      exporting(stage, plan, start, pid, { client: stage.undisturbed, files: target.files((effect) => effect) })
    )

  const last: ExportPlan.Start = { id: "last", at: 0, account: "main", ahead: 0 }
  /** Whose the export turned out to be: of the first start that wrote a folder. */
  let owner: ExportPlan.Start["account"] = last.account
  const program = Effect.gen(function* () {
    yield* Effect.forEach(plan.starts, (start, index) => started(start, index + 1), {
      concurrency: "unbounded",
      discard: true
    })
    yield* Effect.sleep(60_000)
    let exit = yield* calmly(last, 1_001, disk)
    if (endOf(exit).detail.includes("the export that is here is of")) {
      owner = "sub"
      coverage.add("another account refused")
      exit = yield* calmly({ ...last, id: "again", account: owner }, 1_002, disk)
    }
    ended("last", endOf(exit))
    const alone = yield* calmly({ ...last, id: "alone", account: owner }, 1_000, other)
    sim.trace(`alone    ${endOf(alone).end} ${endOf(alone).detail}`)
  })
  const secret = Redacted.value(sandbox.credentials.main.apiSecret)
  const logger = Logger.make(({ cause, message }) => {
    const text = `${JSON.stringify(message)} ${Cause.pretty(cause)}`
    if (text.includes(secret)) leaks.push(text.slice(0, 200))
  })
  const end = sim.run(
    program.pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.withClock(sim.makeClock(Sim.epoch).clock)
    ),
    { limit }
  )
  sim.trace(`end      ${end._tag}`)
  for (const path of disk.paths()) if ((disk.read(path) ?? "").includes(secret)) leaks.push(path)
  const to = Sim.epoch - day
  const evidence: ExportJudge.Evidence = {
    end: end._tag,
    starts: ends,
    last: "last",
    parts: ExportRows.partsOf(stage.state, sandbox.uids[owner], disk, folder, {
      subjects: plan.subjects,
      from: to - plan.days * day,
      to
    }),
    files: filesOf(disk),
    undisturbed: filesOf(other),
    leaks
  }
  return { evidence, events: sim.events(), hash: sim.hash(), coverage: [...coverage], virtual: sim.now() }
}

export const world = World.make({
  name: "export",
  plan: ExportPlan.make,
  run: (plan) => {
    const { evidence, ...outcome } = run(plan)
    return { ...outcome, violations: ExportJudge.violations(evidence), calls: plan.starts.length + 1 }
  },
  without: ExportPlan.without
})
