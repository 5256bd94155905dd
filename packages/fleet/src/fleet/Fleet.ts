/**
 * A fleet in one process: it owns every egress address, and exports the accounts of each.
 *
 * A second process on the same ledger takes the addresses over: the first one ends with `NotOwner`, and writes nothing more.
 */
import type * as Egress from "@effect-venue/transport/Egress"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { CredentialSource } from "../accounts/CredentialSource.js"
import type { FleetAccount, Refusal } from "../accounts/Accounts.js"
import * as Declared from "../accounts/declared.js"
import * as LedgerGauges from "../owner/gauges.js"
import { Ledger, type LedgerFailed, type NotOwner } from "../ledger/Ledger.js"
import * as Owner from "../owner/Owner.js"
import * as Status from "../owner/Status.js"

export {
  /** The sink of an export, by its account, its part such as `executions-linear`, and a fence, which fails if the export has a later owner. */
  type SinkOf
} from "../owner/Owner.js"

export {
  /** An address and its numbers. */
  type Address,
  /** The numbers of a fleet, and those of each address. */
  type Status
} from "../owner/Status.js"

export class Fleet extends Context.Tag("@effect-venue/fleet/Fleet")<Fleet, Fleet.Shape>() {}

export declare namespace Fleet {
  export interface Shape {
    /**
     * Replaces the accounts: new ones are exported, absent ones are removed; the log names these, and `Ledger.removals` returns them. Their
     * exports stay. Stopped exports are tried again.
     */
    readonly declare: (accounts: ReadonlyArray<FleetAccount>) => Effect.Effect<void, Refusal | LedgerFailed>
    /** Pauses an account, or resumes it. Returns whether the account exists. */
    readonly setPaused: (account: string, isPaused: boolean) => Effect.Effect<boolean, LedgerFailed>
    readonly status: Effect.Effect<Status.Status, LedgerFailed>
    /** Ends when no export is due, if the fleet runs `untilIdle`. Fails when another process has taken an address. */
    readonly ended: Effect.Effect<void, NotOwner>
  }
}

export interface Options<R, SinkR> {
  readonly accounts: ReadonlyArray<FleetAccount>
  /** All addresses of this fleet. No other process must send from them. */
  readonly egresses: readonly [Egress.Egress<never, R>, ...ReadonlyArray<Egress.Egress<never, R>>]
  /** The sink of an export, which no other export uses. */
  readonly sink: Owner.SinkOf<SinkR>
  /** How many accounts are exported side by side from each address. Defaults to 9. */
  readonly accountsAtOnce?: number | undefined
  /** How often an idle address looks for exports that were added or resumed. Defaults to 5 seconds. */
  readonly pollEvery?: Duration.DurationInput | undefined
  /** Ends when no export is due. Defaults to false. */
  readonly untilIdle?: boolean | undefined
  /** Spreads the accounts over the addresses anew, such as after one was added. Defaults to false: an account keeps its address. */
  readonly rebalance?: boolean | undefined
}

const make = <R, SinkR>(
  options: Options<R, SinkR>
): Effect.Effect<Fleet.Shape, Refusal | LedgerFailed, R | SinkR | Ledger | CredentialSource | Scope.Scope> =>
  Effect.gen(function* () {
    const { egresses, sink } = options
    const ledger = yield* Ledger
    const names = egresses.map(({ name }) => name)
    const { declare, find } = yield* Declared.make(names)
    yield* declare(options.accounts, options.rebalance === true)
    const owner = yield* Declared.self
    yield* LedgerGauges.register(ledger)

    const owners = yield* Effect.forEach(egresses, (egress) =>
      Effect.flatMap(Effect.retry(ledger.own(egress.name, owner), Declared.retries), (ownership) =>
        Effect.forkScoped(
          Owner.run({
            egress,
            ownership,
            find,
            sink,
            accountsAtOnce: options.accountsAtOnce,
            pollEvery: options.pollEvery,
            untilIdle: options.untilIdle
          }).pipe(Effect.annotateLogs("egress", egress.name))
        )
      )
    )

    return {
      declare: (accounts) => declare(accounts, false),
      setPaused: ledger.setPaused,
      status: Status.current(ledger),
      ended: Effect.all(owners.map(Fiber.join), { concurrency: "unbounded", discard: true })
    }
  })

/** A fleet whose addresses are all owned by this process, such as over the ledger of `FileLedger.layer`. */
export const layerLocal = <R, SinkR>(
  options: Options<R, SinkR>
): Layer.Layer<Fleet, Refusal | LedgerFailed, R | SinkR | Ledger | CredentialSource> =>
  Layer.scoped(Fleet, make(options))
