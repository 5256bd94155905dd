/**
 * The queue before the budgets. A call is charged to all budgets it falls under at once, and waits until each of them has
 * room; who waits in a faster lane goes first, and nobody waits forever.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BudgetStore from "./BudgetStore.js"
import * as Lane from "./Lane.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class Budgets extends Context.Tag("@effect-venue/transport/Budgets")<Budgets, Budgets.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Budgets {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /**
     * Waits until every charge fits, takes all of them in one step, and runs the call; `settlement` says whether the service
     * counted it. `unless` ends the waiting, as a ban does.
     */
    readonly charged: <A, E, R, E2 = never>(
      call: Effect.Effect<A, E, R>,
      options: {
        readonly charges: ReadonlyArray<BudgetStore.Charge>
        readonly lane: Lane.Name
        readonly settlement?: (() => BudgetStore.Settlement) | undefined
        readonly unless?: Effect.Effect<never, E2> | undefined
      }
    ) => Effect.Effect<A, E | E2, R>
    /** What the service said about a budget. */
    readonly observe: (charge: BudgetStore.Charge, observation: BudgetStore.Observation) => Effect.Effect<void>
    /** The service has granted a UID other calls a second for a type of business. */
    readonly grant: (host: string, uid: string, bizType: string, rate: number) => Effect.Effect<void>
    /** What was granted to a UID, where anything was. */
    readonly granted: (host: string, uid: string, bizType: string) => number | undefined
    /** The limit in force: what the service said last, or else what the charge knows. */
    readonly limit: (charge: BudgetStore.Charge) => Effect.Effect<number>
    /** How the budgets stand that were used so far. */
    readonly states: Effect.Effect<ReadonlyArray<State>>
  }
}

/**
 * How a budget stands, and how many calls wait for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface State extends BudgetStore.State {
  readonly key: string
  readonly waiting: number
}

/** A call that waits. */
interface Waiter {
  readonly arrival: number
  ticket: BudgetStore.Ticket | undefined
  /** When to look again; infinite while somebody ahead has to be served first. */
  retryAt: number
  /** Until when it sleeps, unless it is woken. */
  sleepsUntil: number
  /** Lets the call look at its ticket, or at when to try again. */
  wake: () => void
}

/** Calls that ask for the same and are served in their order. */
interface Line {
  readonly name: string
  readonly rank: number
  readonly charges: ReadonlyArray<BudgetStore.Charge>
  readonly waiters: Array<Waiter>
}

// After so many calls of faster lanes have passed someone on a budget, the one who has waited longest goes first.
const patience = 10

const nobody = (): void => undefined

const never = Number.POSITIVE_INFINITY

// A call that waits for an answer of somebody else's is told by nobody when it has come: the store may be shared by processes.
const lookAgainAfter = 200

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Budgets.Shape, never, BudgetStore.BudgetStore> = Effect.gen(function* () {
  const store = yield* BudgetStore.BudgetStore
  const one = yield* Effect.makeSemaphore(1)
  const lines = new Map<string, Line>()
  const charges = new Map<string, BudgetStore.Charge>()
  const passed = new Map<string, number>()
  const grants = new Map<string, number>()
  let arrivals = 0

  const lineOf = (asked: ReadonlyArray<BudgetStore.Charge>, lane: Lane.Name): Line => {
    const name = `${lane} ${asked.map(({ cost, key }) => `${cost} ${key}`).join(" ")}`
    const known = lines.get(name)
    if (known !== undefined) return known
    const line: Line = { name, rank: Lane.order.indexOf(lane), charges: asked, waiters: [] }
    lines.set(name, line)
    return line
  }

  const arrivalOf = (line: Line): number => line.waiters[0]?.arrival ?? Number.POSITIVE_INFINITY

  const isOverdue = (line: Line): boolean => line.charges.some(({ key }) => (passed.get(key) ?? 0) >= patience)

  const isSooner = (line: Line, than: Line): boolean =>
    line.rank < than.rank || (line.rank === than.rank && arrivalOf(line) < arrivalOf(than))

  /** The line to be served next, of those whose budgets are not full: an overdue one first, then by lane, then by arrival. */
  const nextOf = (full: ReadonlySet<string>): Line | undefined => {
    let overdue: Line | undefined
    let first: Line | undefined
    for (const line of lines.values()) {
      if (passed.size > 0 && isOverdue(line) && (overdue === undefined || arrivalOf(line) < arrivalOf(overdue))) {
        overdue = line
      }
      if (!isBlocked(line, full) && (first === undefined || isSooner(line, first))) first = line
    }
    return overdue !== undefined && !isBlocked(overdue, full) ? overdue : first
  }

  const isBlocked = (line: Line, full: ReadonlySet<string>): boolean =>
    line.waiters.length === 0 || (full.size > 0 && line.charges.some(({ key }) => full.has(key)))

  const someLine = (holds: (line: Line) => boolean): boolean => {
    for (const line of lines.values()) if (holds(line)) return true
    return false
  }

  /** Remembers on each budget whether a call of a faster lane has just passed one that came earlier. */
  const countPassing = (served: Line, arrival: number): void => {
    for (const { key } of served.charges) {
      const passes = someLine(
        (line) =>
          line.rank > served.rank && arrivalOf(line) < arrival && line.charges.some((charge) => charge.key === key)
      )
      if (passes) passed.set(key, (passed.get(key) ?? 0) + 1)
      else passed.delete(key)
    }
  }

  /** Serves the head of a line while there is room. Gives the keys that are full. */
  const serve = (line: Line, now: number): Effect.Effect<ReadonlyArray<string>> =>
    Effect.gen(function* () {
      for (;;) {
        const head = line.waiters[0]
        if (head === undefined) return []
        const reservation = yield* store.reserve(line.charges, now)
        if (reservation._tag === "Full") {
          head.retryAt = Number.isFinite(reservation.retryAt) ? reservation.retryAt : now + lookAgainAfter
          // Only for an earlier instant: two that woke each other for the same one would never sleep.
          if (head.retryAt < head.sleepsUntil) head.wake()
          return reservation.keys
        }
        line.waiters.shift()
        countPassing(line, head.arrival)
        head.ticket = reservation.ticket
        head.wake()
        // One at a time where somebody of another line may be due next.
        if (lines.size > 1) return []
      }
    })

  /** Gives out all the room there is, in order. */
  const dispatch: Effect.Effect<void> = Effect.suspend(() => (lines.size === 0 ? Effect.void : giveOut))

  const giveOut: Effect.Effect<void> = one.withPermits(1)(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const full = new Set<string>()
      for (const { waiters } of lines.values()) if (waiters[0] !== undefined) waiters[0].retryAt = never
      for (;;) {
        // What someone ahead waits for is not given to someone behind.
        const next = nextOf(full)
        if (next === undefined) return
        for (const key of yield* serve(next, now)) full.add(key)
        if (next.waiters.length === 0) lines.delete(next.name)
      }
    })
  )

  const join = (line: Line): Waiter => {
    const waiter: Waiter = { arrival: ++arrivals, ticket: undefined, retryAt: never, sleepsUntil: never, wake: nobody }
    lines.set(line.name, line)
    line.waiters.push(waiter)
    return waiter
  }

  const leave = (line: Line, waiter: Waiter): Effect.Effect<void> =>
    Effect.suspend(() => {
      const index = line.waiters.indexOf(waiter)
      if (index >= 0) line.waiters.splice(index, 1)
      if (line.waiters.length === 0) lines.delete(line.name)
      return waiter.ticket === undefined ? dispatch : giveBack(waiter.ticket)
    })

  const giveBack = (ticket: BudgetStore.Ticket): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.zipRight(store.settle(ticket, now, "unsent"), dispatch))

  /** Until somebody wakes it, or it is time to look again. */
  const pause = (waiter: Waiter, now: number): Effect.Effect<void> => {
    const woken = Effect.async<void>((resume) => {
      waiter.wake = () => resume(Effect.void)
      if (waiter.ticket !== undefined) waiter.wake()
      return Effect.sync(() => {
        waiter.wake = nobody
      })
    })
    waiter.sleepsUntil = waiter.retryAt
    // Whole milliseconds: where the clock tells fractions, what is left of one may be too small to move it, and would be
    // slept for forever.
    return Number.isFinite(waiter.retryAt)
      ? Effect.raceFirst(Effect.sleep(Math.max(Math.ceil(waiter.retryAt - now), 0)), woken)
      : woken
  }

  const waitForTurn = (waiter: Waiter): Effect.Effect<BudgetStore.Ticket> =>
    Effect.gen(function* () {
      for (;;) {
        yield* dispatch
        if (waiter.ticket !== undefined) return waiter.ticket
        const now = yield* Clock.currentTimeMillis
        yield* pause(waiter, now)
      }
    })

  /** Takes its place in a line, and waits there until it is served. */
  const queue = <E2>(
    line: Line,
    unless: Effect.Effect<never, E2> | undefined,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ): Effect.Effect<BudgetStore.Ticket, E2> =>
    Effect.suspend(() => {
      const waiter = join(line)
      return Effect.flatMap(dispatch, () => {
        if (waiter.ticket !== undefined) return Effect.succeed(waiter.ticket)
        const turn = waitForTurn(waiter)
        return Effect.onError(restore(unless === undefined ? turn : Effect.raceFirst(turn, unless)), () =>
          leave(line, waiter)
        )
      })
    })

  /** Where nobody waits there is nobody to go before: who finds room takes it, and who does not is the first to wait. */
  const enter = <E2>(
    asked: ReadonlyArray<BudgetStore.Charge>,
    lane: Lane.Name,
    unless: Effect.Effect<never, E2> | undefined,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ): Effect.Effect<BudgetStore.Ticket, E2> =>
    Effect.suspend(() => {
      const queued = Effect.suspend(() => queue(lineOf(asked, lane), unless, restore))
      if (lines.size > 0) return queued
      return Effect.clockWith((clock) =>
        Effect.flatMap(store.reserve(asked, clock.unsafeCurrentTimeMillis()), (reservation) => {
          if (reservation._tag === "Full") return queued
          for (const { key } of asked) passed.delete(key)
          return Effect.succeed(reservation.ticket)
        })
      )
    })

  return {
    charged: (call, { charges: asked, lane, settlement, unless }) => {
      if (asked.length === 0) return call
      for (const charge of asked) charges.set(charge.key, charge)
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(enter(asked, lane, unless, restore), (ticket) =>
          Effect.ensuring(
            restore(call),
            Effect.clockWith((clock) =>
              Effect.zipRight(
                store.settle(ticket, clock.unsafeCurrentTimeMillis(), settlement?.() ?? "counted"),
                dispatch
              )
            )
          )
        )
      )
    },
    observe: (charge, observation) => Effect.zipRight(store.observe(charge, observation), dispatch),
    grant: (host, uid, bizType, rate) => Effect.sync(() => void grants.set(`${host} ${uid} ${bizType}`, rate)),
    granted: (host, uid, bizType) => grants.get(`${host} ${uid} ${bizType}`),
    limit: (charge) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(store.state(charge, now), ({ limit }) => limit)),
    states: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.forEach([...charges.values()], (charge) =>
        Effect.map(store.state(charge, now), (state) => ({
          ...state,
          key: charge.key,
          waiting: [...lines.values()]
            .filter((line) => line.charges.some(({ key }) => key === charge.key))
            .reduce((sum, line) => sum + line.waiters.length, 0)
        }))
      )
    )
  }
})

/**
 * The queue over a store of the application's own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Budgets, never, BudgetStore.BudgetStore> = Layer.effect(Budgets, make)

/**
 * The queue and its budgets in the memory of this process, shared by everything that the layer is given to.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<Budgets> = layer.pipe(Layer.provide(BudgetStore.layerMemory))
