/** The machines of a run, and the events that happen to them. */
import * as Sharding from "@effect/cluster/Sharding"
import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import * as Fleet from "@effect-venue/fleet/Fleet"
import * as FleetCluster from "@effect-venue/fleet/FleetCluster"
import { Ledger } from "@effect-venue/fleet/Ledger"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Limits from "@effect-venue/transport/Limits"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Exchange from "../../models/Exchange.js"
import * as Lists from "./Lists.js"
import * as Cluster from "../../world/Cluster.js"
import * as Access from "./Access.js"
import * as Machine from "./Machine.js"
import * as Plan from "./Plan.js"
import * as Stage from "./Stage.js"

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
  Effect.succeed({ ...Exchange.credentials, baseUrl, apiKey: Redacted.make(Lists.keyOf(name)) })
)

/** Declares the accounts anew when it is time to, after they were declared at `last`. */
const declaring = (
  { plan, world }: Stage.OwnersStage,
  { id }: Machine.OwnerMachine,
  last: number,
  { declare }: Fleet.Fleet.Shape
) =>
  Effect.gen(function* () {
    const times = plan.events.flatMap((event) => (event._tag === "Declared" && event.at > last ? [event.at] : []))
    for (const at of times.sort((one, other) => one - other)) {
      yield* Effect.sleep(Math.max(at - world.sim.now(), 0))
      world.cover("declared anew")
      world.sim.trace(`declared  ${id}`)
      // As a process does whose file has changed.
      yield* Effect.retry(declare(Plan.accountsAt(plan, at).map(accountOf)), Schedule.spaced("1 second"))
    }
    // `Effect.never` has a timer, which would keep the process of the simulation alive.
    return yield* Effect.async<never>(() => undefined)
  })

/** The part that a machine takes in the cluster. */
const memberOf = (
  { database, locks, tables, world }: Stage.OwnersStage,
  plan: Plan.OwnersPlan,
  machine: Machine.OwnerMachine
) => {
  const { add, cover, facts, sim } = world
  const { id } = machine
  return Cluster.member({
    machine: id,
    locks,
    ask: (operation, act) => database.ask(machine, operation, act),
    changed: (event, name) => {
      cover(`lock ${event}`)
      sim.trace(`${event.padEnd(9)} ${name} ${id}`)
    },
    ended: () => {
      const owned = new Set(
        facts.flatMap((fact) => (fact._tag === "Owned" && fact.machine === id ? [`${fact.egress} ${fact.epoch}`] : []))
      )
      const running = tables.running().filter(({ egress, epoch }) => owned.has(`${egress} ${epoch}`))
      const isReached = Plan.isReached(plan, id, sim.now())
      add({ _tag: "Left", machine: id, running: running.map(Stage.nameOf), isReached })
    }
  })
}

/** The program of a machine, until it is stopped. A process that cannot begin is started again. */
const programOf = (stage: Stage.OwnersStage, machine: Machine.OwnerMachine, stopped: Effect.Effect<void>) => {
  const { plan, stores, world } = stage
  const member = memberOf(stage, plan, machine)
  const access = Access.storesOf(stage, machine)
  const [first, ...others] = plan.egresses.map((egress) => Access.egressOf(stage, machine, egress))
  if (first === undefined) throw new Error("a plan without addresses")
  let declaredAt = 0
  const fleet = Layer.suspend(() => {
    declaredAt = world.sim.now()
    return FleetCluster.layer({
      accounts: Plan.accountsAt(plan, declaredAt).map(accountOf),
      egresses: [first, ...others],
      sink: ({ name }, part) => stores.sink(access, name, part)
    })
  }).pipe(
    Layer.provide([
      Layer.effect(Ledger, Access.ledgerOf(stage, machine)),
      Layer.succeed(Sharding.Sharding, member.sharding),
      credentials
    ])
  )
  const work = Effect.retry(
    Effect.flatMap(Layer.build(fleet), (context) =>
      Effect.raceFirst(member.run, declaring(stage, machine, declaredAt, Context.get(context, Fleet.Fleet)))
    ),
    Schedule.spaced("1 second")
  )
  return Effect.raceFirst(Effect.scoped(work), stopped).pipe(
    Effect.provideService(ProcessIdentity.Processes, {
      self: Effect.succeed({ pid: 1, startedAt: "", machine: machine.id }),
      isAlive: () => Effect.succeed(undefined)
    }),
    Effect.provideService(Limits.Limits, {
      ...Limits.documented,
      perIp: Option.some({ count: plan.limit, window: Duration.millis(Lists.limitWindow) })
    }),
    Effect.withRandom(Random.make(`${plan.seed} ${machine.id}`)),
    Effect.withClock(machine.clock),
    Effect.orDie
  )
}

/** A machine with its program, and how it is stopped. */
export const make = (stage: Stage.OwnersStage, planned: Plan.PlannedMachine) => {
  const machine = Machine.make(stage.world.sim, planned)
  let stop: () => void = () => undefined
  const stopped = Effect.async<void>((resume) => {
    stop = () => {
      resume(Effect.void)
    }
  })
  return {
    ...machine,
    at: planned.at,
    run: machine.process.run(programOf(stage, machine, stopped)),
    stop: () => {
      stop()
    }
  }
}

export type Running = ReturnType<typeof make>

const ofMachine = (machine: Running, event: Plan.Event) => {
  if (event._tag === "Killed") machine.kill()
  if (event._tag === "Frozen") machine.freeze(event.length)
  if (event._tag === "Stopped") machine.process.whenAwake(machine.stop)
  if (event._tag === "Cut") machine.cut(event.length)
  if (event._tag === "Jump") machine.jump(event.by)
}

/** Lets an event happen at its time. */
export const happen = (stage: Stage.OwnersStage, machines: ReadonlyArray<Running>, event: Plan.Event): void => {
  const { database, world } = stage
  // These happen at the writes of a machine, and in its program.
  if (event._tag === "FrozenAtWrite" || event._tag === "Declared") return
  world.sim.after(event.at, () => {
    world.sim.trace(`event     ${JSON.stringify(event)}`)
    world.cover(`machine ${event._tag}`)
    if (event._tag === "Outage") {
      database.restart(event.length)
      return
    }
    const machine = machines.find(({ id }) => id === event.machine)
    if (machine !== undefined && !machine.process.isDead()) ofMachine(machine, event)
  })
}
