/** Exports of one account into one folder, by processes that are killed, frozen and revived, on a disk that forgets what was not synced. */
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Transport from "@effect-venue/transport/Transport"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import type * as Process from "../../kernel/Process.js"
import * as Sim from "../../kernel/Sim.js"
import * as Exchange from "../../models/Exchange.js"
import * as ShiftingLists from "../../models/ShiftingLists.js"
import * as Faults from "../../world/Faults.js"
import * as Files from "../../world/Files.js"
import * as Mortal from "../../world/Mortal.js"
import * as Network from "../../world/Network.js"
import type * as World from "../../world/World.js"
import * as Workload from "../../run/Workload.js"
import * as Plan from "./Plan.js"
import * as Rows from "./rows.js"

const day = 86_400_000

const folder = "/export"

const partOf = (subject: Plan.Subject): Part.Part => {
  switch (subject) {
    case "executions linear":
      return Part.make(Datasets.executions, { category: "linear" })
    case "executions spot":
      return Part.make(Datasets.executions, { category: "spot" })
    case "closed-pnl linear":
      return Part.make(Datasets.closedPnl, { category: "linear" })
    case "deposits":
      return Part.make(Datasets.deposits, {})
    case "transfers":
      return Part.make(Datasets.transfers, {})
  }
}

/** The files that are the export, without its manifest. */
const filesOf = (disk: Files.Disk): ReadonlyMap<string, string> =>
  new Map(
    disk
      .paths()
      .filter((path) => path.startsWith(`${folder}/`) && path !== `${folder}/manifest.json`)
      .sort()
      .map((path) => [path, disk.read(path) ?? ""])
  )

const endOf = (exit: Exit.Exit<{ readonly verdict: "complete" | "incomplete" }, History.RunFailure>) => {
  if (Exit.isSuccess(exit)) return { end: exit.value.verdict, detail: "" } as const
  const failure = Cause.failureOption(exit.cause)
  return failure._tag === "Some"
    ? ({ end: "failed", detail: `${failure.value._tag} ${failure.value.message}` } as const)
    : ({ end: "died", detail: Cause.pretty(exit.cause).slice(0, 300) } as const)
}

/** The end of the range before the first of the nights, or after one of them, in milliseconds of the exchange's clock. */
const endOfNight = ({ nights }: Plan.ExportsPlan, done: number): number =>
  Sim.epoch - day - nights.slice(done).reduce((sum, { days }) => sum + days * day, 0)

/** Everything that the processes share. */
const makeStage = (world: World.World, plan: Plan.ExportsPlan) => {
  const { cover, draws, secrets, sim } = world
  const { clock } = sim.makeClock(Sim.epoch)
  const state = Exchange.initialState()
  const sandbox = Effect.runSync(Effect.withClock(Sandbox.make({ state, prices: "still", limits: "off" }), clock))
  for (const { apiSecret } of [sandbox.credentials.main, sandbox.credentials.sub])
    secrets.add(Redacted.value(apiSecret))
  const answer = ({ raw }: Network.Request): Network.Answer => ({
    ...Effect.runSync(Effect.withClock(sandbox.handle(raw), clock)),
    isBan: false
  })
  const shifting = ShiftingLists.make(answer, draws, plan.shifts, (list, by) => {
    cover("list shifted")
    sim.trace(`shifted   ${list} by ${by}`)
  })
  const { faults, latency } = plan
  const ends = { isCut: false, to: endOfNight(plan, 0) }
  const cut = (request: Network.Request) =>
    ends.isCut ? ShiftingLists.withoutCursor(shifting(request)) : shifting(request)
  const now = () => Sim.epoch + sim.now()
  return {
    world,
    plan,
    ends,
    state,
    sandbox,
    disk: Files.make(now),
    undisturbedDisk: Files.make(now),
    disturbed: Network.client(world, { faults, latency, exchange: cut }),
    undisturbed: Network.client(world, { faults: Faults.none, latency, exchange: answer }),
    living: new Map<number, Process.Process>(),
    frozen: new Map<number, () => void>()
  }
}

type ExportsStage = ReturnType<typeof makeStage>

/** Runs an export as one process. */
const exporting = (
  { ends: { to }, living, plan, sandbox, world }: ExportsStage,
  start: Plan.Start,
  pid: number,
  { client, files }: { readonly client: HttpClient.HttpClient; readonly files: FileSystem.FileSystem }
) => {
  const range = { from: endOfNight(plan, 0) - plan.days * day, to }
  const processes: ProcessIdentity.Processes.Shape = {
    self: Effect.succeed({ pid, startedAt: "", machine: plan.isIdentified ? "machine" : "" }),
    isAlive: (id) => Effect.succeed(plan.isIdentified ? living.has(id.pid) : undefined)
  }
  return Effect.suspend(() =>
    History.runAll(plan.subjects.map(partOf), range, Sink.ndjson(folder), { incremental: to !== endOfNight(plan, 0) })
  ).pipe(
    Effect.provide(
      Transport.layerStandalone.pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
        Layer.provide(Layer.succeed(Credentials.Credentials, sandbox.credentials[start.account]))
      )
    ),
    Effect.provide(Path.layer),
    Effect.provideService(FileSystem.FileSystem, files),
    Effect.provideService(ProcessIdentity.Processes, processes),
    Effect.provideService(Network.CurrentCall, start.id),
    Effect.withRandom(Random.make(`${plan.seed} ${start.id}`)),
    Effect.withClock(world.sim.makeClock(Sim.epoch + start.ahead).clock)
  )
}

/** Records when a process looks at the lock of the folder, and when it gives a file its name. */
const recordFiles = ({ disk, world }: ExportsStage, call: string, pid: number, files: FileSystem.FileSystem) => {
  const lock = `${folder}/.venue/lock`
  return {
    ...files,
    stat: (path: string) =>
      Effect.tap(files.stat(path), () => {
        const isOwn = disk.read(lock)?.includes(`"pid":${pid},`) === true
        if (path === lock) world.add({ _tag: "Looked", call, isOwn })
      }),
    rename: (from: string, to: string) =>
      Effect.tap(files.rename(from, to), () => {
        if (from.endsWith(".partial")) world.add({ _tag: "Published", call, file: to })
      })
  }
}

/** Runs a start until it ends, or its process does. */
const runStart = (stage: ExportsStage, start: Plan.Start, pid: number) =>
  Effect.gen(function* () {
    const { disturbed: client, living, world } = stage
    const { id } = start
    yield* Effect.sleep(start.at)
    world.sim.trace(`start     ${id}`)
    const process = world.sim.makeProcess()
    living.set(pid, process)
    let end: ReturnType<typeof endOf> | undefined
    const files = recordFiles(stage, id, pid, Mortal.filesOf(stage, start, pid, process))
    const work = Effect.map(Effect.exit(exporting(stage, start, pid, { client, files })), (exit) => {
      end = endOf(exit)
      living.delete(pid)
    })
    yield* process.run(work)
    noteFinish(stage, id, end, start.fate?._tag === "frozen")
    return end
  })

const noteFinish = (
  { world }: ExportsStage,
  call: string,
  end: ReturnType<typeof endOf> | undefined,
  isFrozen: boolean
) => {
  const ended = end ?? ({ end: "gone", detail: "" } as const)
  world.cover(`start ${ended.end} ${ended.end === "failed" ? (ended.detail.split(" ")[0] ?? "") : ""}`)
  world.add({ _tag: "Finished", call, ...ended, isFrozen, isLast: call.startsWith("last") })
}

/** The disk at the end: no secrets, the rows of the exchange, and the bytes of an export that nothing disturbed. */
const inspectExport = (stage: ExportsStage, owner: Plan.Start["account"]) => {
  const { disk, plan, sandbox, state, undisturbedDisk, world } = stage
  for (const path of disk.paths()) world.inspect(disk.read(path) ?? "")
  const account = state.accounts.get(sandbox.uids[owner])
  if (account === undefined) return
  const from = endOfNight(plan, 0) - plan.days * day
  const range = { subjects: plan.subjects, from, to: endOfNight(plan, plan.nights.length) }
  for (const part of Rows.partsOf(account, disk, folder, range)) world.add({ _tag: "Exported", ...part })
  // An export that was continued has other files than one that was made at once.
  if (plan.nights.length > 0) return
  const [files, expected] = [filesOf(disk), filesOf(undisturbedDisk)]
  const digestOf = (text: string | undefined) =>
    text === undefined ? "no file" : `${text.length} ${Hash.string(text)}`
  for (const path of new Set([...files.keys(), ...expected.keys()])) {
    const [got, wanted] = [digestOf(files.get(path)), digestOf(expected.get(path))]
    world.add({ _tag: "Compared", call: path, rule: "Differs", got, expected: wanted })
  }
}

/** Runs a start that nothing disturbs. */
type Calmly = (
  start: Plan.Start,
  pid: number,
  disk: Files.Disk
) => Effect.Effect<Exit.Exit<{ readonly verdict: "complete" | "incomplete" }, History.RunFailure>>

/**
 * Runs the nights, then two starts that nothing disturbs: the first one finishes the last night, whose range it keeps. A night that did not end by
 * itself is finished by the next one.
 */
const runNights = (stage: ExportsStage, account: Plan.Start["account"], calmly: Calmly) =>
  Effect.gen(function* () {
    const { disk, ends, plan, world } = stage
    let isEnded = true
    for (const [index, night] of plan.nights.entries()) {
      if (isEnded) ends.to = endOfNight(plan, index + 1)
      ends.isCut = night.isCut
      if (night.isCut) world.cover("night cut")
      const ended = yield* runStart(stage, { ...night, account }, 2_000 + index)
      isEnded = ended?.end === "complete" || ended?.end === "incomplete"
      // Locks of processes that are not identified are judged by whether they are touched.
      yield* Effect.sleep(60_000)
    }
    ends.isCut = false
    const last: Plan.Start = { id: "last night", at: 0, account, ahead: 0 }
    yield* calmly({ ...last, id: "last but one" }, 1_003, disk)
    ends.to = endOfNight(plan, plan.nights.length)
    const end = endOf(yield* calmly(last, 1_004, disk))
    noteFinish(stage, last.id, end, false)
    return end
  })

const start = (world: World.World, plan: Plan.ExportsPlan): Workload.Started => {
  const stage = makeStage(world, plan)
  const calmly: Calmly = (start, pid, disk) =>
    Effect.exit(exporting(stage, start, pid, { client: stage.undisturbed, files: disk.files((effect) => effect) }))
  const last: Plan.Start = { id: "last", at: 0, account: "main", ahead: 0 }
  const program = Effect.gen(function* () {
    const all = plan.starts.map((start, index) => runStart(stage, start, index + 1))
    yield* Effect.all(all, { concurrency: "unbounded", discard: true })
    yield* Effect.sleep(60_000)
    /** The owner of the export: the account of the first start that wrote a folder. */
    let owner: Plan.Start["account"] = last.account
    let end = endOf(yield* calmly(last, 1_001, stage.disk))
    if (end.detail.includes("the export that is here is of")) {
      owner = "sub"
      world.cover("another account refused")
      end = endOf(yield* calmly({ ...last, id: "again", account: owner }, 1_002, stage.disk))
    }
    noteFinish(stage, "last", end, false)
    if (plan.nights.length > 0) end = yield* runNights(stage, owner, calmly)
    else yield* calmly({ ...last, id: "alone", account: owner }, 1_000, stage.undisturbedDisk)
    if (end.end === "complete") inspectExport(stage, owner)
  })
  return { program }
}

export const workload = Workload.make({
  name: "exports",
  plan: Plan.make,
  calm: Plan.calm,
  optional: ["fate"],
  limit: 30 * day,
  start
})
