/** Everything that the machines of a run share: the database with ledger and locks, the stores, and the exchange. */
import * as Sim from "../../kernel/Sim.js"
import * as LedgerDatabase from "../../models/LedgerDatabase.js"
import * as Lists from "./Lists.js"
import * as Cluster from "../../world/Cluster.js"
import * as Remote from "../../world/Remote.js"
import type * as World from "../../world/World.js"
import type * as Machine from "./Machine.js"
import * as Plan from "./Plan.js"
import * as Stores from "./Stores.js"

/** The name of an export in the journal. */
export const nameOf = ({ account, part }: { readonly account: string; readonly part: string }) => `${account}/${part}`

/** The database: it is down for a while when it restarts, which breaks its connections. */
const makeDatabase = (world: World.World, plan: Plan.OwnersPlan, asked: (machine: string) => void) => {
  let restarts = 0
  let downUntil = 0
  const { sim } = world
  const ask = Remote.make(world, {
    latency: plan.database.latency,
    faults: { ...plan.database.faults, until: Plan.calmFrom(plan) },
    isOut: () => sim.now() < downUntil,
    restarts: () => restarts
  })
  return {
    /** Runs `act` in the database. `leaving` is called when the request is about to leave the machine. */
    ask: <A>({ id, isCut, process }: Machine.OwnerMachine, operation: string, act: () => A, leaving?: () => void) => {
      const whenAwake = (step: () => void) => {
        leaving?.()
        process.whenAwake(step)
      }
      const done = () => {
        asked(id)
        return act()
      }
      return ask({ operation, by: id, act: done, isCut, whenAwake })
    },
    restart: (milliseconds: number) => {
      restarts++
      downUntil = Math.max(downUntil, sim.now() + milliseconds)
    }
  }
}

export const make = (world: World.World, plan: Plan.OwnersPlan) => {
  const { add, cover, sim } = world
  /** The machine whose operation the database does. */
  let asking = ""
  const tables = LedgerDatabase.make({
    owned: (ownership) => add({ _tag: "Owned", machine: asking, ...ownership }),
    changed: (event, claim) => {
      cover(`export ${event}`)
      if (event === "done") add({ _tag: "Done", call: nameOf(claim) })
      else sim.trace(`${event.padEnd(9)} ${nameOf(claim)} epoch ${claim.ownership.epoch}`)
    }
  })
  const database = makeDatabase(world, plan, (machine) => {
    asking = machine
  })
  const stores = new Stores.Stores({
    tables,
    written: (write, claim) => {
      const { egress, epoch } = claim.ownership
      cover(`write ${write}`)
      add({ _tag: "Written", call: nameOf(claim), write, run: claim.run, egress, epoch })
    },
    refused: (write, claim) => {
      cover("write refused")
      sim.trace(`refused   ${write} ${nameOf(claim)} epoch ${claim.ownership.epoch} run ${claim.run}`)
    }
  })
  const lists = Lists.make(
    plan,
    () => Math.floor(Sim.epoch + sim.now()),
    (egress, count) => {
      if (count === plan.limit) cover("limit reached")
      add({ _tag: "Counted", egress, count, limit: plan.limit })
    }
  )
  return { world, plan, tables, stores, lists, database, locks: Cluster.makeLocks(sim.now) }
}

export type OwnersStage = ReturnType<typeof make>
