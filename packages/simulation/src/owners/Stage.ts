/**
 * What the machines of a run share: the simulation, the database with ledger and locks, the stores, the exchange, and the journal.
 */
import * as Draws from "../Draws.js"
import * as Sim from "../Sim.js"
import * as Cluster from "./Cluster.js"
import * as Database from "./Database.js"
import type * as Journal from "./Journal.js"
import * as Lists from "./Lists.js"
import type * as Plan from "./Plan.js"
import * as Stores from "./Stores.js"
import * as Tables from "./Tables.js"

/** The name of an export in the journal. */
export const nameOf = ({ account, part }: { readonly account: string; readonly part: string }) => `${account}/${part}`

export const make = (plan: Plan.Plan) => {
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

export type Stage = ReturnType<typeof make>
