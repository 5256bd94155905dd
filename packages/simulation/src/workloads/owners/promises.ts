/** The promises of a plan of owners. That another owner is at work soon is judged over the cluster itself, by `packages/soak`. */
import * as Plan from "./Plan.js"

const startOf = (event: Plan.Event): number => (event._tag === "FrozenAtWrite" ? Plan.eventful : event.at)

const endOf = (event: Plan.Event): number => startOf(event) + ("length" in event ? event.length : 0)

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
