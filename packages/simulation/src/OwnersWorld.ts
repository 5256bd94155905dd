/**
 * A fleet on several machines: owners of egress addresses with their leases and fences, over a ledger, stores and an exchange that are some way off.
 */
import type * as Sharding from "@effect/cluster/Sharding"
import { Sharding as ShardingTag } from "@effect/cluster/Sharding"
import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import type { FleetAccount } from "@effect-venue/fleet/FleetAccount"
import * as FleetCluster from "@effect-venue/fleet/FleetCluster"
import { type Claim, Ledger, type Ownership } from "@effect-venue/fleet/Ledger"
import * as ProcessIdentity from "@effect-venue/history/ProcessIdentity"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Connections from "@effect-venue/transport/Connections"
import * as Egress from "@effect-venue/transport/Egress"
import * as Limits from "@effect-venue/transport/Limits"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Draws from "./Draws.js"
import * as Network from "./Network.js"
import * as Cluster from "./owners/Cluster.js"
import * as Database from "./owners/Database.js"
import type * as Journal from "./owners/Journal.js"
import * as Judge from "./owners/Judge.js"
import * as Lists from "./owners/Lists.js"
import * as Machine from "./owners/Machine.js"
import * as Plan from "./owners/Plan.js"
import * as Stores from "./owners/Stores.js"
import * as Tables from "./owners/Tables.js"
import * as VirtualLedger from "./owners/VirtualLedger.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

const limit = 3_600_000

/** How long after the last fault what was under way at it has ended, in milliseconds. */
const settling = 30_000

/** How long an export takes at most, from when it is due, where all goes well. */
const longestExport = 150_000

const part = "executions-linear"

const nameOf = ({ account, part }: { readonly account: string; readonly part: string }) => `${account}/${part}`

/** The claim and the ownership under which a fiber runs. */
const currentClaim = FiberRef.unsafeMake<Claim | undefined>(undefined)
const currentOwnership = FiberRef.unsafeMake<Ownership | undefined>(undefined)

const accountOf = ({ egress, every, name, ...account }: Plan.Account): FleetAccount => ({
  name,
  masterUid: name,
  uid: Option.none(),
  baseUrl: "https://exchange.example",
  egress,
  datasets: ["executions"],
  categories: ["linear"],
  from: Lists.startOf({ name, egress, ...account }),
  to: every === undefined ? Option.some(Sim.epoch) : Option.none(),
  every: Duration.millis(every ?? 86_400_000),
  isPaused: false
})

const credentials = Layer.succeed(CredentialSource.CredentialSource, {
  get: ({ baseUrl, name }) =>
    Effect.succeed({
      baseUrl,
      apiKey: Redacted.make(name),
      apiSecret: Redacted.make("simulatedsecret0123456789abcdef"),
      recvWindow: Credentials.defaultRecvWindow
    })
})

/** What the machines of a run share. */
const makeStage = (plan: Plan.Plan) => {
  const draws = Draws.make(plan.seed)
  const sim = Sim.make(draws, plan.mode)
  const coverage = new Set<string>()
  const facts: Array<Journal.Fact> = []
  const add = (happening: Journal.Happening, text: string) => {
    facts.push({ ...happening, at: sim.now() })
    sim.trace(text)
  }
  const tables = Tables.make()
  const stores = Stores.make({
    tables,
    written: (write, claim) => {
      const { epoch } = claim.ownership
      const { egress } = claim.ownership
      coverage.add(`write ${write}`)
      add(
        { _tag: "Written", name: nameOf(claim), write, run: claim.run, egress, epoch },
        `written  ${write} ${nameOf(claim)} epoch ${epoch} run ${claim.run}`
      )
    },
    refused: (write, claim) => {
      coverage.add("write refused")
      sim.trace(`refused  ${write} ${nameOf(claim)} epoch ${claim.ownership.epoch} run ${claim.run}`)
    }
  })
  const database = Database.make(sim, draws, plan, (operation, fault) => {
    coverage.add(`database ${fault}`)
    sim.trace(`database ${operation} ${fault}`)
  })
  const now = () => Sim.epoch + sim.now()
  const lists = Lists.make(
    plan,
    () => Math.floor(now()),
    (egress, count) => {
      if (count === plan.limit) coverage.add("limit reached")
      add({ _tag: "Arrived", egress, count }, `arrived  ${egress} ${count}`)
    }
  )
  return { plan, draws, sim, coverage, facts, add, tables, stores, database, lists, locks: Cluster.makeLocks(sim.now) }
}

type Stage = ReturnType<typeof makeStage>

/** The ledger as a machine reaches it. */
const ledgerOf = ({ add, coverage, database, sim, tables }: Stage, machine: Machine.Machine): Ledger.Shape => {
  const noted: Tables.Tables = {
    ...tables,
    own: (egress) => {
      const ownership = tables.own(egress)
      add({ _tag: "Owned", machine: machine.id, ...ownership }, `owned    ${egress} ${ownership.epoch} ${machine.id}`)
      return ownership
    },
    done: (claim, done) => {
      const isDone = tables.done(claim, done)
      if (isDone) add({ _tag: "Done", name: nameOf(claim) }, `done     ${nameOf(claim)}`)
      return isDone
    },
    failed: (claim, failed) => {
      coverage.add("export failed")
      sim.trace(`failed   ${nameOf(claim)} ${failed.failure}`)
      return tables.failed(claim, failed)
    },
    release: (claim) => {
      coverage.add("export released")
      sim.trace(`released ${nameOf(claim)} epoch ${claim.ownership.epoch}`)
      return tables.release(claim)
    }
  }
  const ledger = VirtualLedger.make(noted, (operation, act) => database.ask(machine, operation, act))
  const heard = ({ egress, epoch }: Ownership, askedAt: number) =>
    Effect.sync(() => {
      add(
        { _tag: "Heard", machine: machine.id, egress, epoch, askedAt },
        `heard    ${egress} ${epoch} ${machine.id} of ${askedAt}`
      )
    })
  return {
    ...ledger,
    own: (egress, owner) =>
      Effect.suspend(() => {
        const askedAt = sim.now()
        return Effect.tap(ledger.own(egress, owner), (ownership) =>
          Effect.zipRight(FiberRef.set(currentOwnership, ownership), heard(ownership, askedAt))
        )
      }),
    check: (ownership) =>
      Effect.suspend(() => {
        const askedAt = sim.now()
        return Effect.tap(ledger.check(ownership), heard(ownership, askedAt))
      }),
    claim: (ownership, options) =>
      Effect.tap(ledger.claim(ownership, options), (claim) =>
        FiberRef.set(currentClaim, Option.getOrUndefined(claim))
      )
  }
}

/** The connections of a machine through an address. */
const clientOf = ({ coverage, draws, lists, plan, sim }: Stage, machine: Machine.Machine, egress: string) => {
  const { faults, latency } = plan.network
  const calm = Plan.calmFrom(plan)
  const [first, ...others] = faults.kinds
  let calls = 0
  return HttpClient.make((request, url) =>
    Effect.async<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((resume) => {
      const name = ["call", machine.id, egress, calls++] as const
      const isFaulty = sim.now() < calm && draws.chance(faults.probability, ...name, "isFaulty")
      const fault = first !== undefined && isFaulty ? draws.pick([first, ...others], ...name, "fault") : undefined
      if (fault !== undefined) coverage.add(`call ${fault}`)
      const there = draws.fraction(...name, "there") * (latency / 2)
      const back = draws.fraction(...name, "back") * (latency / 2)
      const raw = {
        method: request.method,
        target: url.pathname + url.search,
        headers: request.headers,
        body: new Uint8Array(0)
      }
      const broken = () => {
        const cause = draws.pick(Network.broken, ...name, "error")
        resume(Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause })))
      }
      sim.after(there, () => {
        if (fault === "lostBefore") return void sim.after(back, broken)
        const answer = lists.handle(egress, { call: egress, sending: 1, isCopy: false, raw })
        sim.after(back, () => {
          if (fault === "lostAfter") broken()
          else resume(Effect.succeed(Network.responseOf(request, fault === "page" ? Network.proxy : answer, false)))
        })
      })
    })
  )
}

const egressOf = (stage: Stage, machine: Machine.Machine, egress: string) => {
  const client = clientOf(stage, machine, egress)
  const { renew, use } = Connections.fromClient(client)
  const connections = Effect.map(FiberRef.get(currentOwnership), (ownership): Connections.Connections.Shape => ({
    renew,
    use: (call) =>
      Effect.suspend(() => {
        const epoch = ownership?.epoch ?? 0
        stage.add({ _tag: "Begun", machine: machine.id, egress, epoch }, `begun    ${egress} ${epoch} ${machine.id}`)
        return use(call)
      })
  }))
  return Egress.make(
    egress,
    Layer.merge(Layer.succeed(HttpClient.HttpClient, client), Layer.effect(Connections.Connections, connections))
  )
}

/** How a machine reaches the stores: it may be frozen when a write is about to leave. */
const accessOf = ({ add: _, coverage, database, plan, sim }: Stage, machine: Machine.Machine): Stores.Access => {
  let writes = 0
  const leaving = () => {
    writes++
    for (const event of plan.events) {
      if (event._tag !== "FrozenAtWrite" || event.machine !== machine.id || event.write !== writes) continue
      if (sim.now() > Plan.eventful) continue
      coverage.add("machine FrozenAtWrite")
      sim.trace(`frozen   ${machine.id} for ${event.length}, before a write`)
      machine.freeze(event.length)
    }
  }
  return {
    ask: (operation, act) =>
      database.ask(machine, operation, act, operation.startsWith("write") ? leaving : undefined),
    claim: Effect.flatMap(FiberRef.get(currentClaim), (claim) =>
      claim === undefined ? Effect.dieMessage("a write without a claim") : Effect.succeed(claim)
    )
  }
}

const loggerOf = ({ sim }: Stage, id: string) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ cause, message }) => {
      const text = Arr.ensure(message).map(String).join(" ")
      sim.trace(`log      ${id} ${text} ${Cause.isEmpty(cause) ? "" : (Cause.pretty(cause).split("\n")[0] ?? "")}`)
    })
  )

/** A machine, what runs on it, and how it is stopped. */
const machineOf = (stage: Stage, planned: Plan.Machine) => {
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
        stage.facts.flatMap((fact) => (fact._tag === "Owned" && fact.machine === id ? [`${fact.egress} ${fact.epoch}`] : []))
      )
      const running = tables.running().filter(({ egress, epoch }) => owned.has(`${egress} ${epoch}`))
      add({ _tag: "Left", machine: id, running: running.map(nameOf) }, `left     ${id}`)
    }
  )
  const access = accessOf(stage, machine)
  const [first, ...others] = plan.egresses.map((egress) => egressOf(stage, machine, egress))
  if (first === undefined) throw new Error("a plan without addresses")
  const fleet = FleetCluster.layer({
    accounts: plan.accounts.map(accountOf),
    egresses: [first, ...others],
    sink: ({ name }, part) => stores.sink(access, name, part)
  }).pipe(
    Layer.provide([
      Layer.succeed(Ledger, ledgerOf(stage, machine)),
      Layer.succeed(ShardingTag, member.sharding satisfies Context.Tag.Service<Sharding.Sharding>),
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
  const work = Effect.retry(Effect.zipRight(Layer.build(fleet), member.run), Schedule.spaced("1 second"))
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
  return { ...machine, at: planned.at, run: machine.process.run(program), stop: () => { stop() } }
}

type Running = ReturnType<typeof machineOf>

/** Notes which addresses a machine owns that is killed or frozen now, and whether it is at work for them. */
const struck = ({ add, facts, stores, tables }: Stage, { id }: Running, event: Plan.Event) => {
  const last = new Map<string, { readonly machine: string; readonly epoch: number }>()
  for (const fact of facts) if (fact._tag === "Owned") last.set(fact.egress, fact)
  for (const [egress, { epoch, machine }] of last) {
    if (machine !== id) continue
    const running = tables
      .running()
      .filter((row) => row.egress === egress && row.epoch === epoch && stores.read(row.account, row.part).manifest === undefined)
    add({ _tag: "Struck", machine: id, event, egress, epoch, running: running.length }, `struck   ${id} ${egress} ${epoch}`)
  }
}

const happen = (stage: Stage, machines: ReadonlyMap<string, Running>, event: Plan.Event) => {
  const { coverage, database, sim } = stage
  if (event._tag === "FrozenAtWrite") return
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
        return void machine.kill()
      case "Frozen":
        struck(stage, machine, event)
        return void machine.freeze(event.length)
      case "Stopped":
        return void machine.process.whenAwake(machine.stop)
      case "Cut":
        return void machine.cut(event.length)
      case "Jump":
        return void machine.jump(event.by)
    }
  })
}

/** When each export is to be done that is due from now on; at the clock of the machine that is most behind. */
const doneBys = ({ sim, tables }: Stage, machines: ReadonlyArray<Running>): ReadonlyMap<string, number> => {
  const alive = machines.filter(({ process }) => !process.isDead())
  const ahead = Math.min(...alive.map((machine) => machine.ahead()))
  return new Map(
    tables
      .exports()
      .filter(({ state }) => state !== "finished")
      .map((row) => [nameOf(row), Math.max(sim.now(), row.dueAt - Sim.epoch - ahead) + longestExport])
  )
}

/** Waits until every export is done that has to be, or its time is over. */
const awaitDone = ({ facts, sim }: Stage, doneBy: ReadonlyMap<string, number>) =>
  Effect.gen(function* () {
    const settledAt = sim.now()
    const isDone = (name: string) =>
      facts.some((fact) => fact._tag === "Done" && fact.name === name && fact.at >= settledAt)
    while ([...doneBy].some(([name, by]) => sim.now() <= by && !isDone(name))) yield* Effect.sleep(500)
  })

const exportsOf = (
  { plan, stores, tables }: Stage,
  doneBy: ReadonlyMap<string, number>
): ReadonlyArray<Journal.Export> => {
  const states = new Map(tables.exports().map((row) => [row.account, `${row.state} due ${row.dueAt - Sim.epoch}`]))
  return plan.accounts.map((account) => {
    const name = nameOf({ account: account.name, part })
    const { manifest, rows } = stores.read(account.name, part)
    // The exchange's own rows.
    const all = [...rows.values()].map((text) => JSON.parse(text) as { readonly execId: string; readonly execTime: string })
    const to = manifest?.to ?? 0
    const isCovered = ({ execTime }: { readonly execTime: string }) => Number(execTime) < to
    return {
      name,
      rows: all.filter(isCovered).map(({ execId }) => execId),
      newer: all.filter((row) => !isCovered(row)).map(({ execId }) => execId),
      expected: Lists.rowsOf(account, Lists.startOf(account), to).map(({ id }) => id),
      doneBy: doneBy.get(name),
      state: states.get(account.name) ?? "gone"
    }
  })
}

/** Runs a plan. */
export const run = (plan: Plan.Plan) => {
  const stage = makeStage(plan)
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
