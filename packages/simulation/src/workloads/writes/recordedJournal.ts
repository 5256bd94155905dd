/** A journal that notes in the world what it keeps and closes. */
import type * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as Effect from "effect/Effect"
import type * as Journal from "../../world/Journal.js"
import * as Network from "../../world/Network.js"
import type * as World from "../../world/World.js"
import * as Requests from "../calls/requests.js"
import { isCalm, type WritesStage } from "./Stage.js"

const toExecuted = (
  outcome: Exclude<WriteJournal.Outcome, { readonly _tag: "Unknown" }>
): Journal.Of<"Closed">["executed"] => {
  switch (outcome._tag) {
    case "Done":
      // The orders of a batch are executed one by one.
      return outcome.codes === undefined ? "yes" : "partly"
    case "Refused":
    case "NotSent":
      return "no"
    case "Reconciled":
      return outcome.executed
    default:
      // The types rule this out, but a mistake of the library could still do it.
      return "unknowable"
  }
}

/** Compares the codes that are recorded of a batch with the orders that were executed. */
const compareCodes = (
  world: World.World,
  call: string,
  { codes, wishes }: { readonly codes: ReadonlyArray<number>; readonly wishes: ReadonlyArray<string> }
) => {
  const expected = wishes.map((wish) => Requests.isExecuted(world, wish))
  const got = codes.map((code) => code === 0)
  world.add({ _tag: "Compared", call, rule: "Coded", got: got.join(), expected: expected.join() })
}

/** A failure with its return code, as it is recorded. */
const textOf = (outcome: WriteJournal.Unknown | undefined) =>
  outcome === undefined ? "nothing" : `${outcome.failure} ${outcome.retCode}`

/** The wishes of an entry: the orders of a part of a batch, or the call itself. */
const wishesIn = (call: string, { parameters: { request } }: WriteJournal.Intent): ReadonlyArray<string> =>
  Array.isArray(request) ? request.map(({ orderLinkId }: { readonly orderLinkId: string }) => orderLinkId) : [call]

/** Records the entries that a journal keeps and closes, and compares the outcomes of open entries with those that were recorded. */
export const recordJournal = (
  { calls, plan, unknown, world }: WritesStage,
  journal: WriteJournal.WriteJournal.Shape
): WriteJournal.WriteJournal.Shape => ({
  ...journal,
  begin: (intent) =>
    Effect.flatMap(Network.CurrentCall, (call) => {
      const wishes = wishesIn(call, intent)
      // The intent can be on the disk, and another process reconcile it, before a frozen process learns that it is.
      if (!calls.has(intent.id)) calls.set(intent.id, { call, wishes, isRecorded: false })
      return Effect.tap(journal.begin(intent), () =>
        Effect.sync(() => {
          calls.set(intent.id, { call, wishes, isRecorded: true })
          world.add({ _tag: "Recorded", call, entry: intent.id, wishes })
        })
      )
    }),
  // Recorded when it is tried: one that fails leaves the entry to a later look-up.
  end: (entry, outcome) =>
    Effect.suspend(() => {
      const { call, isRecorded = false, wishes = [] } = calls.get(entry) ?? {}
      // An intent whose recording failed is not in the journal, and its request has not left.
      const isInJournal = isRecorded || outcome._tag === "Reconciled"
      if (outcome._tag !== "Unknown" && call !== undefined && isInJournal) {
        if (outcome._tag === "Done" && outcome.codes !== undefined)
          compareCodes(world, call, { codes: outcome.codes, wishes })
        const refusal = outcome._tag === "Refused" || outcome._tag === "NotSent" ? outcome : undefined
        const { failure, retCode } = refusal ?? {}
        const by = outcome._tag === "Reconciled" ? "reconcile" : "call"
        world.cover(`entry ${outcome._tag} ${toExecuted(outcome)}`)
        world.add({ _tag: "Closed", call, entry, by, executed: toExecuted(outcome), failure, retCode })
      }
      const ended = journal.end(entry, outcome)
      if (outcome._tag !== "Unknown") return ended
      const text = textOf(outcome)
      const { ended: before = "nothing" } = unknown.get(entry) ?? {}
      unknown.set(entry, { begun: text, ended: before })
      return Effect.tap(ended, () => Effect.sync(() => unknown.set(entry, { begun: text, ended: text })))
    }),
  open: Effect.tap(journal.open, (entries) =>
    Effect.sync(() => {
      // What a process has recorded can be lost if it does not end by itself.
      if (!isCalm(plan)) return
      for (const { intent, outcome } of entries) {
        const got = textOf(outcome)
        const { begun, ended = "nothing" } = unknown.get(intent.id) ?? {}
        // An outcome that is being recorded can be there before its caller learns that it is.
        const expected = got === begun ? begun : ended
        world.add({ _tag: "Compared", call: calls.get(intent.id)?.call ?? "", rule: "Recalled", got, expected })
      }
    })
  )
})
