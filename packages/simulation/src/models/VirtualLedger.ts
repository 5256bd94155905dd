/** A ledger over tables that are some way off, statement by statement as `SqlLedger`. */
import { ClaimLost, type Claim, Ledger, LedgerFailed, NotOwner, type Ownership } from "@effect-venue/fleet/Ledger"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as LedgerTables from "./LedgerTables.js"

/** How a statement reaches the tables. */
export type LedgerAsk = <A>(operation: string, act: () => A) => Effect.Effect<A, { readonly reason: string }>

const timeout = "10 seconds"

/** The statements that end with the loss of a claim or of an address. */
const statements = (tables: LedgerTables.LedgerTables, ask: LedgerAsk) => {
  const inTime = <A>(operation: string, act: () => A): Effect.Effect<A, LedgerFailed> =>
    Effect.timeoutFail(
      Effect.mapError(ask(operation, act), ({ reason }) => new LedgerFailed({ detail: reason })),
      { duration: timeout, onTimeout: () => new LedgerFailed({ detail: `no answer within ${timeout}` }) }
    )

  const check = (ownership: Ownership): Effect.Effect<void, NotOwner | LedgerFailed> =>
    Effect.flatMap(
      inTime("check", () => tables.isOwner(ownership)),
      (isOwner) => (isOwner ? Effect.void : Effect.fail(new NotOwner({ ...ownership, detail: "it has another owner" })))
    )

  /** A change of the row of a claim, or the reason why it changed none. */
  const ofClaim = (operation: string, claim: Claim, act: () => boolean) =>
    Effect.flatMap(inTime(operation, act), (isChanged) =>
      isChanged
        ? Effect.void
        : Effect.zipRight(
            check(claim.ownership),
            Effect.fail(new ClaimLost({ account: claim.account, part: claim.part }))
          )
    )

  const claim: Ledger.Shape["claim"] = (ownership, options) =>
    Effect.flatMap(
      inTime("next", () => tables.nextOf(ownership, options.now, options.busy)),
      (next) =>
        next === undefined
          ? Effect.as(check(ownership), Option.none<Claim>())
          : Effect.flatMap(
              inTime("claim", () => tables.claim(ownership, next)),
              (claimed) =>
                claimed === undefined
                  ? Effect.zipRight(check(ownership), claim(ownership, options))
                  : Effect.succeed(Option.some(claimed))
            )
    )
  return { inTime, check, ofClaim, claim }
}

export const make = (tables: LedgerTables.LedgerTables, ask: LedgerAsk): Ledger.Shape => {
  const { check, claim, inTime, ofClaim } = statements(tables, ask)
  return Ledger.of({
    register: (entries, registrar) => inTime("register", () => tables.register(entries, registrar)),
    removals: (limit) => inTime("removals", () => tables.removals(limit)),
    assignments: inTime("assignments", () => tables.assignments()),
    setPaused: (account, isPaused) => inTime("setPaused", () => tables.setPaused(account, isPaused)),
    own: (egress, owner) => inTime("own", () => tables.own(egress, owner)),
    check,
    leave: (ownership, usage) => inTime("leave", () => tables.leave(ownership, usage)),
    leftUsage: (ownership) =>
      Effect.map(
        inTime("leftUsage", () => tables.leftUsage(ownership)),
        Option.fromNullable
      ),
    report: (ownership, report) =>
      Effect.flatMap(
        inTime("report", () => tables.report(ownership, report)),
        (isOwner) => (isOwner ? Effect.void : check(ownership))
      ),
    claim,
    reclaim: (ownership, { busy }) => inTime("reclaim", () => tables.reclaim(ownership, busy)),
    nextDue: ({ egress }, { busy, retriesBelow }) =>
      Effect.map(
        inTime("nextDue", () => tables.nextDue(egress, busy, retriesBelow)),
        Option.fromNullable
      ),
    holds: (claim) => ofClaim("holds", claim, () => tables.holds(claim)),
    done: (claim, done) => ofClaim("done", claim, () => tables.done(claim, done)),
    failed: (claim, failed) => ofClaim("failed", claim, () => tables.failed(claim, failed)),
    stop: (claim, stopped) => ofClaim("stop", claim, () => tables.stop(claim, stopped)),
    release: (claim) => ofClaim("release", claim, () => tables.release(claim)),
    exports: inTime("exports", () => tables.exports()),
    summary: (now) => inTime("summary", () => tables.summary(now)),
    ages: (limit) => inTime("ages", () => tables.ages(limit)),
    troubled: (limit) => inTime("troubled", () => tables.troubled(limit))
  })
}
