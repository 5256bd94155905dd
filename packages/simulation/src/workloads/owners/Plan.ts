/** The plans of a fleet on several machines. */
import * as Draws from "../../kernel/Draws.js"
import * as Scheduler from "../../kernel/Scheduler.js"
import * as Faults from "../../world/Faults.js"
import type * as Remote from "../../world/Remote.js"
import type * as Workload from "../../run/Workload.js"

/** The part of the declaration of an account that can change. */
export interface Declaration {
  /** The first day of its exports, before the start of the run. Defaults to the first one of its history. */
  readonly firstDay?: number | undefined
  /** The day that they end with, before the start of the run; of an export that runs once. Defaults to 0. */
  readonly lastDay?: number | undefined
  /** How often its export is due, in milliseconds; without it the export runs once. */
  readonly every?: number | undefined
}

export interface Account extends Declaration {
  readonly name: string
  readonly egress: string
  /** The length of its history before the start of the run, in days: a window has seven of them. */
  readonly days: number
  /** How many rows its history has. More appear while the run lasts. */
  readonly rows: number
}

export interface PlannedMachine {
  readonly id: string
  /** When it starts, in milliseconds after the start of the run. */
  readonly at: number
  /** Its wall clock minus the exchange's, in milliseconds. */
  readonly ahead: number
}

/** Events of machines and of the database. Instants and durations in milliseconds. */
export type Event =
  | { readonly _tag: "Killed"; readonly machine: string; readonly at: number }
  /** It ends as planned: its owners are interrupted, then its locks are released. */
  | { readonly _tag: "Stopped"; readonly machine: string; readonly at: number }
  | { readonly _tag: "Frozen"; readonly machine: string; readonly at: number; readonly length: number }
  /** It is frozen when its `write`-th write to a store is about to leave: after the fence was looked at, and before the commit. */
  | { readonly _tag: "FrozenAtWrite"; readonly machine: string; readonly write: number; readonly length: number }
  /** Nothing passes between it and the database. */
  | { readonly _tag: "Cut"; readonly machine: string; readonly at: number; readonly length: number }
  | { readonly _tag: "Jump"; readonly machine: string; readonly at: number; readonly by: number }
  /** The database restarts. */
  | { readonly _tag: "Outage"; readonly at: number; readonly length: number }
  /** All machines declare an account anew. */
  | { readonly _tag: "Declared"; readonly account: string; readonly at: number; readonly declaration: Declaration }

/** The faults of one operation of the database, and of one call. */
export const databaseFaults = [
  "late",
  "slow",
  "unreachable",
  "replyLost",
  "lost",
  "unanswered"
] as const satisfies ReadonlyArray<Remote.Fault>
export const callFaults = ["lostBefore", "lostAfter", "htmlBefore"] as const satisfies ReadonlyArray<Faults.Fault>

interface Way<Kind extends string> {
  readonly latency: number
  readonly faults: Faults.Faults<Kind>
}

export interface OwnersPlan extends Workload.WorkloadPlan {
  /** Calls that an address can make in five seconds. */
  readonly limit: number
  readonly egresses: ReadonlyArray<string>
  readonly accounts: ReadonlyArray<Account>
  /** The last of them is neither killed nor stopped. */
  readonly machines: ReadonlyArray<PlannedMachine>
  readonly events: ReadonlyArray<Event>
  /** The longest way to the database and back, and the faults before `calmFrom`. */
  readonly database: Way<(typeof databaseFaults)[number]>
  readonly network: Way<(typeof callFaults)[number]>
}

/** Until when events begin. */
export const eventful = 60_000

/** The accounts as they are declared at an instant. */
export const accountsAt = ({ accounts, events }: OwnersPlan, at: number): ReadonlyArray<Account> =>
  accounts.map((account) =>
    events
      .flatMap((event) =>
        event._tag === "Declared" && event.account === account.name && event.at <= at ? [event] : []
      )
      .sort((one, other) => one.at - other.at)
      .reduce<Account>((declared, { declaration }) => ({ ...declared, ...declaration }), account)
  )

/** From when on nothing goes wrong. */
export const calmFrom = ({ events, machines }: OwnersPlan): number =>
  Math.max(
    eventful,
    ...machines.map(({ at }) => at),
    ...events.map((event) => {
      switch (event._tag) {
        case "FrozenAtWrite":
          return eventful + event.length
        case "Cut":
        case "Frozen":
        case "Outage":
          return event.at + event.length
        default:
          return event.at
      }
    })
  ) + 1

const startOf = (event: Event): number => (event._tag === "FrozenAtWrite" ? eventful : event.at)

const endOf = (event: Event): number => startOf(event) + ("length" in event ? event.length : 0)

/** How long before its end a machine has to have reached the database for its last writes to have arrived. */
const reachedBefore = 20_000

/** Whether nothing kept a machine that ends at an instant from the database. */
export const isReached = (plan: OwnersPlan, machine: string, at: number): boolean =>
  plan.database.faults.probability === 0 &&
  plan.events.every((event) => {
    const isOver = endOf(event) < at - reachedBefore || startOf(event) > at
    if (event._tag === "Outage") return isOver
    if (!("length" in event) || event.machine !== machine) return true
    return event._tag !== "FrozenAtWrite" && isOver
  })

export const calm: Partial<OwnersPlan> = {
  mode: { _tag: "lawful" },
  events: [],
  database: { latency: 0, faults: Faults.none },
  network: { latency: 0, faults: Faults.none }
}

const tags = [
  "Killed",
  "Killed",
  "Frozen",
  "Frozen",
  "FrozenAtWrite",
  "FrozenAtWrite",
  "Cut",
  "Stopped",
  "Outage"
] as const

const eventOf = (draws: Draws.Draws, machines: ReadonlyArray<PlannedMachine>, index: number): ReadonlyArray<Event> => {
  const name = ["event", index] as const
  const tag = draws.pick(tags, ...name, "tag")
  const isEnding = tag === "Killed" || tag === "Stopped"
  const count = isEnding ? machines.length - 1 : machines.length
  const machine = machines[draws.int(Math.max(count, 1), ...name, "machine")]
  if (machine === undefined || count === 0) return []
  // An owner begins its first calls some six seconds after its machine has started.
  const scale = draws.pick([8_000, 20_000, 50_000], ...name, "scale")
  const at = Math.min(machine.at + 5_000 + draws.int(scale, ...name, "at"), eventful)
  const length = draws.pick([1_000, 7_000, 12_500, 20_000, 45_000], ...name, "length")
  switch (tag) {
    case "Killed":
    case "Stopped":
      return [{ _tag: tag, machine: machine.id, at }]
    case "FrozenAtWrite":
      return [{ _tag: tag, machine: machine.id, write: 1 + draws.int(8, ...name, "write"), length }]
    case "Frozen":
    case "Cut":
      return [{ _tag: tag, machine: machine.id, at, length }]
    case "Outage":
      return [{ _tag: tag, at, length: draws.pick([500, 4_000, 15_000], ...name, "length") }]
  }
}

const declarationOf = (draws: Draws.Draws, { days }: Account, ...name: ReadonlyArray<string | number>): Declaration => {
  const ends = draws.chance(0.5, ...name, "ends")
  return {
    firstDay: draws.pick([days, days, days + 3, Math.ceil(days / 2)], ...name, "firstDay"),
    lastDay: ends ? draws.pick([0, 0, 0.5], ...name, "lastDay") : undefined,
    every: ends ? undefined : draws.pick([30_000, 60_000], ...name, "every")
  }
}

/** During the run, half of the accounts are declared again, if any are. */
const drawDeclared = (draws: Draws.Draws, accounts: ReadonlyArray<Account>): ReadonlyArray<Event> =>
  accounts.flatMap((account): ReadonlyArray<Event> => {
    const { name } = account
    if (!draws.chance(0.5, "declared", name)) return []
    return [
      {
        _tag: "Declared",
        account: name,
        at: draws.int(eventful, "declared at", name),
        declaration: declarationOf(draws, account, "declaration", name)
      }
    ]
  })

const machinesOf = (draws: Draws.Draws): ReadonlyArray<PlannedMachine> => {
  const isSkewed = draws.chance(0.4, "skewed")
  return Array.from({ length: 2 + draws.int(2, "machines") }, (_, index) => ({
    id: `m${index}`,
    // One of three joins while the others are at work.
    at: index === 1 && draws.chance(0.4, "joins") ? draws.int(40_000, "joins at") : draws.int(500, "starts", index),
    ahead: isSkewed ? draws.pick([0, 900, -40_000, 90_000], "ahead", index) : 0
  }))
}

const accountsOf = (draws: Draws.Draws, egresses: ReadonlyArray<string>): ReadonlyArray<Account> =>
  Array.from({ length: 1 + draws.int(3, "accounts") }, (_, index) => ({
    name: `account${index}`,
    egress: egresses[index % egresses.length] ?? "a",
    days: draws.pick([1, 6, 9, 16], "days", index),
    rows: draws.int(draws.pick([4, 24], "many rows", index), "rows", index),
    every: draws.chance(0.6, "repeats", index) ? draws.pick([30_000, 60_000], "every", index) : undefined
  }))

const faultsOf = <Kind extends string>(
  draws: Draws.Draws,
  name: string,
  all: ReadonlyArray<Kind>,
  isFaulty: number
): Faults.Faults<Kind> => {
  const kinds = all.filter((_, index) => draws.chance(0.5, name, index))
  return {
    probability: kinds.length > 0 && draws.chance(isFaulty, name) ? draws.pick([0.02, 0.1], name, "probability") : 0,
    kinds
  }
}

export const make = (seed: number, { isAnywhere }: Workload.Options): OwnersPlan => {
  const draws = Draws.make(seed)
  const egresses = draws.chance(0.3, "two addresses") ? ["a", "b"] : ["a"]
  const machines = machinesOf(draws)
  const jumping = machines[draws.int(machines.length, "jumping")]
  const accounts = accountsOf(draws, egresses)
  return {
    seed,
    mode: Scheduler.modeOf(draws, isAnywhere),
    limit: draws.pick([5, 8], "limit"),
    egresses,
    accounts,
    machines,
    events: [
      ...Array.from({ length: draws.pick([0, 1, 1, 1, 2, 3, 4], "events") }, (_, index) =>
        eventOf(draws, machines, index)
      ).flat(),
      ...(jumping !== undefined && draws.chance(0.2, "jumps")
        ? [
            {
              _tag: "Jump",
              machine: jumping.id,
              at: draws.int(eventful, "jump"),
              by: draws.pick([70_000, -70_000], "by")
            } as const
          ]
        : []),
      ...(draws.chance(0.3, "declared") ? drawDeclared(draws, accounts) : [])
    ],
    database: {
      latency: draws.pick([0, 4, 40, 300], "database"),
      faults: faultsOf(draws, "database", databaseFaults, 0.3)
    },
    network: { latency: draws.pick([0, 40, 400], "network"), faults: faultsOf(draws, "calls", callFaults, 0.2) }
  }
}
