import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Failure from "../Failure.js"
import * as WriteJournal from "../WriteJournal.js"
import type { Attempt, Call } from "./attempt.js"
import type { Parts } from "./journalEntry.js"
import * as sendings from "./sending.js"
import { identifiersOf } from "./unknownOutcome.js"

export interface Writer {
  readonly journal: WriteJournal.WriteJournal.Shape | undefined
  readonly host: string
  readonly key: string
  readonly uid: string | undefined
  /** Milliseconds. */
  readonly recvWindow: number
}

const parametersOf = ({ endpoint: { lookUp }, parameters }: Call): WriteJournal.Intent["parameters"] =>
  lookUp === undefined
    ? identifiersOf(parameters)
    : Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined))

/**
 * Records the intent of a sending that is about to leave, with the time that it is signed with: the service takes it for one receive
 * window from then, wherever this process is halted meanwhile.
 */
export const intended =
  ({ host, journal: shared, key, recvWindow, uid }: Writer) =>
  (
    attempt: Attempt,
    references: Context.Context<never>,
    at: number
  ): Effect.Effect<void, Failure.ConnectionFailed> | undefined => {
    const { call } = attempt
    if (call.endpoint.safety === "read") return undefined
    const journal =
      call.entry?.journal ?? Option.getOrElse(Context.getOption(references, WriteJournal.WriteJournal), () => shared)
    if (journal === undefined) return undefined
    const begun = Effect.gen(function* () {
      call.entry ??= { journal, id: yield* journal.nextId, parts: undefined }
      yield* journal.begin({
        id: call.entry.id,
        operation: call.endpoint.name,
        host,
        key,
        ...(uid === undefined ? {} : { uid }),
        parameters: parametersOf(call),
        at: Math.round(at),
        recvWindow
      })
    })
    const refused = (detail: string) => sendings.connectionFailed(attempt, "WriteJournal", false, detail)
    return begun.pipe(
      Effect.catchAllDefect((defect) => Effect.fail(new Error(`the journal died: ${String(defect)}`))),
      Effect.mapError((failure) => refused(failure.message))
    )
  }

const listOf = (value: unknown): ReadonlyArray<unknown> => {
  const list = typeof value === "object" && value !== null && "list" in value ? value.list : undefined
  return Array.isArray(list) ? list : []
}

const textOf = (value: unknown, name: string): string | undefined => {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof text === "string" && text !== "" ? text : undefined
}

/** Whether a slot of the answer names the part in its place, as far as both have ids. */
const isOf = (slot: unknown, part: unknown): boolean =>
  ["orderId", "orderLinkId"].every((name) => {
    const [answered, requested] = [textOf(slot, name), textOf(part, name)]
    return answered === undefined || requested === undefined || answered === requested
  })

/** What the answer to a batch says of its parts; `isDefinite`: whether a return code proves that a part was not executed. */
export const partsOf = (
  { parameters }: Call,
  { extInfo, result }: { readonly extInfo: unknown; readonly result: unknown },
  isDefinite: (code: number, message: string) => boolean
): Parts => {
  const parts = Array.isArray(parameters.request) ? parameters.request : []
  const slots = listOf(result)
  const verdicts = listOf(extInfo)
  const codes = verdicts.flatMap((slot) => {
    const code: unknown = typeof slot === "object" && slot !== null ? Reflect.get(slot, "code") : undefined
    return typeof code === "number" ? [code] : []
  })
  const isPartClear = (code: number, index: number): boolean =>
    code === 0 ? textOf(slots[index], "orderId") !== undefined : isDefinite(code, textOf(verdicts[index], "msg") ?? "")
  const isClear =
    slots.length === parts.length &&
    codes.length === parts.length &&
    parts.every((part, index) => isOf(slots[index], part)) &&
    codes.every(isPartClear)
  return { codes, isClear }
}

const said = (failure: Failure.Failure): { readonly failure: string; readonly retCode?: number } => ({
  failure: "reason" in failure ? `${failure._tag} (${failure.reason})` : failure._tag,
  ...("retCode" in failure ? { retCode: failure.retCode } : {})
})

const interrupted = { failure: "ConnectionFailed (Interrupted)" }

/** The outcome of a write from how its call ended and from its sendings. */
export const outcomeOf = (call: Call, exit: Exit.Exit<unknown, Failure.Failure>): WriteJournal.Outcome => {
  const parts = call.entry?.parts
  if (Exit.isSuccess(exit)) {
    if (call.endpoint.extended !== true) return { _tag: "Done" }
    return parts?.isClear === true
      ? { _tag: "Done", codes: parts.codes }
      : { _tag: "Unknown", failure: "UnexpectedResponse" }
  }
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (failure?._tag === "OutcomeUnknown") return { _tag: "Unknown", ...said(failure.because) }
  if (failure === undefined) {
    // Each part of a batch is accepted or refused by itself, which was not read any more.
    if (call.endpoint.extended !== true && call.sendings.some(sendings.isExecuted)) return { _tag: "Done" }
    if (sendings.mayBeExecuted(call.sendings)) return { _tag: "Unknown", ...interrupted }
  }
  const isAnswered = call.sendings.some(({ phase }) => phase._tag === "Answered")
  return { _tag: isAnswered ? "Refused" : "NotSent", ...(failure === undefined ? interrupted : said(failure)) }
}

/** Records the outcome of a call that has an entry. An entry whose outcome cannot be recorded stays open. */
export const concluded = (call: Call, exit: Exit.Exit<unknown, Failure.Failure>): Effect.Effect<void> => {
  const { entry } = call
  if (entry === undefined) return Effect.void
  return Effect.catchAllCause(entry.journal.end(entry.id, outcomeOf(call, exit)), (cause) =>
    Effect.annotateLogs(
      Effect.logWarning("the outcome of a write could not be recorded in its journal: its entry stays open", cause),
      { operation: call.endpoint.name, entry: entry.id }
    )
  )
}
