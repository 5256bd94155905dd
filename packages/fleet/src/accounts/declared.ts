import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as AccountsFile from "./AccountsFile.js"
import * as Assignment from "./assignment.js"
import { CredentialSource } from "./CredentialSource.js"
import { DuplicateAccount, type FleetAccount, type Refusal, UnknownEgress } from "./Accounts.js"
import { entriesOf } from "./accountExports.js"
import { type Key, Ledger, type LedgerFailed } from "../ledger/Ledger.js"

/** The ledger's file can be in use by a replaced process for a moment. */
export const retries = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(20))

/** The name of this machine or container. */
const hostname = Effect.flatMap(Effect.serviceOption(FileSystem.FileSystem), (fs) =>
  Option.isNone(fs)
    ? Effect.succeedNone
    : Effect.option(Effect.map(fs.value.readFileString("/proc/sys/kernel/hostname"), (name) => name.trim()))
)

/** How this process is called in the ledger: by its machine and its number. */
export const self = Effect.gen(function* () {
  const processes = yield* ProcessIdentity.Processes
  const { machine, pid } = yield* processes.self
  return `${Option.getOrElse(yield* hostname, () => machine)} ${pid}`.trim()
})

const check = (
  accounts: ReadonlyArray<FleetAccount>,
  egresses: ReadonlyArray<string>
): Effect.Effect<void, Refusal, CredentialSource> =>
  Effect.gen(function* () {
    const lost = accounts.find(({ egress }) => egress !== "any" && !egresses.includes(egress))
    // Left out of the ledger it would not be exported, and no number would show that.
    if (lost !== undefined) return yield* new UnknownEgress({ account: lost.name, egress: lost.egress })
    const named = AccountsFile.alike(accounts.map(({ name }) => name))
    if (named !== undefined) return yield* new DuplicateAccount({ accounts: named, reason: "Name" })
    const { getAll } = yield* CredentialSource
    const keyed = AccountsFile.sharingKey(yield* getAll(accounts))
    if (keyed !== undefined) return yield* new DuplicateAccount({ accounts: keyed, reason: "Key" })
  })

/** Names the removed accounts, and the removed exports of remaining accounts. */
const logRemoved = (removed: ReadonlyArray<Key>, accounts: ReadonlyArray<FleetAccount>) => {
  if (removed.length === 0) return Effect.void
  const remaining = new Set(accounts.map(({ name }) => name))
  const names = removed.map(({ account, part }) => (remaining.has(account) ? `${part} of ${account}` : account))
  return Effect.logWarning(
    `removed from the ledger, because the declared accounts do not have them: ${[...new Set(names)].join(", ")}. What they have exported stays.`
  )
}

/** Writes accounts, with their addresses, into the ledger. */
const register = (
  accounts: ReadonlyArray<FleetAccount>,
  egresses: ReadonlyArray<string>,
  rebalance: boolean
): Effect.Effect<void, LedgerFailed, Ledger> =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const current = rebalance ? new Map<string, string>() : yield* ledger.assignments
    const subjects = accounts.map(({ egress, masterUid, name }) => ({ account: name, masterUid, egress }))
    const assigned = Assignment.assign(subjects, egresses, current)
    const now = yield* Clock.currentTimeMillis
    const removed = yield* ledger.register(entriesOf(accounts, assigned, now), { now, by: yield* self })
    yield* logRemoved(removed, accounts)
  }).pipe(Effect.retry(retries))

/** The accounts of a fleet, as they were declared last. */
export interface Declared {
  readonly declare: (
    accounts: ReadonlyArray<FleetAccount>,
    rebalance: boolean
  ) => Effect.Effect<void, Refusal | LedgerFailed>
  readonly find: (account: string) => Effect.Effect<Option.Option<FleetAccount>>
}

export const make = (egresses: ReadonlyArray<string>): Effect.Effect<Declared, never, Ledger | CredentialSource> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Ledger | CredentialSource>()
    const declared = yield* Ref.make<ReadonlyMap<string, FleetAccount>>(new Map())
    return {
      declare: (accounts, rebalance) =>
        Effect.gen(function* () {
          yield* check(accounts, egresses)
          const next = new Map(accounts.map((account) => [account.name, account]))
          // Both declarations, while the ledger can have either: an owner finds every export that it claims.
          yield* Ref.update(declared, (before) => new Map([...before, ...next]))
          yield* register(accounts, egresses, rebalance)
          yield* Ref.set(declared, next)
        }).pipe(Effect.provide(context)),
      find: (name) => Effect.map(Ref.get(declared), (all) => Option.fromNullable(all.get(name)))
    }
  })
