/**
 * The calls that the server of shared limits must know, from the operations on it. It is the judge's record, without the server's state.
 *
 * A call can be refused only if the server could not know of an earlier one. That is so from the instant at which it forgot a call that was
 * still under way, or the lease of that call ended, until the call is settled; and of calls before its clock was set forward, which ends windows
 * and leases early. It is not so of calls that had arrived when a new life began: limits that begin at rest keep a window's distance to them.
 */

/** A reservation in the judge's record. `stale`: taken or settled before the clock was set forward. */
type Knowledge = { readonly _tag: "Out"; readonly leaseEnd: number } | { readonly _tag: "Settled" | "Stale" }

/** The knowledge of the server, which it loses when it forgets. Times are milliseconds since the start. */
interface Memory {
  readonly life: number
  /** Calls that arrived up to here are kept a window's distance from. */
  readonly restsFrom: number
  readonly known: ReadonlyMap<string, Knowledge>
}

/** A reservation that the server has taken. */
export interface Grant {
  readonly id: string
  /** The number of reservations before it. */
  readonly number: number
  readonly life: number
  /** The knowledge of the server when it took the reservation. */
  readonly memory: Memory
}

/** A request that the service has counted, or refused, by the reservation with which it left. */
export interface Arrival {
  readonly grant: Grant
  readonly at: number
  readonly cost: number
}

export interface Ledger {
  /** To be called before each operation of the server. */
  readonly began: (hasLife: boolean) => void
  readonly granted: (id: string, leaseEnd: number) => void
  readonly settled: (id: string, isSent: boolean) => void
  /** Everything is lost. */
  readonly forgot: () => void
  /** Returns the knowledge of a replica, for when it takes over. */
  readonly copy: () => () => void
  readonly setForward: () => void
  readonly grant: (id: string) => Grant | undefined
}

const isKnown = ({ at, grant: { id } }: Arrival, { known, restsFrom }: Memory): boolean => {
  const knowledge = known.get(id)
  switch (knowledge?._tag) {
    case undefined:
    case "Stale":
      return at <= restsFrom
    case "Settled":
      return true
    case "Out":
      return at <= knowledge.leaseEnd
  }
}

/**
 * Whether the arrivals of one window, which are too many for a limit, are so only because the server could not know of one of them when it took the
 * last of their reservations.
 */
export const isInherent = (limit: number, arrivals: ReadonlyArray<Arrival>): boolean => {
  const [last, ...earlier] = arrivals.toSorted((a, b) => b.grant.number - a.grant.number)
  if (last === undefined) return false
  const known = earlier.filter((arrival) => isKnown(arrival, last.grant.memory))
  const cost = known.reduce((sum, arrival) => sum + arrival.cost, 0)
  return known.length < earlier.length && cost <= Math.max(limit - last.cost, 0)
}

export const make = (now: () => number): Ledger => {
  let memory: Memory = { life: 0, restsFrom: Number.NEGATIVE_INFINITY, known: new Map() }
  let lives = 0
  let settings = 0
  const grants = new Map<string, Grant>()

  const know = (id: string, knowledge: Knowledge) => {
    memory = { ...memory, known: new Map([...memory.known, [id, knowledge]]) }
  }

  const setForward = () => {
    settings++
    const known = new Map([...memory.known.keys()].map((id) => [id, { _tag: "Stale" }] as const))
    memory = { ...memory, restsFrom: Number.NEGATIVE_INFINITY, known }
  }

  return {
    began: (hasLife) => {
      if (!hasLife) memory = { life: ++lives, restsFrom: now(), known: new Map() }
    },
    granted: (id, leaseEnd) => {
      grants.set(id, { id, number: grants.size, life: memory.life, memory })
      know(id, { _tag: "Out", leaseEnd })
    },
    settled: (id, isSent) => {
      const isEarlier = grants.get(id)?.life !== memory.life
      if (isSent && (isEarlier || memory.known.has(id))) know(id, { _tag: "Settled" })
    },
    forgot: () => {
      memory = { life: ++lives, restsFrom: Number.NEGATIVE_INFINITY, known: new Map() }
    },
    copy: () => {
      const [copied, before] = [memory, settings]
      return () => {
        memory = copied
        if (settings > before) setForward()
      }
    },
    setForward,
    grant: (id) => grants.get(id)
  }
}
