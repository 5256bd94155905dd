/** The promises of a plan of owners: when another owner is at work, and whether a machine reaches the database. */
import * as Plan from "./Plan.js"

/** How long an address can be idle after its machine was killed or frozen. */
const idleFor = { Killed: 25_000, Frozen: 30_000 } as const

/** How long it has to be calm before and after an event for an address to be back in that time. */
const calmBefore = 45_000
const calmAfter = 35_000

const startOf = (event: Plan.Event): number => (event._tag === "FrozenAtWrite" ? Plan.eventful : event.at)

const endOf = (event: Plan.Event): number => startOf(event) + ("length" in event ? event.length : 0)

/** Whether nothing else happens around an event, and another machine is at work all that time. */
const isAlone = (plan: Plan.OwnersPlan, event: Plan.Event, machine: string, at: number): boolean => {
  const isFaultless = plan.database.faults.probability === 0 && plan.network.faults.probability === 0
  const others = plan.events.filter((other) => other !== event)
  // An event that waits for a write can happen at any time.
  const isCalm = others.every(
    (other) => other._tag !== "FrozenAtWrite" && (endOf(other) < at - calmBefore || startOf(other) > at + calmAfter)
  )
  const gone = new Set(
    others.flatMap((other) => (other._tag === "Killed" || other._tag === "Stopped" ? [other.machine] : []))
  )
  const isSteady = plan.machines.every(({ at: joins }) => joins < at - calmBefore / 3 || joins > at + calmAfter)
  const has = plan.machines.some(({ at: joins, id }) => id !== machine && !gone.has(id) && joins < at)
  return isFaultless && isCalm && isSteady && has
}

/** When another owner is at work after a machine was killed or frozen at an instant; `undefined` if that is not promised. */
export const backBy = (plan: Plan.OwnersPlan, event: Plan.Event, machine: string, at: number): number | undefined => {
  const isLong = event._tag === "Killed" || (event._tag === "Frozen" && event.length > idleFor.Frozen)
  return isLong && isAlone(plan, event, machine, at) ? at + idleFor[event._tag] : undefined
}

/** How long before its end a machine has to have reached the database for its last writes to have arrived. */
const reachedBefore = 20_000

/** Whether nothing kept a machine that ends at an instant from the database. */
export const isReached = (plan: Plan.OwnersPlan, machine: string, at: number): boolean =>
  plan.database.faults.probability === 0 &&
  plan.events.every((event) => {
    const isOver = endOf(event) < at - reachedBefore || startOf(event) > at
    if (event._tag === "Outage") return isOver
    if (!("length" in event) || event.machine !== machine) return true
    return event._tag !== "FrozenAtWrite" && isOver
  })
