/** The tables of a ledger, and its statements: each is one step, as a statement of the ledger in a database is. */
import type * as Ledger from "@effect-venue/fleet/Ledger"
import * as Option from "effect/Option"

interface LedgerRow {
  readonly account: string
  readonly part: string
  masterUid: string
  egress: string
  state: Ledger.State
  isPaused: boolean
  isOnce: boolean
  from: number
  to: number | undefined
  every: number
  dueAt: number
  completeAt: number
  startBy: number
  pages: number
  millisPerPage: number
  run: number
  /** Of the owner that claimed it last. */
  epoch: number
  attempts: number
  lastFailure: string | undefined
  doneAt: number | undefined
  coverage: Ledger.Coverage | undefined
}

interface Owner {
  readonly name: string
  epoch: number
  seenAt: number | undefined
  callsPerSecond: number
  /** What the owner of an epoch had used of the rate limits at its end. */
  left: { readonly epoch: number; readonly usage: ReadonlyMap<string, number> } | undefined
}

const keyOf = ({ account, part }: Ledger.Key) => `${account} ${part}`

const byKey = (one: Ledger.Key, other: Ledger.Key) => (keyOf(one) < keyOf(other) ? -1 : 1)

const rowOf = (entry: Ledger.Entry): LedgerRow => ({
  account: entry.account,
  part: entry.part,
  masterUid: entry.masterUid,
  egress: entry.egress,
  state: "waiting",
  isPaused: entry.isPaused,
  isOnce: entry.isOnce,
  from: entry.from,
  to: Option.getOrUndefined(entry.to),
  every: entry.every,
  dueAt: entry.dueAt,
  completeAt: entry.dueAt,
  startBy: entry.dueAt - entry.pages * entry.millisPerPage,
  pages: entry.pages,
  millisPerPage: entry.millisPerPage,
  run: 0,
  epoch: 0,
  attempts: 0,
  lastFailure: undefined,
  doneAt: undefined,
  coverage: undefined
})

/**
 * An export that is registered again keeps its results; one that is moved, paused or has another range loses its run, and a stopped one is due
 * again. With another range it is due at once.
 */
const registerAgain = (row: LedgerRow, entry: Ledger.Entry) => {
  const { egress, every, isOnce, isPaused, masterUid, millisPerPage } = entry
  const to = Option.getOrUndefined(entry.to)
  const hasOtherRange = row.from !== entry.from || row.to !== to
  if (row.state === "running" && (row.egress !== egress || isPaused || hasOtherRange)) row.state = "waiting"
  if (row.state === "stopped" || (row.state === "finished" && (!isOnce || hasOtherRange))) row.state = "waiting"
  if (hasOtherRange) row.dueAt = entry.dueAt
  else if (row.every !== every && row.attempts === 0 && row.doneAt !== undefined) row.dueAt = row.doneAt + every
  Object.assign(row, { egress, isPaused, isOnce, masterUid, millisPerPage, every, from: entry.from, to })
  row.startBy = row.dueAt - row.pages * row.millisPerPage
}

const exportOf = (row: LedgerRow): Ledger.Export => ({
  account: row.account,
  part: row.part,
  masterUid: row.masterUid,
  egress: row.egress,
  state: row.state,
  isPaused: row.isPaused,
  dueAt: row.dueAt,
  attempts: row.attempts,
  lastFailure: Option.fromNullable(row.lastFailure),
  doneAt: Option.fromNullable(row.doneAt),
  coverage: Option.fromNullable(row.coverage)
})

const isDue = ({ dueAt, isPaused, state }: LedgerRow, now: number) => state === "waiting" && !isPaused && dueAt <= now

const summaryOf = (
  egress: string,
  rows: ReadonlyArray<LedgerRow>,
  owner: Owner | undefined,
  now: number
): Ledger.Summary => {
  const count = (holds: (row: LedgerRow) => boolean) => rows.filter(holds).length
  return {
    egress,
    accounts: new Set(rows.map(({ account }) => account)).size,
    exports: rows.length,
    done: count(
      ({ attempts, dueAt, state }) => state === "finished" || (state === "waiting" && attempts === 0 && dueAt > now)
    ),
    due: count((row) => isDue(row, now)),
    running: count(({ state }) => state === "running"),
    failing: count(({ attempts, state }) => state === "waiting" && attempts > 0),
    stopped: count(({ state }) => state === "stopped"),
    stoppedAccounts: new Set(rows.filter(({ state }) => state === "stopped").map(({ account }) => account)).size,
    incomplete: count(({ coverage }) => coverage?.verdict === "incomplete"),
    lost: count(({ coverage }) => coverage?.verdict === "lost"),
    paused: count(({ isPaused }) => isPaused),
    pages: rows
      .filter((row) => row.state === "running" || isDue(row, now))
      .reduce((pages, row) => pages + row.pages, 0),
    epoch: owner?.epoch ?? 0,
    owner: Option.fromNullable(owner?.name),
    seenAt: Option.fromNullable(owner?.seenAt),
    callsPerSecond: owner?.callsPerSecond ?? 0
  }
}

/** Statements that the world takes note of, in the step in which they are done. */
export interface Observer {
  readonly owned: (ownership: Ledger.Ownership) => void
  readonly changed: (event: "done" | "failed" | "released", claim: Ledger.Claim) => void
}

const unobserved: Observer = { owned: () => undefined, changed: () => undefined }

/** The tables. Each method is one statement, and one step. */
export class LedgerTables {
  constructor(private readonly observer: Observer = unobserved) {}

  readonly #exports = new Map<string, LedgerRow>()
  readonly #owners = new Map<string, Owner>()
  readonly #removals = new Map<string, Omit<Ledger.Removal, "exports">>()

  register(entries: ReadonlyArray<Ledger.Entry>, { by, now }: Ledger.Registrar): ReadonlyArray<Ledger.Key> {
    const before = new Map(this.#exports)
    this.#exports.clear()
    for (const entry of entries) {
      const row = before.get(keyOf(entry))
      if (row !== undefined) registerAgain(row, entry)
      this.#exports.set(keyOf(entry), row ?? rowOf(entry))
      this.#removals.delete(keyOf(entry))
    }
    const removed = [...before].flatMap(([key, { account, part }]) =>
      this.#exports.has(key) ? [] : [{ account, part }]
    )
    for (const key of removed) this.#removals.set(keyOf(key), { account: key.account, at: now, by })
    return removed
  }

  removals(limit: number): ReadonlyArray<Ledger.Removal> {
    const groups = new Map<string, Ledger.Removal>()
    for (const { account, at, by } of this.#removals.values()) {
      const key = `${account} ${by}`
      const before = groups.get(key) ?? { account, by, at, exports: 0 }
      groups.set(key, { ...before, at: Math.max(before.at, at), exports: before.exports + 1 })
    }
    return [...groups.values()]
      .sort((one, other) => other.at - one.at || (one.account < other.account ? -1 : 1))
      .slice(0, limit)
  }

  assignments(): ReadonlyMap<string, string> {
    return new Map(this.#all().map(({ account, egress }) => [account, egress]))
  }

  setPaused(account: string, isPaused: boolean): boolean {
    const rows = this.#all().filter((row) => row.account === account)
    for (const row of rows) {
      row.isPaused = isPaused
      if (row.state === (isPaused ? "running" : "stopped")) row.state = "waiting"
    }
    return rows.length > 0
  }

  isOwner({ egress, epoch }: Ledger.Ownership): boolean {
    return (this.#owners.get(egress)?.epoch ?? 0) === epoch
  }

  own(egress: string, name: string): Ledger.Ownership {
    const before = this.#owners.get(egress)
    const epoch = (before?.epoch ?? 0) + 1
    this.#owners.set(egress, {
      name,
      seenAt: before?.seenAt,
      callsPerSecond: before?.callsPerSecond ?? 0,
      left: before?.left,
      epoch
    })
    for (const row of this.#exports.values()) {
      if (row.egress === egress && row.state === "running") row.state = "waiting"
    }
    this.observer.owned({ egress, epoch })
    return { egress, epoch }
  }

  leave(ownership: Ledger.Ownership, usage: ReadonlyMap<string, number>): void {
    const owner = this.#owners.get(ownership.egress)
    if (owner !== undefined && this.isOwner(ownership)) owner.left = { epoch: ownership.epoch, usage }
  }

  leftUsage(ownership: Ledger.Ownership): ReadonlyMap<string, number> | undefined {
    const left = this.#owners.get(ownership.egress)?.left
    return this.isOwner(ownership) && left?.epoch === ownership.epoch - 1 ? left.usage : undefined
  }

  report(ownership: Ledger.Ownership, { callsPerSecond, now }: Ledger.Report): boolean {
    const owner = this.#owners.get(ownership.egress)
    if (owner === undefined || !this.isOwner(ownership)) return false
    owner.seenAt = now
    owner.callsPerSecond = callsPerSecond
    return true
  }

  nextOf({ egress }: Ledger.Ownership, now: number, busy: ReadonlyArray<string>): Ledger.Key | undefined {
    return this.#waiting(egress, busy)
      .filter(({ dueAt }) => dueAt <= now)
      .sort((one, other) => one.startBy - other.startBy)
      .at(0)
  }

  claim(ownership: Ledger.Ownership, key: Ledger.Key): Ledger.Claim | undefined {
    const row = this.#exports.get(keyOf(key))
    const isFree = row?.egress === ownership.egress && row.state === "waiting" && !row.isPaused
    if (!isFree || !this.isOwner(ownership)) return undefined
    row.state = "running"
    row.run++
    row.epoch = ownership.epoch
    const { account, attempts, dueAt, isOnce, part, run } = row
    return { account, part, ownership, run, attempts, dueAt, isOnce }
  }

  reclaim(ownership: Ledger.Ownership, busy: ReadonlyArray<string>): number {
    const lost = this.#all().filter(
      ({ account, egress, epoch, state }) =>
        egress === ownership.egress && epoch === ownership.epoch && state === "running" && !busy.includes(account)
    )
    if (!this.isOwner(ownership)) return 0
    for (const row of lost) row.state = "waiting"
    return lost.length
  }

  nextDue(egress: string, busy: ReadonlyArray<string>, retriesBelow: number | undefined): number | undefined {
    const times = this.#waiting(egress, busy)
      .filter(({ attempts }) => retriesBelow === undefined || (attempts > 0 && attempts < retriesBelow))
      .map(({ dueAt }) => dueAt)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  holds(claim: Ledger.Claim): boolean {
    return this.#claimed(claim) !== undefined
  }

  done(claim: Ledger.Claim, { coverage, now, pages, startedAt }: Ledger.Done): boolean {
    const isDone = this.#change(claim, ({ completeAt, every, from, isOnce, millisPerPage, to }) => ({
      state: isOnce && coverage.from <= from && (to === undefined || coverage.to >= to) ? "finished" : "waiting",
      dueAt: startedAt + every,
      startBy: startedAt + every - pages * millisPerPage,
      pages,
      attempts: 0,
      lastFailure: undefined,
      doneAt: now,
      completeAt: coverage.verdict === "incomplete" ? completeAt : startedAt,
      coverage
    }))
    if (isDone) this.observer.changed("done", claim)
    return isDone
  }

  failed(claim: Ledger.Claim, { failure, retryAt }: Ledger.Failed): boolean {
    this.observer.changed("failed", claim)
    return this.#change(claim, ({ attempts }) => ({
      state: "waiting",
      dueAt: retryAt,
      startBy: retryAt,
      attempts: attempts + 1,
      lastFailure: failure
    }))
  }

  stop(claim: Ledger.Claim, { failure, scope }: Ledger.Stopped): boolean {
    const { account, ownership } = claim
    const isStopped = this.#change(claim, ({ attempts }) => ({
      state: "stopped",
      attempts: attempts + 1,
      lastFailure: failure
    }))
    if (!isStopped) return false
    for (const row of this.#exports.values()) {
      const isOther = row.account === account && row.state === "waiting" && row.egress === ownership.egress
      if (scope === "account" && isOther) Object.assign(row, { state: "stopped", lastFailure: failure })
    }
    return true
  }

  release(claim: Ledger.Claim): boolean {
    this.observer.changed("released", claim)
    return this.#change(claim, () => ({ state: "waiting" }))
  }

  exports(): ReadonlyArray<Ledger.Export> {
    return this.#all().map(exportOf)
  }

  /** The exports that a run of an owner has claimed and not ended. */
  running() {
    return this.#all().flatMap(({ account, egress, epoch, part, state }) =>
      state === "running" ? [{ account, part, egress, epoch }] : []
    )
  }

  ages(limit: number): ReadonlyArray<Ledger.Age> {
    return this.#all()
      .filter(({ isPaused, state }) => state !== "finished" && !isPaused)
      .sort((one, other) => one.completeAt + one.every - other.completeAt - other.every)
      .slice(0, limit)
      .map(({ account, completeAt, every, part }) => ({ account, part, completeAt, every }))
  }

  troubled(limit: number): ReadonlyArray<Ledger.Export> {
    return this.#all()
      .filter(
        ({ coverage, lastFailure }) =>
          lastFailure !== undefined || (coverage !== undefined && coverage.verdict !== "complete")
      )
      .slice(0, limit)
      .map(exportOf)
  }

  summary(now: number): ReadonlyArray<Ledger.Summary> {
    const rows = this.#all()
    return [...new Set(rows.map(({ egress }) => egress))].sort().map((egress) => {
      const own = rows.filter((row) => row.egress === egress)
      return summaryOf(egress, own, this.#owners.get(egress), now)
    })
  }

  #all(): ReadonlyArray<LedgerRow> {
    return [...this.#exports.values()].sort(byKey)
  }

  /** The row of a claim that holds. */
  #claimed(claim: Ledger.Claim): LedgerRow | undefined {
    const row = this.#exports.get(keyOf(claim))
    const holds = row?.run === claim.run && row.state === "running" && row.egress === claim.ownership.egress
    return holds && this.isOwner(claim.ownership) ? row : undefined
  }

  /** Changes the row of a claim. Returns whether the claim holds. */
  #change(claim: Ledger.Claim, changes: (row: LedgerRow) => Partial<LedgerRow>): boolean {
    const row = this.#claimed(claim)
    if (row === undefined) return false
    Object.assign(row, changes(row))
    return true
  }

  #waiting(egress: string, busy: ReadonlyArray<string>): Array<LedgerRow> {
    return this.#all().filter(
      (row) => row.egress === egress && row.state === "waiting" && !row.isPaused && !busy.includes(row.account)
    )
  }
}
