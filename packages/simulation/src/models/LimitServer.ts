/**
 * A server that keeps the rate limits of several processes, with the semantics of `RemoteStore.RateLimitBackend`, in the plainest way, with every place that
 * was ever taken, and without code of the library but a constant. Each operation is one step. All times are microseconds of its own clock.
 */
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"

/** A place that one charge of a reservation has taken. */
interface Place {
  readonly reservation: string
  readonly index: number
  readonly cost: number
  readonly leaseEnd: number
  /** The last instant at which the service can have counted it; `undefined` while its call is out. */
  readonly countedBy: number | undefined
}

interface Limit {
  readonly places: ReadonlyArray<Place>
  readonly closedUntil: number
  /** When the call with the newest observation was sent. */
  readonly observedAt: number
  readonly learnt: { readonly limit: number; readonly until: number } | undefined
  readonly queue: ReadonlyArray<Queued>
}

/** A call that waits. */
interface Queued extends RemoteStore.RemoteWaiter {
  readonly since: number
  readonly cost: number
  readonly askedAt: number
}

/** All that is lost when the server forgets. */
export interface State {
  /** `undefined` until the first operation. */
  readonly life: { readonly name: string; readonly restsFrom: number } | undefined
  readonly last: number
  /** What its clock was set back by so far. */
  readonly ahead: number
  readonly limits: ReadonlyMap<string, Limit>
}

/** A server that has served calls for long, none of them in the last windows. */
export const seasoned: State = {
  life: { name: "seasoned", restsFrom: Number.NEGATIVE_INFINITY },
  last: 0,
  ahead: 0,
  limits: new Map()
}

export const empty: State = { life: undefined, last: 0, ahead: 0, limits: new Map() }

type Process = RemoteStore.Process

/** Of a response that was longer under way it is not known which calls it counts. */
const longestRoundTrip = 10_000_000

const tenMinutes = 600_000_000

const sum = (places: ReadonlyArray<Place>) => places.reduce((total, { cost }) => total + cost, 0)

/** Calls count as answered at the end of their lease. */
const countingStartOf = ({ countedBy, leaseEnd }: Place, now: number) =>
  countedBy ?? (leaseEnd <= now ? leaseEnd : Number.POSITIVE_INFINITY)

const countUsed = ({ places }: Limit, span: number, instant: number, now: number) =>
  sum(places.filter((place) => instant < countingStartOf(place, now) + span))

const limitInForce = ({ limit }: RemoteStore.Place, { learnt }: Limit, now: number) =>
  learnt !== undefined && now < learnt.until ? learnt.limit : limit

/** The calls of a limit that still wait. */
const waiting = ({ queue }: Limit, now: number) => queue.filter(({ askedAt }) => now < askedAt + RemoteStore.queueLease)

/** The places that calls before another wait for. */
const waitOf = (limit: Limit, waiter: RemoteStore.RemoteWaiter | undefined, now: number) => {
  const rank = waiter?.rank ?? Number.POSITIVE_INFINITY
  const others = waiting(limit, now).filter(({ id }) => id !== waiter?.id)
  const own = waiting(limit, now).find(({ id }) => id === waiter?.id)
  const isEarlier = ({ id, since }: Queued) =>
    own === undefined || since < own.since || (since === own.since && id < own.id)
  const before = others.filter((other) => other.rank < rank || (other.rank === rank && isEarlier(other)))
  return before.reduce((total, { cost }) => total + cost, 0)
}

/** The first instant at which a place fits, from now on; infinite if that depends on another call. */
const freeAt = (place: RemoteStore.Place, limit: Limit, now: number, before = 0) => {
  const rest = limitInForce(place, limit, now) - place.cost - place.spare
  const allowed = before > 0 ? rest - before : Math.max(rest, 0)
  const ends = limit.places.map((taken) => countingStartOf(taken, now) + place.span)
  const instants = [now, ...ends].filter((instant) => instant >= now)
  const fitting = instants.filter((instant) => countUsed(limit, place.span, instant, now) <= allowed)
  return Math.max(Math.min(...fitting, Number.POSITIVE_INFINITY), limit.closedUntil)
}

const wait = (instant: number, now: number) => (Number.isFinite(instant) ? Math.max(instant - now, 0) : -1)

/** A settled place; one that was gone and can have been counted since is taken again. */
const settlePlaces = (
  places: ReadonlyArray<Place>,
  settled: Place & { readonly countedBy: number },
  isSent: boolean,
  isLate: boolean
): ReadonlyArray<Place> => {
  const { index, reservation } = settled
  const found = places.find((place) => place.reservation === reservation && place.index === index)
  const others = places.filter((place) => place !== found)
  if (found !== undefined && found.countedBy === undefined) return isSent ? [...others, settled] : others
  if (!isLate || !isSent || (found?.countedBy ?? Number.NEGATIVE_INFINITY) >= settled.countedBy) return places
  return [...others, settled]
}

/** A limit after a response that states it, unless a later call has been answered before. */
const withStated = (limit: Limit, id: string, span: number, observed: RemoteStore.Observed, now: number): Limit => {
  const { limit: named, remaining, roundTrip } = observed
  const sentAt = now - roundTrip
  if (sentAt < limit.observedAt) return limit
  if (named === undefined) return { ...limit, observedAt: sentAt }
  const isJudged = remaining !== undefined && remaining >= 0 && roundTrip <= longestRoundTrip
  const others = isJudged ? named - remaining - countUsed(limit, span, sentAt, now) : 0
  const theirs = { reservation: id, index: 0, cost: others, leaseEnd: now, countedBy: now }
  return {
    ...limit,
    observedAt: sentAt,
    learnt: { limit: named, until: Number.POSITIVE_INFINITY },
    places: others > 0 ? [...limit.places, theirs] : limit.places
  }
}

/** A limit after a refusal: closed until the reset, and lower than it was taken to be if the response does not state it. */
const withRefusal = (limit: Limit, place: RemoteStore.Place, observed: RemoteStore.Observed, now: number): Limit => {
  const { limit: named, resetAfter, roundTrip } = observed
  const { span } = place
  const sentAt = now - roundTrip
  const closed = now + (resetAfter > 0 && resetAfter <= span ? resetAfter : span)
  const isAccepted = (taken: Place) => countingStartOf(taken, now) <= now && sentAt < countingStartOf(taken, now) + span
  const accepted = sum(limit.places.filter(isAccepted))
  const guess = Math.max(1, Math.min(accepted, limitInForce(place, limit, now)))
  return {
    ...limit,
    closedUntil: Math.max(limit.closedUntil, closed),
    learnt: named === undefined ? { limit: guess, until: now + tenMinutes } : limit.learnt
  }
}

/** A server with a clock that can be set. The semantics of each operation are those of `RateLimitBackend`. */
export class LimitServer {
  #state: State
  #lives = 0
  /** The longest window of each limit so far. */
  readonly #spans = new Map<string, number>()

  constructor(
    private readonly clock: () => number,
    initial: State
  ) {
    this.#state = initial
  }

  /** Its memory. */
  get state(): State {
    return this.#state
  }

  /** Replaces its memory: by that of a replica that takes over, or by none. */
  replace(state: State): void {
    this.#state = state
  }

  reserve(
    process: Process,
    id: string,
    lease: number,
    places: ReadonlyArray<RemoteStore.Place>,
    waiter?: RemoteStore.RemoteWaiter
  ): RemoteStore.Reply {
    const now = this.#begin(process)
    const instants = places.map((place) => {
      const limit = this.#limitOf(place)
      return freeAt(place, limit, now, waitOf(limit, waiter, now))
    })
    const indexes = instants.flatMap((instant, index) => (instant > now ? [index] : []))
    if (waiter !== undefined) for (const place of places) this.#queue(waiter, place, indexes.length === 0, now)
    if (indexes.length > 0) return { _tag: "Full", indexes, retryAfter: wait(Math.max(...instants), now) }
    const leaseEnd = now + lease
    for (const [index, place] of places.entries()) this.#take(id, index, place, leaseEnd, now)
    return { _tag: "Taken", life: this.#state.life?.name ?? "", leaseEnd: String(leaseEnd) }
  }

  settle(process: Process, ended: RemoteStore.EndedReservation, ago: number): void {
    const { arrivesWithin, id, isSent, leaseEnd, life, places } = ended
    const now = this.#begin(process)
    const isEarlier = this.#state.life?.name !== life
    const isLate = isEarlier || now > Number(leaseEnd)
    for (const [index, { cost, name, span }] of places.entries()) {
      const limit = this.#limitOf({ name, span })
      const settled = { reservation: id, index, cost, leaseEnd: now, countedBy: now - ago + arrivesWithin }
      this.#set(name, { ...limit, places: settlePlaces(limit.places, settled, isSent, isLate) })
    }
  }

  observe(process: Process, id: string, place: RemoteStore.Place, observed: RemoteStore.Observed): void {
    const now = this.#begin(process)
    const stated = withStated(this.#limitOf(place), id, place.span, observed, now)
    this.#set(place.name, observed.refused ? withRefusal(stated, place, observed, now) : stated)
  }

  look(process: Process, place: RemoteStore.Place) {
    const now = this.#begin(process)
    const limit = this.#limitOf(place)
    const whole = limitInForce(place, limit, now)
    const used = countUsed(limit, place.span, now, now)
    return {
      limit: whole,
      remaining: now < limit.closedUntil ? 0 : Math.max(whole - used, 0),
      retryAfter: wait(freeAt({ ...place, cost: 1, spare: 0 }, limit, now), now)
    }
  }

  /** Whether a place of any limit is taken now. */
  isUsed(process: Process): boolean {
    const now = this.#begin(process)
    return [...this.#state.limits].some(([name, limit]) => countUsed(limit, this.#spans.get(name) ?? 0, now, now) > 0)
  }

  /** The time, which only goes forward. Begins a life if it has none. */
  #begin({ name, rest }: Process): number {
    const { ahead, last, life } = this.#state
    const raw = Math.round(this.clock())
    if (life === undefined) {
      const restsFrom = rest ? raw : Number.NEGATIVE_INFINITY
      // Two lives begin at one instant here, and never by a real clock.
      this.#state = {
        life: { name: `${name}.${raw}.${++this.#lives}`, restsFrom },
        last: raw,
        ahead: 0,
        limits: new Map()
      }
      return raw
    }
    const setBack = Math.max(last - raw - ahead, 0)
    this.#state = { ...this.#state, ahead: ahead + setBack, last: raw + ahead + setBack }
    return this.#state.last
  }

  #limitOf({ name, span }: Pick<RemoteStore.Place, "name" | "span">): Limit {
    this.#spans.set(name, Math.max(this.#spans.get(name) ?? 0, span))
    const restsFrom = this.#state.life?.restsFrom ?? Number.NEGATIVE_INFINITY
    return (
      this.#state.limits.get(name) ?? {
        places: [],
        closedUntil: restsFrom + span,
        observedAt: Number.NEGATIVE_INFINITY,
        learnt: undefined,
        queue: []
      }
    )
  }

  #set(name: string, limit: Limit): void {
    this.#state = { ...this.#state, limits: new Map([...this.#state.limits, [name, limit]]) }
  }

  #take(reservation: string, index: number, place: RemoteStore.Place, leaseEnd: number, now: number): void {
    const limit = this.#limitOf(place)
    const remembered = limit.places.filter((taken) => now < countingStartOf(taken, now) + place.span + longestRoundTrip)
    const taken: Place = { reservation, index, cost: place.cost, leaseEnd, countedBy: undefined }
    this.#set(place.name, { ...limit, places: [...remembered, taken] })
  }

  #queue(
    waiter: RemoteStore.RemoteWaiter,
    { cost, name, span }: RemoteStore.Place,
    isTaken: boolean,
    now: number
  ): void {
    const limit = this.#limitOf({ name, span })
    const own = waiting(limit, now).find(({ id }) => id === waiter.id)
    const others = waiting(limit, now).filter((call) => call !== own)
    const queued: Queued = { ...waiter, cost, since: own?.since ?? now, askedAt: now }
    this.#set(name, { ...limit, queue: isTaken ? others : [...others, queued] })
  }
}
