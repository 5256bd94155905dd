/** The claims of writes on the caps of a guard, without effects and without a clock. Instants are monotonic milliseconds. */
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import type { Amount, Kind } from "../attempt/callState.js"
import { minuteOf, sharedKey } from "../journal/guardedTotals.js"
import type { GuardedTotal } from "../journal/WriteJournal.js"
import { day, hour, isWithin, minute, type WindowSums, Windows, zero } from "./windows.js"

/** The caps of one currency or coin. */
export interface DecimalCaps {
  readonly largest?: BigDecimal.BigDecimal | undefined
  readonly perHour?: BigDecimal.BigDecimal | undefined
  readonly perDay?: BigDecimal.BigDecimal | undefined
}

/** The cap that a write would exceed. */
export interface Breach {
  readonly rule: "largest" | "perHour" | "perDay"
  readonly unit: string
  readonly index: number
  readonly amount: BigDecimal.BigDecimal
  readonly limit: BigDecimal.BigDecimal
  /** The total without this write; 0 for `largest`. */
  readonly used: BigDecimal.BigDecimal
}

/** `doubt`: it can have been executed. `none`: it was provably not executed. */
export type Execution = "executed" | "doubt" | "none"

/** The part of a claim that belongs to one call. */
interface ClaimCall {
  /** Only the value of a sum changes. */
  value: BigDecimal.BigDecimal
  execution: Execution | "running"
  /** When it begins to age; `Infinity` while its call runs, and while the age of an earlier call is unknown. */
  from: number
}

/** The claim of one write: the largest amount of its calls, since the service executes an id once. */
interface Claim {
  readonly kind: Kind
  readonly windows: Windows
  /** `undefined`: a write without an id, which has a claim for each call. */
  readonly key: string | undefined
  readonly calls: Set<ClaimCall>
  /** What it contributes to the windows. */
  counted: ReadonlyArray<{ readonly value: BigDecimal.BigDecimal; readonly from: number }>
}

/** The claims of one call. */
export interface Reservation {
  readonly parts: ReadonlyArray<{ readonly claim: Claim; readonly call: ClaimCall; readonly index: number }>
}

/** An amount that an earlier process has recorded. */
export interface EarlierAmount extends Amount {
  readonly host: string
  /** The end of the call, in milliseconds by the clock of the host. */
  readonly at: number
  readonly execution: Exclude<Execution, "none">
}

/** A call of an earlier process whose age is unknown. `at`: its end, in milliseconds by the clock of the host. */
interface Undated {
  readonly claim: Claim
  readonly call: ClaimCall
  readonly at: number
}

/** The sum of a minute of earlier processes. */
interface EarlierSum {
  readonly claim: Claim
  readonly call: ClaimCall
}

export type AllCaps = Readonly<Record<Kind, Readonly<Record<string, DecimalCaps>>>>

/** Claims are looked through for expired ones when their number has doubled. */
const expireFrom = 1_000

const sumKey = ({ at, host, kind, unit }: GuardedTotal) => `${kind} ${unit} ${minuteOf(at)} ${host}`

/** At each age, the largest amount of the calls that still count then. */
const contributionsOf = (calls: ReadonlySet<ClaimCall>): Claim["counted"] => {
  const counted: Array<Claim["counted"][number]> = []
  let largest = zero
  for (const { from, value } of [...calls].toSorted((left, right) => (left.from < right.from ? 1 : -1))) {
    if (!BigDecimal.greaterThan(value, largest)) continue
    counted.push({ value: BigDecimal.subtract(value, largest), from })
    largest = value
  }
  return counted
}

/** Replaces the contribution of a claim to the windows. */
const recount = (claim: Claim): void => {
  for (const { from, value } of claim.counted) claim.windows.add(BigDecimal.negate(value), from)
  claim.counted = contributionsOf(claim.calls)
  for (const { from, value } of claim.counted) claim.windows.add(value, from)
}

/**
 * The claims of writes. An amount counts from the check, so that concurrent writes cannot exceed a cap together, until an hour or a day after the end of the
 * last call that can have executed it.
 */
export class Ledger {
  readonly #windows = new Map<string, Windows>()
  /** The claims that later calls with the same id share. */
  readonly #claims = new Map<string, Claim>()
  /** The claims in doubt, by the id of their call. */
  readonly #doubts = new Map<string, Reservation>()
  /** The amounts of earlier processes whose age is unknown, by host. */
  readonly #undated = new Map<string, Array<Undated>>()
  /** The sums of earlier processes, by `sumKey`. */
  readonly #sums = new Map<string, EarlierSum>()
  /** The amounts in these sums whose id a later call can share, by kind and unit, and then by id. */
  readonly #earlier = new Map<string, Map<string, GuardedTotal>>()
  #expireAt = expireFrom

  constructor(private readonly caps: AllCaps) {}

  /** Reserves the amounts of a write, all or none. */
  reserve(amounts: ReadonlyArray<Amount>, now: number): Either.Either<Reservation, Breach> {
    const parts: Array<Reservation["parts"][number]> = []
    for (const amount of amounts) {
      const { claim, index } = { claim: this.#claimOf(amount), index: amount.index }
      const call: ClaimCall = { value: amount.value, execution: "running", from: Number.POSITIVE_INFINITY }
      const breach = this.#breachOf(amount, claim, call, now)
      if (breach !== undefined) {
        this.#settle({ parts }, () => "none", now)
        this.#forget(claim, now)
        return Either.left(breach)
      }
      claim.calls.add(call)
      recount(claim)
      parts.push({ claim, call, index })
    }
    return Either.right({ parts })
  }

  /**
   * Ends a reservation. A call that can still have been executed releases nothing, and no call releases what another call with its id can have executed.
   * `from`: the latest instant at which it can have been executed. `id` identifies the call if it is in doubt.
   */
  settle(
    reservation: Reservation,
    executionOf: (index: number) => Execution,
    { from, id, now }: { readonly from: number; readonly id: string | undefined; readonly now: number }
  ): void {
    this.#settle(reservation, executionOf, from)
    const isInDoubt = reservation.parts.some(({ call }) => call.execution === "doubt")
    if (id !== undefined && isInDoubt) this.#doubts.set(id, reservation)
    this.#expire(now)
  }

  /** Settles what was in doubt of a call. */
  conclude(id: string, executionOf: (index: number) => Execution): void {
    const reservation = this.#doubts.get(id)
    if (reservation === undefined) return
    const parts = reservation.parts.filter(({ call }) => call.execution === "doubt")
    this.#settle({ parts }, executionOf, undefined)
    if (parts.every(({ call }) => call.execution !== "doubt")) this.#doubts.delete(id)
  }

  /** Counts the amounts of a call of an earlier process, without end until `date` computes their age. */
  restore(amounts: ReadonlyArray<EarlierAmount>, id: string | undefined): void {
    const parts = amounts.map((amount) => {
      const { at, execution, host, index, value } = amount
      const claim = this.#claimOf(amount)
      const call: ClaimCall = { value, execution, from: Number.POSITIVE_INFINITY }
      claim.calls.add(call)
      recount(claim)
      this.#addUndated(host, { claim, call, at })
      return { claim, call, index }
    })
    if (id !== undefined && amounts.some(({ execution }) => execution === "doubt")) this.#doubts.set(id, { parts })
  }

  /**
   * Counts amounts of closed calls of earlier processes, one step for each: at the end of their minutes, and without end until `date` computes their age.
   */
  *restoreTotals(totals: Iterable<GuardedTotal>): Generator<void> {
    const sums = new Map<string, { readonly first: GuardedTotal; value: BigDecimal.BigDecimal }>()
    const repeated: Array<EarlierAmount> = []
    for (const total of totals) {
      const value = BigDecimal.unsafeFromString(total.value)
      if (!this.#addEarlierId(total)) {
        const { at, host, id, kind, unit } = total
        repeated.push({ kind, unit, index: 0, id, host, value, at, execution: "executed" })
        continue
      }
      const key = sumKey(total)
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { first: total, value })
      else sum.value = BigDecimal.sum(sum.value, value)
      yield
    }
    for (const [key, { first, value }] of sums) {
      const sum = this.#sums.get(key) ?? this.#addSum(first)
      this.#sums.set(key, sum)
      this.#change(sum, value)
      yield
    }
    for (const amount of repeated) {
      this.restore([amount], undefined)
      yield
    }
  }

  /** Whether the age of amounts of a host is unknown. */
  isUndated(host: string): boolean {
    return this.#undated.has(host)
  }

  /** Whether some of them count no more if a clock is right, of which there is no proof. */
  canAge(host: string, wallClock: number): boolean {
    return this.#undated.get(host)?.some(({ at }) => at <= wallClock - hour) === true
  }

  /** Computes the age of the amounts of earlier processes, once the time at their host is known. */
  date(host: string, hostNow: number, now: number): void {
    const undated = this.#undated.get(host)
    if (undated === undefined) return
    this.#undated.delete(host)
    for (const { at, call, claim } of undated) {
      call.from = at - hostNow + now
      recount(claim)
      this.#forget(claim, now)
    }
  }

  /** The total of a currency or coin. */
  used(kind: Kind, unit: string, now: number): WindowSums {
    return this.#windows.get(`${kind} ${unit}`)?.used(now) ?? { hour: zero, day: zero }
  }

  #settle({ parts }: Reservation, executionOf: (index: number) => Execution, from: number | undefined): void {
    for (const { call, claim, index } of parts) {
      call.execution = executionOf(index)
      call.from = from ?? call.from
      if (call.execution === "none") claim.calls.delete(call)
    }
    for (const claim of new Set(parts.map(({ claim }) => claim))) {
      recount(claim)
      this.#forget(claim, Number.NEGATIVE_INFINITY)
    }
  }

  /** Forgets the id of a claim that no later call can share. Its sums remain. */
  #forget(claim: Claim, now: number): void {
    const { calls, key, kind } = claim
    if (key === undefined || this.#claims.get(key) !== claim) return
    const isOver = [...calls].every(({ from }) => from <= now - day)
    // The service executes the id of an order once: after that a call with the id is another order, or is refused.
    const isClosed =
      kind === "orders" &&
      [...calls].every(({ execution, from }) => execution !== "running" && from !== Number.POSITIVE_INFINITY) &&
      [...calls].some(({ execution }) => execution === "executed")
    if (isOver || isClosed) this.#claims.delete(key)
  }

  #expire(now: number): void {
    if (this.#claims.size + this.#doubts.size < this.#expireAt) return
    for (const claim of this.#claims.values()) this.#forget(claim, now)
    for (const [id, { parts }] of this.#doubts) {
      if (parts.every(({ call }) => call.from <= now - day)) this.#doubts.delete(id)
    }
    this.#expireEarlier(now)
    this.#expireAt = Math.max(expireFrom, 2 * (this.#claims.size + this.#doubts.size))
  }

  #expireEarlier(now: number): void {
    const isOver = (sum: EarlierSum | undefined) => sum === undefined || sum.call.from <= now - day - minute
    for (const ids of this.#earlier.values()) {
      for (const [id, total] of ids) if (isOver(this.#sums.get(sumKey(total)))) ids.delete(id)
    }
    for (const [key, sum] of this.#sums) if (isOver(sum)) this.#sums.delete(key)
  }

  /** Notes the id of an amount, if no call has it yet. */
  #addEarlierId(total: GuardedTotal): boolean {
    const { id, kind, unit } = total
    if (id === undefined) return true
    const group = `${kind} ${unit}`
    const ids = this.#earlier.get(group) ?? new Map<string, GuardedTotal>()
    // Most journals are read before there is a claim, and the key of each id takes as long as the rest.
    if (ids.has(id) || (this.#claims.size > 0 && this.#claims.has(sharedKey(total) ?? ""))) return false
    this.#earlier.set(group, ids.set(id, total))
    return true
  }

  #addSum({ at, host, kind, unit }: GuardedTotal): EarlierSum {
    const call: ClaimCall = { value: zero, execution: "executed", from: Number.POSITIVE_INFINITY }
    const windows = this.#windowsOf(kind, unit)
    const claim: Claim = { kind, windows, key: undefined, calls: new Set([call]), counted: [] }
    this.#addUndated(host, { claim, call, at: minuteOf(at) })
    return { claim, call }
  }

  /** Adds to a sum, or takes from it. */
  #change({ call, claim }: EarlierSum, value: BigDecimal.BigDecimal): void {
    call.value = BigDecimal.sum(call.value, value)
    recount(claim)
  }

  #addUndated(host: string, undated: Undated): void {
    const all = this.#undated.get(host)
    if (all === undefined) this.#undated.set(host, [undated])
    else all.push(undated)
  }

  /** Takes the amount of an id out of its sum, so that a later call shares it. */
  #separate(kind: Kind, unit: string, id: string, claim: Claim): void {
    const ids = this.#earlier.get(`${kind} ${unit}`)
    const total = ids?.get(id)
    const sum = total === undefined ? undefined : this.#sums.get(sumKey(total))
    if (ids === undefined || total === undefined || sum === undefined) return
    ids.delete(id)
    const value = BigDecimal.unsafeFromString(total.value)
    this.#change(sum, BigDecimal.negate(value))
    const { from } = sum.call
    const call: ClaimCall = { value, execution: "executed", from }
    claim.calls.add(call)
    recount(claim)
    if (from === Number.POSITIVE_INFINITY) this.#addUndated(total.host, { claim, call, at: minuteOf(total.at) })
  }

  #windowsOf(kind: Kind, unit: string): Windows {
    const name = `${kind} ${unit}`
    const windows = this.#windows.get(name) ?? new Windows()
    this.#windows.set(name, windows)
    return windows
  }

  /** The claim of an amount. A new claim of an id is shared from now on. */
  #claimOf(amount: Amount): Claim {
    const { id, kind, unit } = amount
    const key = sharedKey(amount)
    const shared = key === undefined ? undefined : this.#claims.get(key)
    if (shared !== undefined) return shared
    const claim: Claim = { kind, windows: this.#windowsOf(kind, unit), key, calls: new Set(), counted: [] }
    if (key !== undefined) this.#claims.set(key, claim)
    if (id !== undefined) this.#separate(kind, unit, id, claim)
    return claim
  }

  /** The cap that a claim would exceed with one more call. */
  #breachOf(
    { index, kind, unit, value }: Amount,
    { calls, counted, windows }: Claim,
    call: ClaimCall,
    now: number
  ): Breach | undefined {
    const { largest, perDay, perHour } = this.caps[kind][unit] ?? {}
    for (const { from, value } of counted) windows.add(BigDecimal.negate(value), from)
    const without = windows.used(now)
    for (const { from, value } of counted) windows.add(value, from)
    const claims = contributionsOf(new Set([...calls, call]))
    const within = (span: number) =>
      claims.reduce((sum, { from, value }) => (isWithin(from, span, now) ? BigDecimal.sum(sum, value) : sum), zero)
    const breach = (
      rule: Breach["rule"],
      limit: BigDecimal.BigDecimal | undefined,
      used: BigDecimal.BigDecimal,
      amount: BigDecimal.BigDecimal
    ) =>
      limit !== undefined && BigDecimal.greaterThan(BigDecimal.sum(used, amount), limit)
        ? { rule, unit, index, amount, limit, used }
        : undefined
    return (
      breach("largest", largest, zero, value) ??
      breach("perHour", perHour, without.hour, within(hour)) ??
      breach("perDay", perDay, without.day, within(day))
    )
  }
}
