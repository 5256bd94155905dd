import * as ExportFailure from "@effect-venue/history/ExportFailure"
import type * as Sink from "@effect-venue/history/Sink"
import type * as Connections from "@effect-venue/transport/Connections"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Claim, type Ledger, LedgerFailed, type NotOwner } from "./Ledger.js"

/** The ownership under which exports run, and how they learn that it is over. */
export interface Fence {
  /** Fails when the ownership is over. */
  readonly over: Effect.Effect<never, NotOwner>
  /** Ends the ownership: all exports are interrupted. */
  readonly end: (because: NotOwner) => Effect.Effect<void>
  /** Fails if the lease of the owner has ended. */
  readonly lease: Effect.Effect<void, NotOwner>
}

export const make = (lease: Effect.Effect<void, NotOwner>): Effect.Effect<Fence> =>
  Effect.map(Deferred.make<never, NotOwner>(), (over) => {
    const end = (because: NotOwner) => Effect.asVoid(Deferred.fail(over, because))
    return {
      over: Deferred.await(over),
      end,
      // An ended ownership never returns, even if the lease is confirmed later.
      lease: Effect.flatMap(Deferred.isDone(over), (isOver) =>
        isOver ? Deferred.await(over) : Effect.tapError(lease, end)
      )
    }
  })

/** Connections that look at the lease before each call, and count the calls. Without a lease a call waits for its interruption. */
export const guardConnections = (
  connections: Connections.Connections.Shape,
  { lease }: Fence,
  onCall: () => void
): Connections.Connections.Shape => ({
  ...connections,
  use: (call) =>
    Effect.matchEffect(lease, {
      onFailure: () => Effect.interruptible(Effect.never),
      onSuccess: () => {
        onCall()
        return connections.use(call)
      }
    })
})

/** How often a ledger that cannot be reached is asked again before a write is given up. */
const retries = Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(60))

/** The writes that a claim allows. */
export interface Guard {
  /** Asks before a write, and again while the ledger cannot be reached. */
  readonly before: Effect.Effect<void, ExportFailure.SinkFailure>
  /** Asks once: within the transaction of a write a failed statement cannot be repeated. */
  readonly within: Effect.Effect<void, ExportFailure.SinkFailure>
}

/** The guard of a claim: it fails, and ends the ownership, if the claim has ended. */
export const guardOf = (ledger: Ledger.Shape, claim: Claim, { end, lease }: Fence): Guard => {
  const guard = (check: ReturnType<Ledger.Shape["holds"]>) =>
    Effect.zipRight(check, lease).pipe(
      Effect.tapErrorTag("NotOwner", end),
      Effect.mapError(
        ({ message }) => new ExportFailure.SinkFailure({ location: `${claim.account}/${claim.part}`, detail: message })
      )
    )
  const holds = ledger.holds(claim)
  const patient = Effect.retry(holds, { while: (error) => error instanceof LedgerFailed, schedule: retries })
  return { before: guard(patient), within: guard(holds) }
}

/** A sink that asks before each write whether the claim still holds. */
export const fenceSink = <R>(sink: Sink.Sink<R>, { before }: Guard): Sink.Sink<R> => {
  const check = Effect.mapError(
    before,
    ({ detail }) => new ExportFailure.SinkFailure({ location: sink.location, detail })
  )
  const guard = (store: Sink.Store): Sink.Store => ({
    ...store,
    begin: (checkpoint) => Effect.zipRight(check, store.begin(checkpoint)),
    append: (rows) => Effect.zipRight(check, store.append(rows)),
    forget: Effect.zipRight(check, store.forget),
    publish: (manifest) => Effect.zipRight(check, store.publish(manifest))
  })
  return {
    ...sink,
    open: (parts, options) => Effect.zipRight(check, Effect.map(sink.open(parts, options), guard))
  }
}
