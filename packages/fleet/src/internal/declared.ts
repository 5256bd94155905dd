import * as ProcessIdentity from "@effect-venue/history/ProcessIdentity"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Assignment from "../Assignment.js"
import { entriesOf, type FleetAccount } from "../FleetAccount.js"
import { Ledger, type LedgerFailed } from "../Ledger.js"

/** The ledger's file may be in use by a process that was replaced, for a moment. */
export const retries = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(20))

/** Writes accounts, with their addresses, into the ledger. */
const register = (
  accounts: ReadonlyArray<FleetAccount>,
  egresses: ReadonlyArray<string>,
  rebalance: boolean
): Effect.Effect<void, Assignment.UnknownEgress | LedgerFailed, Ledger> =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const lost = accounts.find(({ egress }) => egress !== "any" && !egresses.includes(egress))
    // Left out of the ledger it would not be exported, and no number would show that.
    if (lost !== undefined) return yield* new Assignment.UnknownEgress({ account: lost.name, egress: lost.egress })
    const current = rebalance ? new Map<string, string>() : yield* ledger.assignments
    const subjects = accounts.map(({ egress, masterUid, name }) => ({ account: name, masterUid, egress }))
    const assigned = Assignment.assign(subjects, egresses, current)
    yield* ledger.register(entriesOf(accounts, assigned, yield* Clock.currentTimeMillis))
  }).pipe(Effect.retry({ while: (error) => error._tag === "LedgerFailed", schedule: retries }))

/** How this process is called in the ledger. */
export const self = Effect.gen(function* () {
  const processes = yield* ProcessIdentity.Processes
  const { machine, pid } = yield* processes.self
  return `${machine} ${pid}`.trim()
})

/** The accounts of a fleet, as they were declared last. */
export interface Declared {
  readonly declare: (
    accounts: ReadonlyArray<FleetAccount>,
    rebalance: boolean
  ) => Effect.Effect<void, Assignment.UnknownEgress | LedgerFailed>
  readonly find: (account: string) => Effect.Effect<Option.Option<FleetAccount>>
}

export const make = (egresses: ReadonlyArray<string>): Effect.Effect<Declared, never, Ledger> =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const declared = yield* Ref.make<ReadonlyMap<string, FleetAccount>>(new Map())
    return {
      declare: (accounts, rebalance) =>
        Effect.gen(function* () {
          const next = new Map(accounts.map((account) => [account.name, account]))
          // Both, while the ledger has one or the other: an owner finds what it claims.
          yield* Ref.update(declared, (before) => new Map([...before, ...next]))
          yield* register(accounts, egresses, rebalance)
          yield* Ref.set(declared, next)
        }).pipe(Effect.provideService(Ledger, ledger)),
      find: (name) => Effect.map(Ref.get(declared), (all) => Option.fromNullable(all.get(name)))
    }
  })
