/** A fleet on several machines: owners of egress addresses with their leases and fences, over a ledger, stores and an exchange that are some way off. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sim from "../../kernel/Sim.js"
import * as Lists from "./Lists.js"
import type * as World from "../../world/World.js"
import * as Workload from "../../run/Workload.js"
import * as Machines from "./machines.js"
import * as Plan from "./Plan.js"
import * as Stage from "./Stage.js"

/** How long after the last fault everything has ended that was under way at it, in milliseconds. */
const settling = 30_000

/** How long an export takes at most, from when it is due, if all goes well. */
const longestExport = 150_000

const part = "executions-linear"

/** Exports that are to run once, and begin after the range that is declared now: they are stopped. */
const isStopped = ({ plan, stores }: Stage.OwnersStage, account: string): boolean => {
  const declared = Plan.accountsAt(plan, Plan.eventful).find(({ name }) => name === account)
  const { manifest } = stores.read(account, part)
  if (declared === undefined || manifest === undefined) return false
  const { from, to } = Lists.rangeOf(declared)
  return to !== undefined && manifest.from > from
}

/** When each export is to be done that is due from now on; at the clock of the machine that is most behind. */
const doneBys = (stage: Stage.OwnersStage, machines: ReadonlyArray<Machines.Running>): ReadonlyMap<string, number> => {
  const { tables, world } = stage
  const alive = machines.filter(({ process }) => !process.isDead())
  const ahead = Math.min(...alive.map((machine) => machine.ahead()))
  return new Map(
    tables
      .exports()
      .filter(({ state }) => state !== "finished")
      .map((row) => [Stage.nameOf(row), Math.max(world.sim.now(), row.dueAt - Sim.epoch - ahead) + longestExport])
  )
}

/** Waits until every export that has to be is done or stopped, or its time is over. */
const awaitDone = ({ tables, world: { facts, sim } }: Stage.OwnersStage, doneBy: ReadonlyMap<string, number>) =>
  Effect.gen(function* () {
    const settledAt = sim.now()
    const isDone = (name: string) =>
      facts.some((fact) => fact._tag === "Done" && fact.call === name && fact.at >= settledAt) ||
      tables.exports().some((row) => row.state === "stopped" && Stage.nameOf(row) === name)
    while ([...doneBy].some(([name, by]) => sim.now() <= by && !isDone(name))) yield* Effect.sleep(500)
  })

interface ExportedRow {
  readonly execId: string
  readonly execTime: string
}

/** Records an export at the end: its rows, beside those of the exchange in the range of its manifest. */
const addExported = ({ plan, stores, world }: Stage.OwnersStage, account: Plan.Account) => {
  const { manifest, rows } = stores.read(account.name, part)
  // The rows of the exchange.
  const all = [...rows.values()].map((text) => JSON.parse(text) as ExportedRow)
  const to = manifest?.to ?? 0
  const isCovered = ({ execTime }: ExportedRow) => Number(execTime) < to
  const isDeclaredAnew = plan.events.some((event) => event._tag === "Declared" && event.account === account.name)
  const from = isDeclaredAnew ? (manifest?.from ?? 0) : Lists.rangeOf(account).from
  world.add({
    _tag: "Exported",
    call: Stage.nameOf({ account: account.name, part }),
    isComplete: true,
    rows: all.filter(isCovered).map(({ execId }) => execId),
    newer: all.filter((row) => !isCovered(row)).map(({ execId }) => execId),
    expected: Lists.rowsOf(account, from, to).map(({ id }) => id)
  })
}

/** Records an export at the end as the ledger has it. */
const addCovered = (
  stage: Stage.OwnersStage,
  account: Plan.Account,
  settledAt: number,
  doneBy: ReadonlyMap<string, number>
) => {
  const { tables, world } = stage
  const call = Stage.nameOf({ account: account.name, part })
  const entry = tables.exports().find((entry) => entry.account === account.name)
  const coverage = Option.getOrUndefined(entry?.coverage ?? Option.none())
  const by = isStopped(stage, account.name) ? undefined : doneBy.get(call)
  // A stopped export is reported as stopped, even if it covered a range before.
  const isComplete = coverage?.verdict === "complete" && entry?.state !== "stopped"
  world.add({
    _tag: "Covered",
    call,
    declared: Lists.rangeOf(account),
    covered: isComplete ? { from: coverage.from, to: coverage.to } : undefined,
    isFinished: entry?.state === "finished",
    due: by === undefined ? undefined : { from: settledAt, by },
    state: entry === undefined ? "gone" : `${entry.state} due ${entry.dueAt - Sim.epoch}`
  })
}

const start = (world: World.World, plan: Plan.OwnersPlan): Workload.Started => {
  const stage = Stage.make(world, plan)
  const machines = plan.machines.map((planned) => Machines.make(stage, planned))
  for (const event of plan.events) Machines.happen(stage, machines, event)
  const program = Effect.gen(function* () {
    for (const { at, id, run } of machines) {
      const begun = Effect.sync(() => world.sim.trace(`start     ${id}`))
      yield* Effect.fork(Effect.zipRight(Effect.sleep(at), Effect.zipRight(begun, run)))
    }
    yield* Effect.sleep(Plan.calmFrom(plan) + settling)
    const settledAt = world.sim.now()
    const doneBy = doneBys(stage, machines)
    yield* awaitDone(stage, doneBy)
    for (const { kill } of machines) kill()
    for (const account of Plan.accountsAt(plan, Plan.eventful)) {
      addExported(stage, account)
      addCovered(stage, account, settledAt, doneBy)
    }
  })
  return { program }
}

export const workload = Workload.make({ name: "owners", plan: Plan.make, calm: Plan.calm, limit: 3_600_000, start })
