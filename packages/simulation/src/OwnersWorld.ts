/**
 * A fleet on several machines: owners of egress addresses with their leases and fences, over a ledger, stores and an exchange that are some way off.
 */
import * as Sharding from "@effect/cluster/Sharding"
import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import type { FleetAccount } from "@effect-venue/fleet/FleetAccount"
import * as Fleet from "@effect-venue/fleet/Fleet"
import * as FleetCluster from "@effect-venue/fleet/FleetCluster"
import { Ledger } from "@effect-venue/fleet/Ledger"
import * as ProcessIdentity from "@effect-venue/history/ProcessIdentity"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Limits from "@effect-venue/transport/Limits"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Access from "./owners/Access.js"
import * as Cluster from "./owners/Cluster.js"
import type * as Journal from "./owners/Journal.js"
import * as Judge from "./owners/Judge.js"
import * as Lists from "./owners/Lists.js"
import * as Machine from "./owners/Machine.js"
import * as Plan from "./owners/Plan.js"
import * as Stage from "./owners/Stage.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

const limit = 3_600_000

/** How long after the last fault what was under way at it has ended, in milliseconds. */
const settling = 30_000

/** How long an export takes at most, from when it is due, where all goes well. */
const longestExport = 150_000

const part = "executions-linear"

const accountOf = (account: Plan.Account): FleetAccount => {
  const { egress, every, name } = account
  const { from, to } = Lists.rangeOf(account)
  return {
    name,
    masterUid: name,
    uid: Option.none(),
    baseUrl: "https://exchange.example",
    egress,
    datasets: ["executions"],
    categories: ["linear"],
    from,
    to: Option.fromNullable(to),
    every: Duration.millis(every ?? 86_400_000),
    isPaused: false
  }
}

const credentials = CredentialSource.layer(({ baseUrl, name }) =>
  Effect.succeed({
    baseUrl,
    apiKey: Redacted.make(name),
    apiSecret: Redacted.make("simulatedsecret0123456789abcdef"),
    recvWindow: Credentials.defaultRecvWindow
  })
)

const loggerOf = ({ sim }: Stage.Stage, id: string) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ cause, message }) => {
      const text = Arr.ensure(message).map(String).join(" ")
      sim.trace(`log      ${id} ${text} ${Cause.isEmpty(cause) ? "" : (Cause.pretty(cause).split("\n")[0] ?? "")}`)
    })
  )

/** Declares the accounts anew when it is time to, after they were declared at `last`. */
const declaring = (
  { coverage, plan, sim }: Stage.Stage,
  { id }: Machine.Machine,
  last: number,
  { declare }: Fleet.Fleet.Shape
) =>
  Effect.gen(function* () {
    const times = plan.events.flatMap((event) => (event._tag === "Declared" && event.at > last ? [event.at] : []))
    for (const at of times.sort((one, other) => one - other)) {
      yield* Effect.sleep(Math.max(at - sim.now(), 0))
      coverage.add("declared anew")
      sim.trace(`declared ${id}`)
      // As a process does whose file has changed.
      yield* Effect.retry(declare(Plan.accountsAt(plan, at).map(accountOf)), Schedule.spaced("1 second"))
    }
    // `Effect.never` has a timer, which would keep the process of the simulation alive.
    return yield* Effect.async<never>(() => undefined)
  })

/** A machine, what runs on it, and how it is stopped. */
const machineOf = (stage: Stage.Stage, planned: Plan.Machine) => {
  const { add, coverage, database, locks, plan, sim, stores, tables } = stage
  const machine = Machine.make(sim, planned)
  const { id } = machine
  const member = Cluster.member(
    id,
    locks,
    (operation, act) => database.ask(machine, operation, act),
    (event, name) => {
      coverage.add(`lock ${event}`)
      sim.trace(`${event.padEnd(8)} ${name} ${id}`)
    },
    () => {
      const owned = new Set(
        stage.facts.flatMap((fact) =>
          fact._tag === "Owned" && fact.machine === id ? [`${fact.egress} ${fact.epoch}`] : []
        )
      )
      const running = tables.running().filter(({ egress, epoch }) => owned.has(`${egress} ${epoch}`))
      add({ _tag: "Left", machine: id, running: running.map(Stage.nameOf) }, `left     ${id}`)
    }
  )
  const access = Access.storesOf(stage, machine)
  const [first, ...others] = plan.egresses.map((egress) => Access.egressOf(stage, machine, egress))
  if (first === undefined) throw new Error("a plan without addresses")
  let declaredAt = 0
  const fleet = Layer.suspend(() => {
    declaredAt = sim.now()
    return FleetCluster.layer({
      accounts: Plan.accountsAt(plan, declaredAt).map(accountOf),
      egresses: [first, ...others],
      sink: ({ name }, part) => stores.sink(access, name, part)
    })
  }).pipe(
    Layer.provide([
      Layer.succeed(Ledger, Access.ledgerOf(stage, machine)),
      Layer.succeed(Sharding.Sharding, member.sharding),
      credentials
    ])
  )
  let stop: () => void = () => undefined
  const stopped = Effect.async<void>((resume) => {
    stop = () => {
      resume(Effect.void)
    }
  })
  // A process that cannot begin is started again.
  const work = Effect.retry(
    Effect.flatMap(Layer.build(fleet), (context) =>
      Effect.raceFirst(member.run, declaring(stage, machine, declaredAt, Context.get(context, Fleet.Fleet)))
    ),
    Schedule.spaced("1 second")
  )
  const program = Effect.raceFirst(Effect.scoped(work), stopped).pipe(
    Effect.provideService(ProcessIdentity.Processes, {
      self: Effect.succeed({ pid: 1, startedAt: "", machine: id }),
      isAlive: () => Effect.succeed(undefined)
    }),
    Effect.provideService(Limits.Limits, {
      ...Limits.documented,
      perIp: Option.some({ count: plan.limit, window: Duration.millis(Lists.limitWindow) })
    }),
    Effect.provide(loggerOf(stage, id)),
    Effect.withRandom(Random.make(`${plan.seed} ${id}`)),
    Effect.withClock(machine.clock),
    Effect.orDie
  )
  return {
    ...machine,
    at: planned.at,
    run: machine.process.run(program),
    stop: () => {
      stop()
    }
  }
}

type Running = ReturnType<typeof machineOf>

/** Notes which addresses a machine owns that is killed or frozen now, and whether it is at work for them. */
const struck = ({ add, facts, stores, tables }: Stage.Stage, { id }: Running, event: Plan.Event) => {
  const last = new Map<string, { readonly machine: string; readonly epoch: number }>()
  for (const fact of facts) if (fact._tag === "Owned") last.set(fact.egress, fact)
  for (const [egress, { epoch, machine }] of last) {
    if (machine !== id) continue
    const running = tables
      .running()
      .filter(
        (row) =>
          row.egress === egress && row.epoch === epoch && stores.read(row.account, row.part).manifest === undefined
      )
    add(
      { _tag: "Struck", machine: id, event, egress, epoch, running: running.length },
      `struck   ${id} ${egress} ${epoch}`
    )
  }
}

const happen = (stage: Stage.Stage, machines: ReadonlyMap<string, Running>, event: Plan.Event) => {
  const { coverage, database, sim } = stage
  if (event._tag === "FrozenAtWrite" || event._tag === "Declared") return
  sim.after(event.at, () => {
    sim.trace(`event    ${JSON.stringify(event)}`)
    if (event._tag === "Outage") {
      coverage.add("database Outage")
      database.restart(event.length)
      return
    }
    const machine = machines.get(event.machine)
    if (machine === undefined || machine.process.isDead()) return
    coverage.add(`machine ${event._tag}`)
    switch (event._tag) {
      case "Killed":
        struck(stage, machine, event)
        machine.kill()
        return
      case "Frozen":
        struck(stage, machine, event)
        machine.freeze(event.length)
        return
      case "Stopped":
        machine.process.whenAwake(machine.stop)
        return
      case "Cut":
        machine.cut(event.length)
        return
      case "Jump":
        machine.jump(event.by)
    }
  })
}

/** Exports that are to run once, and begin after the range that is declared now: they are stopped. */
const isStopped = ({ plan, stores }: Stage.Stage, account: string): boolean => {
  const declared = Plan.accountsAt(plan, Plan.eventful).find(({ name }) => name === account)
  const { manifest } = stores.read(account, part)
  if (declared === undefined || manifest === undefined) return false
  const { from, to } = Lists.rangeOf(declared)
  return to !== undefined && manifest.from > from
}

/** When each export is to be done that is due from now on; at the clock of the machine that is most behind. */
const doneBys = (stage: Stage.Stage, machines: ReadonlyArray<Running>): ReadonlyMap<string, number> => {
  const { sim, tables } = stage
  const alive = machines.filter(({ process }) => !process.isDead())
  const ahead = Math.min(...alive.map((machine) => machine.ahead()))
  return new Map(
    tables
      .exports()
      .filter(({ account, state }) => state !== "finished" && !isStopped(stage, account))
      .map((row) => [Stage.nameOf(row), Math.max(sim.now(), row.dueAt - Sim.epoch - ahead) + longestExport])
  )
}

/** Waits until every export is done that has to be, or its time is over. */
const awaitDone = ({ facts, sim }: Stage.Stage, doneBy: ReadonlyMap<string, number>) =>
  Effect.gen(function* () {
    const settledAt = sim.now()
    const isDone = (name: string) =>
      facts.some((fact) => fact._tag === "Done" && fact.name === name && fact.at >= settledAt)
    while ([...doneBy].some(([name, by]) => sim.now() <= by && !isDone(name))) yield* Effect.sleep(500)
  })

const exportsOf = (stage: Stage.Stage, doneBy: ReadonlyMap<string, number>): ReadonlyArray<Journal.Export> => {
  const { plan, stores, tables } = stage
  const entries = new Map(tables.exports().map((entry) => [entry.account, entry]))
  return Plan.accountsAt(plan, Plan.eventful).map((account) => {
    const name = Stage.nameOf({ account: account.name, part })
    const { manifest, rows } = stores.read(account.name, part)
    // The exchange's own rows.
    const all = [...rows.values()].map(
      (text) => JSON.parse(text) as { readonly execId: string; readonly execTime: string }
    )
    const to = manifest?.to ?? 0
    const isCovered = ({ execTime }: { readonly execTime: string }) => Number(execTime) < to
    const entry = entries.get(account.name)
    const coverage = Option.getOrUndefined(entry?.coverage ?? Option.none())
    const declared = Lists.rangeOf(account)
    const isDeclaredAnew = plan.events.some((event) => event._tag === "Declared" && event.account === account.name)
    return {
      name,
      rows: all.filter(isCovered).map(({ execId }) => execId),
      newer: all.filter((row) => !isCovered(row)).map(({ execId }) => execId),
      expected: Lists.rowsOf(account, isDeclaredAnew ? (manifest?.from ?? 0) : declared.from, to).map(({ id }) => id),
      declared,
      // One that is stopped is reported as that, whatever it covered before.
      covered:
        coverage?.verdict === "complete" && entry?.state !== "stopped"
          ? { from: coverage.from, to: coverage.to }
          : undefined,
      isFinished: entry?.state === "finished",
      doneBy: isStopped(stage, account.name) ? undefined : doneBy.get(name),
      state: entry === undefined ? "gone" : `${entry.state} due ${entry.dueAt - Sim.epoch}`
    }
  })
}

/** Runs a plan. */
export const run = (plan: Plan.Plan) => {
  const stage = Stage.make(plan)
  const { sim } = stage
  const machines = plan.machines.map((planned) => machineOf(stage, planned))
  const byId = new Map(machines.map((machine) => [machine.id, machine]))
  for (const event of plan.events) happen(stage, byId, event)
  let settledAt = 0
  let doneBy: ReadonlyMap<string, number> = new Map()
  const program = Effect.gen(function* () {
    for (const { at, id, run } of machines) {
      yield* Effect.fork(
        Effect.zipRight(
          Effect.sleep(at),
          Effect.suspend(() => {
            sim.trace(`start    ${id}`)
            return run
          })
        )
      )
    }
    yield* Effect.sleep(Plan.calmFrom(plan) + settling)
    settledAt = sim.now()
    sim.trace("settled")
    doneBy = doneBys(stage, machines)
    yield* awaitDone(stage, doneBy)
    for (const { kill } of machines) kill()
  })
  const end = sim.run(Effect.withClock(program, sim.makeClock(Sim.epoch).clock), { limit })
  sim.trace(`end      ${end._tag}`)
  const journal: Journal.Journal = { facts: stage.facts, end: end._tag, settledAt, exports: exportsOf(stage, doneBy) }
  return { journal, events: sim.events(), hash: sim.hash(), coverage: [...stage.coverage], virtual: sim.now() }
}

export const world = World.make({
  name: "owners",
  plan: Plan.make,
  run: (plan) => {
    const { journal, ...outcome } = run(plan)
    const calls = journal.facts.filter(({ _tag }) => _tag === "Begun").length
    return { ...outcome, violations: Judge.violations(journal, plan), calls }
  },
  without: Plan.without
})
