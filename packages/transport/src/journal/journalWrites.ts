import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Failure from "../model/Failure.js"
import * as CallOptions from "../model/CallOptions.js"
import type { Intent, Operations, Outcome } from "./WriteJournal.js"
import type { Attempt, Call } from "../attempt/callState.js"
import { isDefinite, type BatchCodes, partsOf } from "./batchParts.js"
import type { JournalEntry } from "../attempt/callState.js"
import type { Hook, Writer } from "./JournalHook.js"
import * as sendings from "../attempt/sending.js"
import * as TimeLimit from "../time/TimeLimit.js"
import { identifiersOf } from "../response/unknownOutcome.js"

const parametersOf = ({ endpoint: { lookUp }, parameters }: Call): Intent["parameters"] =>
  lookUp === undefined
    ? identifiersOf(parameters)
    : Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined))

/** The amounts that a guard has reserved for the call, as a later process reads them. */
const amountsOf = ({ pass }: Call): Pick<Intent, "amounts"> =>
  pass === undefined || pass.amounts.length === 0
    ? {}
    : {
        amounts: pass.amounts.map(({ id, index, kind, unit, value }) => ({
          ...{ kind, unit, index, value: BigDecimal.format(value) },
          ...(id === undefined ? {} : { id })
        }))
      }

const summaryOf = (failure: Failure.Failure): { readonly failure: string; readonly retCode?: number } => ({
  failure:
    failure._tag === "Blocked"
      ? `Blocked (${failure.rule})`
      : "reason" in failure
        ? `${failure._tag} (${failure.reason})`
        : failure._tag,
  ...("retCode" in failure ? { retCode: failure.retCode } : {})
})

const interrupted = { failure: "ConnectionFailed (Interrupted)" }

/** The outcome of a write from how its call ended and from its sendings. */
const outcomeOf = (call: Call, parts: BatchCodes | undefined, exit: Exit.Exit<unknown, Failure.Failure>): Outcome => {
  if (Exit.isSuccess(exit)) {
    if (call.endpoint.extended !== true) return { _tag: "Done" }
    // The codes prove nothing about an earlier sending.
    const isOnly = call.sendings.filter((sending) => sendings.mayBeExecuted([sending])).length <= 1
    return parts?.isClear === true && isOnly
      ? { _tag: "Done", codes: parts.codes }
      : { _tag: "Unknown", failure: "UnexpectedResponse" }
  }
  const ended = Option.getOrUndefined(Cause.failureOption(exit.cause))
  // If only another call with its id is in doubt, the entry of that call stays open, and this one is closed.
  const isInDoubt = ended?._tag === "OutcomeUnknown"
  const failure = isInDoubt ? ended.because : ended
  if (isInDoubt && sendings.mayBeExecuted(call.sendings)) return { _tag: "Unknown", ...summaryOf(ended.because) }
  if (failure === undefined) {
    // The parts of a batch are accepted or refused separately, and the response was no longer read.
    if (call.endpoint.extended !== true && call.sendings.some(sendings.isExecuted)) return { _tag: "Done" }
    if (sendings.mayBeExecuted(call.sendings)) return { _tag: "Unknown", ...interrupted }
  }
  const isAnswered = call.sendings.some(({ phase }) => phase._tag === "Answered")
  return { _tag: isAnswered ? "Refused" : "NotSent", ...(failure === undefined ? interrupted : summaryOf(failure)) }
}

/** How long a call waits for the recording of its outcome before it returns its result anyway. */
const longestEnd = Duration.seconds(1)

/** Logs a warning. An entry whose outcome is not recorded stays open. */
const warn =
  ({ endpoint: { name: operation } }: Call, entry: string) =>
  (cause: Cause.Cause<unknown>) =>
    Effect.annotateLogs(
      Effect.logWarning("the outcome of a write could not be recorded in its journal: its entry stays open", cause),
      { operation, entry }
    )

const entryOf = (
  journal: Operations,
  { host, key, recvWindow, uid }: Writer,
  attempt: Attempt,
  id: string
): JournalEntry => {
  const { call } = attempt
  let parts: BatchCodes | undefined
  const intent = {
    id,
    operation: call.endpoint.name,
    host,
    key,
    ...(uid === undefined ? {} : { uid }),
    parameters: parametersOf(call),
    recvWindow,
    ...amountsOf(call)
  }
  let isRecorded = false
  return {
    id,
    begin: (at) =>
      Effect.suspend(() => journal.begin({ ...intent, at: Math.round(at) })).pipe(
        Effect.catchAllDefect((defect) => Effect.fail(new Error(`the journal of writes died: ${String(defect)}`))),
        Effect.mapBoth({
          onFailure: ({ message }) => sendings.connectionFailed(attempt, "WriteJournal", false, message),
          onSuccess: () => {
            isRecorded = true
          }
        })
      ),
    answered: (answer) => {
      const codes = Context.get(call.around.references, CallOptions.ReturnCodeTable)
      parts = partsOf(call, answer, isDefinite(attempt, codes))
    },
    conclude: (exit) => {
      const ended = Effect.suspend(() => journal.end(id, outcomeOf(call, parts, exit)))
      const recorded = Effect.catchAllCause(warn(call, id))
      // The journal has recorded no sending in time, so the call does not wait for it again, and no scope outlives the call.
      if (!isRecorded) return Effect.asVoid(Effect.forkDaemon(recorded(ended)))
      const onTimeout = () => new Error(`no answer within ${Duration.format(longestEnd)}`)
      return recorded(TimeLimit.within(ended, longestEnd, onTimeout))
    }
  }
}

/**
 * Records the intent of a sending before it leaves, with the signed time: the service accepts the request for one receive window from then, even if this
 * process is halted meanwhile.
 */
export const hook: Hook = {
  intended: (journal, writer, attempt, at) =>
    Effect.flatMap(journal.nextId, (id) => {
      const { call } = attempt
      call.entry ??= entryOf(journal, writer, attempt, id)
      return call.entry.begin(at)
    })
}
