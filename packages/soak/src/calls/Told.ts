import type * as Failure from "@effect-venue/transport/Failure"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type * as Call from "./Call.js"

/** The outcome of a call, as its caller saw it. */
export type Told =
  | { readonly call: Call.Call; readonly _tag: "Done"; readonly result: unknown }
  | { readonly call: Call.Call; readonly _tag: "Failed"; readonly failure: Failure.Failure }
  | { readonly call: Call.Call; readonly _tag: "Interrupted" }
  | { readonly call: Call.Call; readonly _tag: "Died"; readonly why: string }

/** From how a call ended, and from what was reported of one that was interrupted. */
export const fromExit = (
  call: Call.Call,
  exit: Exit.Exit<unknown, Failure.Failure>,
  reported: Failure.OutcomeUnknown | undefined
): Told => {
  if (Exit.isInterrupted(exit)) {
    return reported === undefined ? { call, _tag: "Interrupted" } : { call, _tag: "Failed", failure: reported }
  }
  if (Exit.isSuccess(exit)) return { call, _tag: "Done", result: exit.value }
  const failure = Cause.failureOption(exit.cause)
  return failure._tag === "Some"
    ? { call, _tag: "Failed", failure: failure.value }
    : { call, _tag: "Died", why: Cause.pretty(exit.cause) }
}

/** A write whose caller received `OutcomeUnknown`. */
export interface Unknown {
  readonly call: Call.Call
  readonly failure: Failure.OutcomeUnknown
}

export const unknown = (told: Told): ReadonlyArray<Unknown> =>
  told._tag === "Failed" && told.failure._tag === "OutcomeUnknown" ? [{ call: told.call, failure: told.failure }] : []

export const isUnknown = (told: Told): boolean => unknown(told).length > 0
