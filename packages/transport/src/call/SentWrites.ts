/**
 * Remembers the writes that were sent under ids of their callers, so that the failure of a repetition can be understood: an earlier call with the same id,
 * whose outcome no caller knows, can have been executed, and its effect can be the reason of a refusal. (docs/decisions/0060)
 *
 * @sibling
 */
import * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type { Call, Followed, IdState } from "../attempt/callState.js"
import * as sendings from "../attempt/sending.js"
import type * as JournalHook from "../journal/JournalHook.js"
import type { WriteJournal } from "../journal/WriteJournal.js"
import type * as Failure from "../model/Failure.js"

type Parameters = Readonly<Record<string, unknown>>

/** A write under an id of its caller: an order, a transfer or a withdrawal. */
export interface OnceWrite {
  readonly id: string
  /** The account and the id, in each form in which the account is recognised. */
  readonly keys: ReadonlyArray<string>
  /** The request, in a form in which equal requests have equal texts. */
  readonly request: string
}

/** What is known of an id. */
interface SentId {
  /** The requests that were sent under it and can have been executed, with the number of calls that sent each. */
  readonly requests: Map<string, number>
  /** When a caller received the success of one of them, by the count of the memory. */
  receivedAt: number
  /** The journal's entry of the last batch that sent one of them. It stays open if its outcome cannot be recorded. */
  batchEntry?: string | undefined
}

/** The ids under which this process has sent writes. */
export interface Memory {
  readonly get: (write: OnceWrite) => SentId | undefined
  readonly set: (write: OnceWrite, id: SentId) => void
  readonly remove: (write: OnceWrite) => void
  /** Counts the successes that callers have received, so that it can be compared whether a sending was before one. */
  received: number
}

const mostOpen = 10_000

// A refused repetition of an id that was forgotten is `Rejected` too.
const mostReceived = 1_000

const put = (ids: Map<string, SentId>, key: string, id: SentId, most: number) => {
  ids.delete(key)
  ids.set(key, id)
  const [oldest] = ids.keys()
  if (ids.size > most && oldest !== undefined) ids.delete(oldest)
}

/** Makes a memory with a limit for the ids without a received success, and one for the others. */
export const makeMemory = (): Memory => {
  const [open, received] = [new Map<string, SentId>(), new Map<string, SentId>()]
  const remove = (key: string) => {
    open.delete(key)
    received.delete(key)
  }
  return {
    get: ({ keys }) => keys.map((key) => open.get(key) ?? received.get(key)).find((id) => id !== undefined),
    set: ({ keys }, id) => {
      for (const key of keys) {
        remove(key)
        if (id.receivedAt === Infinity) put(open, key, id, mostOpen)
        else put(received, key, id, mostReceived)
      }
    },
    remove: ({ keys }) => {
      keys.forEach(remove)
    },
    received: 0
  }
}

/**
 * The memory of the transports of a process. Defaults to one for each HTTP client, so that an exchange in memory does not share it with another one, and one
 * for all connections of Node.
 */
export class SentWrites extends Context.Reference<SentWrites>()("@effect-venue/transport/SentWrites", {
  defaultValue: () => {
    const [ofConnections, ofClients] = [makeMemory(), new WeakMap<object, Memory>()]
    return (client: object | undefined): Memory => {
      if (client === undefined) return ofConnections
      const memory = ofClients.get(client) ?? makeMemory()
      ofClients.set(client, memory)
      return memory
    }
  }
}) {}

// Requests ----------------------------------------------------------------------------------------------------------

const toPlain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .filter(([, inner]) => inner !== undefined && inner !== "")
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, toPlain(inner)])
  }
  return typeof value === "string"
    ? Option.match(Decimal.parse(value), {
        onNone: () => value,
        onSome: (decimal) => Decimal.format(BigDecimal.normalize(decimal))
      })
    : value
}

/** The items of a batch, each with the parameters of the batch, or the request itself. */
const itemsOf = ({ request, ...parameters }: Parameters): ReadonlyArray<Parameters> =>
  Array.isArray(request) ? request.map((item: object) => ({ ...parameters, ...item })) : [parameters]

/** The account of a transport, which is recognised by its key or by its UID. */
type Account = Pick<JournalHook.Writer, "host" | "key"> & { readonly uid?: string | undefined }

const keysOf = ({ host, key, uid }: Account, id: string): ReadonlyArray<string> =>
  [`key ${key}`, ...(uid === undefined ? [] : [`uid ${uid}`])].map((account) => `${host} ${account} ${id}`)

/** Returns the writes of a request that the service executes once for their ids. */
export const writesOf = (
  account: Account,
  { onceBy }: Pick<Endpoint.Properties, "onceBy">,
  parameters: Parameters
): ReadonlyArray<OnceWrite> =>
  onceBy === undefined
    ? []
    : itemsOf(parameters).flatMap((item) => {
        const id = item[onceBy]
        if (typeof id !== "string" || id === "") return []
        return [{ id, keys: keysOf(account, `${onceBy} ${id}`), request: JSON.stringify(toPlain(item)) }]
      })

// Calls -------------------------------------------------------------------------------------------------------------

/** Notes that a request leaves this process. */
export const noteDeparture = (memory: Memory, write: OnceWrite): void => {
  const id = memory.get(write) ?? { requests: new Map<string, number>(), receivedAt: Infinity }
  id.requests.set(write.request, (id.requests.get(write.request) ?? 0) + 1)
  memory.set(write, id)
}

/** Notes that a request which left was not executed. */
export const noteRefusal = (memory: Memory, write: OnceWrite): void => {
  const id = memory.get(write)
  if (id === undefined) return
  const others = (id.requests.get(write.request) ?? 1) - 1
  if (others > 0) id.requests.set(write.request, others)
  else id.requests.delete(write.request)
  if (id.requests.size === 0 && id.receivedAt === Infinity) memory.remove(write)
}

/** Notes that the caller has the success of a write. */
export const noteReceipt = (memory: Memory, write: OnceWrite): void => {
  const id = memory.get(write)
  if (id === undefined) return
  memory.received += 1
  id.receivedAt = Math.min(id.receivedAt, memory.received)
  memory.set(write, id)
}

/** What is known of the id of a write when the memory counted `at`, beside the calls of its own. */
const stateOf = (memory: Memory, write: OnceWrite, { at, own }: { at: number; own: 0 | 1 }): IdState => {
  const id = memory.get(write)
  if (id === undefined) return "new"
  if (id.receivedAt <= at) return "received"
  return (id.requests.get(write.request) ?? 0) > own ? "inDoubt" : "new"
}

/** Follows the ids of a call. The outcome of each item of a batch is noted by the caller of the batch. */
export const follow = (
  memory: Memory,
  account: Account,
  call: Pick<Call, "endpoint" | "parameters">
): Followed | undefined => {
  const writes = writesOf(account, call.endpoint, call.parameters)
  if (writes.length === 0) return undefined
  let isSent = false
  let sentAt = 0
  return {
    depart: () => {
      sentAt = memory.received
      if (!isSent) new Map(writes.map((write) => [write.id, write])).forEach((write) => noteDeparture(memory, write))
      isSent = true
    },
    state: () => {
      const before = isSent ? ({ at: sentAt, own: 1 } as const) : ({ at: memory.received, own: 0 } as const)
      const states = writes.map((write) => stateOf(memory, write, before))
      return states.find((state) => state === "inDoubt") ?? states[0] ?? "new"
    },
    conclude: (call, exit, isHidden) => {
      if (!isSent || isHidden) return
      if (Exit.isSuccess(exit)) {
        for (const write of writes) {
          const id = memory.get(write)
          if (call.endpoint.extended !== true) noteReceipt(memory, write)
          else if (id !== undefined) id.batchEntry = call.entry?.id
        }
        return
      }
      const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
      const isOpen = failure === undefined || failure._tag === "OutcomeUnknown"
      if (!isOpen || !sendings.mayBeExecuted(call.sendings)) writes.forEach((write) => noteRefusal(memory, write))
    }
  }
}

/** The refusal of the last sending of a call. */
const refusalOf = ({ sendings: sent }: Call): Failure.Rejected | undefined => {
  const phase = sent.at(-1)?.phase
  if (phase?._tag !== "Answered" || Either.isRight(phase.verdict)) return undefined
  const { left } = phase.verdict
  return left._tag === "Rejected" ? left : undefined
}

/** Whether the journal has an open entry of another call for one of the writes. Fails if it cannot be read. */
const isOpenInJournal = (
  { endpoint, journal, ownEntry }: Pick<FailedWrite<unknown, Failure.Failure>, "endpoint" | "journal" | "ownEntry">,
  writes: ReadonlyArray<OnceWrite>
): Effect.Effect<boolean, unknown> => {
  const isSame = ({ intent }: { readonly intent: Account & { readonly parameters: Parameters } }) =>
    writesOf(intent, endpoint, intent.parameters).some(({ keys, request }) =>
      writes.some(
        (write) =>
          // Without a look-up the journal has only the ids.
          keys.some((key) => write.keys.includes(key)) && (endpoint.lookUp === undefined || request === write.request)
      )
    )
  return journal === undefined
    ? Effect.succeed(false)
    : Effect.map(journal.open, (entries) => entries.some((entry) => entry.intent.id !== ownEntry && isSame(entry)))
}

/** A write that failed, although another call with its id can have been executed. */
interface FailedWrite<A, F extends Failure.Failure> {
  readonly account: Account
  readonly journal: WriteJournal.Shape | undefined
  /** Its entry in the journal, if its call has ended. */
  readonly ownEntry?: string | undefined
  readonly endpoint: Endpoint.Properties
  readonly parameters: Parameters
  /** Without its own sendings. */
  readonly state: IdState
  readonly failure: F
  /** The answer to its last sending, if that was refused. */
  readonly refusal: Failure.Rejected | undefined
  readonly read: Endpoint.ReadCall<Failure.ReadFailure>
  readonly decode: (result: unknown) => Either.Either<A, unknown>
  readonly unknown: (because: Failure.OutcomeUnknown["because"]) => Failure.OutcomeUnknown
  /** Fails at the end of the time of the call. */
  readonly inTime: <B>(effect: Effect.Effect<B, unknown>) => Effect.Effect<B, unknown>
}

/**
 * Understands a failure. If an equal request under its id was sent before and no caller knows its outcome, this failure proves nothing about it. A refusal can
 * even be its effect, since the id is used, the balance is spent or the position is closed, so the write is looked up: a record that shows the whole request
 * is its success, and a record that disproves it leaves the refusal. Everything else leaves the outcome unknown.
 */
const understandFailure = <A, F extends Failure.Failure>({
  account,
  decode,
  endpoint,
  failure,
  inTime,
  journal,
  ownEntry,
  parameters,
  read,
  refusal,
  state,
  unknown
}: FailedWrite<A, F>): Effect.Effect<A, F | Failure.Rejected | Failure.OutcomeUnknown> =>
  Effect.gen(function* () {
    const writes = writesOf(account, endpoint, parameters)
    if (state === "received" || writes.length === 0) return yield* Effect.fail(failure)
    if (state === "new") {
      // Nearly all ids are new. A journal that cannot be read leaves only a refusal in doubt.
      const isOpen = inTime(isOpenInJournal({ endpoint, journal, ownEntry }, writes))
      const isRefused = Effect.succeed(refusal !== undefined)
      if (!(yield* Effect.catchAllCause(isOpen, () => isRefused))) return yield* Effect.fail(failure)
    }
    const because: Failure.Failure = refusal ?? failure
    if (because._tag === "InvalidRequest" || because._tag === "OutcomeUnknown") return yield* Effect.fail(failure)
    if (refusal === undefined || endpoint.lookUp === undefined) return yield* unknown(because)
    const finding = yield* Effect.option(inTime(endpoint.lookUp(parameters, read)))
    if (Option.isSome(finding) && finding.value.executed === "no") return yield* refusal
    const decoded = Option.flatMap(finding, ({ executed, result }) =>
      executed === "yes" && result !== undefined ? Either.getRight(decode(result)) : Option.none()
    )
    return Option.isSome(decoded) ? decoded.value : yield* unknown(refusal)
  })

/** Understands the failure of a call with an id: another call with this id can have been executed. */
export const understand = <A, F extends Failure.Failure>(
  call: Call,
  failure: F,
  parts: Pick<FailedWrite<A, F>, "account" | "journal" | "read" | "decode" | "unknown" | "inTime">
): Effect.Effect<A, F | Failure.Rejected | Failure.OutcomeUnknown> => {
  const { endpoint, followed, parameters } = call
  // The envelope of a batch refuses all items, of which each has a look-up of its own.
  const refusal = endpoint.extended === true ? undefined : refusalOf(call)
  // Sendings of its own in doubt have decided already, unless the last one was refused because of them.
  const isDecided = failure._tag === "OutcomeUnknown" && refusal?.reason !== "Duplicate"
  if (followed === undefined || isDecided) return Effect.fail(failure)
  const state = sendings.mayBeExecuted(call.sendings) ? "inDoubt" : followed.state()
  return understandFailure({ ...parts, endpoint, parameters, state, failure, refusal })
}

// Batches -----------------------------------------------------------------------------------------------------------

/** Follows the ids of the items of batches, whose outcomes only the caller of a batch knows. */
export interface Items {
  /** The count of received successes. */
  readonly received: () => number
  /** Understands the failure of an item. `sentAt` is the count before the batch was sent, and `undefined` for an item that was not sent. */
  readonly understand: <A>(
    item: Pick<
      FailedWrite<A, Failure.WriteFailure>,
      "endpoint" | "parameters" | "failure" | "read" | "decode" | "unknown"
    > & { readonly sentAt: number | undefined }
  ) => Effect.Effect<A, Failure.WriteFailure>
  /** Notes the outcome of an item that was sent. */
  readonly conclude: (endpoint: Endpoint.Properties, parameters: Parameters, outcome: "received" | "refused") => void
}

/** Follows the items of the batches of an account. */
export const items = (memory: Memory, account: Account, journal: WriteJournal.Shape | undefined): Items => ({
  received: () => memory.received,
  understand: ({ sentAt, ...item }) => {
    const { endpoint, failure, parameters } = item
    const [write] = writesOf(account, endpoint, parameters)
    if (write === undefined || failure._tag === "OutcomeUnknown") return Effect.fail(failure)
    const before = sentAt === undefined ? ({ at: memory.received, own: 0 } as const) : ({ at: sentAt, own: 1 } as const)
    const state = stateOf(memory, write, before)
    const refusal = failure._tag === "Rejected" ? failure : undefined
    const ownEntry = memory.get(write)?.batchEntry
    return understandFailure({ ...item, account, journal, ownEntry, state, refusal, inTime: identity })
  },
  conclude: (endpoint, parameters, outcome) => {
    for (const write of writesOf(account, endpoint, parameters)) {
      if (outcome === "received") noteReceipt(memory, write)
      else noteRefusal(memory, write)
    }
  }
})
