/**
 * Determines the outcomes of the writes that were in flight when a process ended: looks up the open entries of a journal of writes and closes each. It only
 * reads, and never sends a write.
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Failure from "../model/Failure.js"
import * as Transport from "./Transport.js"
import type { Entry, WriteJournalFailed } from "../journal/WriteJournal.js"
import { WriteJournal } from "../journal/WriteJournal.js"

export interface Options {
  /** Operations of the application, in addition to those of this library. */
  readonly endpoints?: ReadonlyArray<Endpoint.Properties> | undefined
  /** How long after its arrival a record can be missing from the lists of the service. Defaults to 5 seconds. */
  readonly listedWithin?: Duration.DurationInput | undefined
  /** How many entries are looked up concurrently. Defaults to 4. */
  readonly concurrency?: number | undefined
}

/**
 * Whether a write was executed. `yes`: the requested state is in force; for an order with a client id this proves that this write was executed. `no`: the
 * service lists the write as failed with nothing executed, or does not list it although it would by now. `unknowable`: no look-up can decide it.
 */
export type Executed = "yes" | "no" | "unknowable"

/** One part of a write: an order of a batch, or the whole write. */
export interface Part {
  /** Its parameters in wire form. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly executed: Executed
  readonly reason: string
  /** The records that were read: orders, transfers or positions. */
  readonly evidence: ReadonlyArray<unknown>
}

/**
 * An entry that was closed. `executed` is `partly` for a batch whose parts have different, known outcomes. `judgeableFrom` is the time, by the service's
 * clock, from which the request could no longer arrive. `isRepeatable`: the service executes its request id only once, so the same request can be repeated for
 * any value of `executed`.
 */
export interface Closed {
  readonly _tag: "Closed"
  readonly entry: Entry
  readonly executed: Executed | "partly"
  readonly reason: string
  readonly parts: ReadonlyArray<Part>
  readonly judgeableFrom: DateTime.Utc
  readonly isRepeatable: boolean
}

/**
 * An entry whose outcome is known and could not be recorded, for example because the disk is full. It stays open in the journal, and the next `reconcile`
 * returns it again: if you make a write again because this one was not executed, make sure that you do not do so twice.
 */
export interface Unrecorded extends Omit<Closed, "_tag"> {
  readonly _tag: "Unrecorded"
  readonly failure: WriteJournalFailed
}

/**
 * An entry that stays open, for one of these reasons:
 *
 * - Its look-up failed.
 * - Its operation is neither one of this library nor one of `Options.endpoints`.
 * - A record with its request id does not decide it yet, such as a pending transfer or a transfer with another amount.
 *
 * `evidence` contains the records that were read.
 */
export interface StillOpen {
  readonly _tag: "StillOpen"
  readonly entry: Entry
  readonly failure: Failure.ReadFailure | undefined
  readonly evidence: ReadonlyArray<unknown>
}

type Parameters = Part["parameters"]

/** The maximum error of the estimated service clock, in milliseconds. The service accepts requests that are early by this much. */
const tolerance = 1_000

/** Close to the end of the time for which the service lists records, a missing record proves nothing. */
const listedMargin = Duration.toMillis("1 hour")

const partsOf = (parameters: Parameters): ReadonlyArray<Parameters> =>
  Array.isArray(parameters.request)
    ? parameters.request.map((part) => ({ ...parameters, request: [part] }))
    : [parameters]

const idOf = (parameters: Parameters, name: string): string | undefined => {
  const part: unknown = Array.isArray(parameters.request) ? parameters.request[0] : parameters
  const id: unknown = typeof part === "object" && part !== null ? Reflect.get(part, name) : undefined
  return typeof id === "string" && id !== "" ? id : undefined
}

const found = (parameters: Parameters, { evidence, executed }: Endpoint.Finding): Part | undefined =>
  executed === "undetermined"
    ? undefined
    : {
        parameters,
        evidence,
        executed,
        reason: executed === "yes" ? "the requested state is in force" : "the service lists it as not executed"
      }

/** The result of a look-up that decided nothing, at a time when the request can no longer arrive. */
const concludeUndecided = (
  { creates, onceBy = "id" }: Endpoint.Properties,
  parameters: Parameters,
  { evidence, isUnlisted }: Endpoint.Finding,
  age: number
): Part => {
  const id = creates === undefined ? undefined : idOf(parameters, onceBy)
  const unknowable = (reason: string): Part => ({ parameters, evidence, executed: "unknowable", reason })
  if (creates === undefined) return unknowable("its look-up does not decide it")
  if (id === undefined) return unknowable(`it was sent without ${onceBy}`)
  if (evidence.length > 0) return unknowable("a record has its request id, but does not show all that was requested")
  if (isUnlisted !== true) return unknowable(`the lists that were read do not show whether its ${onceBy} is listed`)
  return age < Duration.toMillis(creates.listedFor) - listedMargin
    ? {
        parameters,
        evidence,
        executed: "no",
        reason: `nothing is listed under its ${onceBy}, and the request can no longer arrive`
      }
    : unknowable(`it is older than ${Duration.format(creates.listedFor)}, so the service can have stopped listing it`)
}

const overall = (parts: ReadonlyArray<Part>): Pick<Closed, "executed" | "reason"> => {
  const first = parts[0]
  const unknowable = parts.find(({ executed }) => executed === "unknowable")
  if (first === undefined) return { executed: "unknowable", reason: "it has no parts" }
  if (unknowable !== undefined) return { executed: "unknowable", reason: unknowable.reason }
  return parts.every(({ executed }) => executed === first.executed)
    ? { executed: first.executed, reason: first.reason }
    : { executed: "partly", reason: "some of its parts were executed" }
}

/** Waits until the service's clock has passed an instant. Reads can improve the estimate of the clock meanwhile. */
const waitUntil = (transport: Transport.Transport.Shape, instant: number): Effect.Effect<void> =>
  Effect.flatMap(transport.account.serverTime, (now) =>
    now >= instant
      ? Effect.void
      : Effect.zipRight(Effect.sleep(Math.ceil(instant - now)), waitUntil(transport, instant))
  )

/** The records of a write with a request id that is neither executed nor failed. A later look-up can decide it. */
const evidenceOf = ({ safety }: Endpoint.Properties, parts: ReadonlyArray<Part>): ReadonlyArray<unknown> =>
  safety === "idempotent" ? parts.flatMap((part) => (part.executed === "unknowable" ? part.evidence : [])) : []

const resolve = (
  transport: Transport.Transport.Shape,
  endpoint: Endpoint.Properties,
  entry: Entry,
  listedWithin: number
): Effect.Effect<Closed | StillOpen, Failure.ReadFailure> =>
  Effect.gen(function* () {
    const { at, parameters, recvWindow } = entry.intent
    const { creates, lookUp, safety } = endpoint
    const isRepeatable = safety === "idempotent"
    const look = (each: Parameters) =>
      lookUp === undefined
        ? Effect.succeed<Endpoint.Finding>({ executed: "undetermined", evidence: [] })
        : lookUp(each, (read, request) => transport.call(read, request))
    const parts = partsOf(parameters)
    // An order that was created under a client id cannot be created again, so it is decided now. Any other state, and a rejected order, can still be changed by
    // a request that arrives later. These reads also measure the service's clock.
    const early = yield* Effect.forEach(parts, (each) => Effect.map(look(each), (finding) => found(each, finding)))
    const now = yield* transport.account.serverTime
    // The service refuses a request that is signed too early, so it accepts none later than this.
    const lastArrival = Math.min(at, now + tolerance) + recvWindow
    const isOver = now >= lastArrival + tolerance + listedWithin
    const isFinal = (part: Part | undefined): part is Part =>
      part !== undefined && (isOver || (creates !== undefined && part.executed === "yes"))
    if (!early.every(isFinal)) yield* waitUntil(transport, lastArrival + tolerance + listedWithin)
    const age = Math.max((yield* transport.account.serverTime) - at, 0)
    const judged = yield* Effect.forEach(parts, (each, index) => {
      const part = early[index]
      if (isFinal(part)) return Effect.succeed(part)
      return Effect.map(
        look(each),
        (finding) => found(each, finding) ?? concludeUndecided(endpoint, each, finding, age)
      )
    })
    const evidence = evidenceOf(endpoint, judged)
    if (evidence.length > 0) return { _tag: "StillOpen", entry, failure: undefined, evidence }
    const closed = { _tag: "Closed", entry, judgeableFrom: DateTime.unsafeMake(lastArrival), isRepeatable } as const
    return lookUp === undefined
      ? { ...closed, executed: "unknowable", reason: "no operation lists it", parts: [] }
      : { ...closed, ...overall(judged), parts: judged }
  })

/** Closes an entry in its journal. Only a journal that another process has taken over ends the reconciliation. */
const record = (
  journal: WriteJournal.Shape,
  result: Closed
): Effect.Effect<Closed | Unrecorded, WriteJournalFailed> => {
  const { entry, executed, reason } = result
  return journal.end(entry.intent.id, { _tag: "Reconciled", executed, reason }).pipe(
    Effect.as(result),
    Effect.catchIf(
      (failure) => failure.reason === "Storage",
      (failure) => Effect.succeed<Unrecorded>({ ...result, _tag: "Unrecorded", failure })
    )
  )
}

const isOf = ({ intent }: Entry, { host, key, uid }: Transport.Identity): boolean =>
  intent.host === host && (intent.key === key || (uid !== undefined && intent.uid === uid))

/**
 * Looks up the open entries of this account and closes each in the journal, in any order. Entries of other accounts are left alone. An account is recognised
 * by its UID if the credentials declare it, otherwise by its key.
 *
 * An order that is found by its id is closed at once. Any other entry is looked up when its request can no longer arrive: one receive window after its
 * signature, plus `listedWithin`, by the service's clock. A transfer stays open if its record is pending or belongs to a transfer with different contents.
 *
 * Entries of calls in flight are left alone. Run this when the application starts, before its first write.
 *
 * Fails if the journal cannot be read, or if another process has taken it over. An outcome that cannot be recorded is returned as `Unrecorded`.
 *
 * @category running
 */
export const reconcile = (
  options: Options = {}
): Stream.Stream<Closed | Unrecorded | StillOpen, WriteJournalFailed, WriteJournal | Transport.Transport> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const journal = yield* WriteJournal
      const transport = yield* Transport.Transport
      const { concurrency = 4, endpoints = [] } = options
      const listedWithin = Duration.toMillis(options.listedWithin ?? "5 seconds")
      const known = new Map<string, Endpoint.Properties>(
        [...Endpoints.all, ...endpoints].map((each) => [each.name, each])
      )
      const { identity } = transport.account
      const resolveEntry = (entry: Entry, endpoint: Endpoint.Properties) =>
        resolve(transport, endpoint, entry, listedWithin).pipe(
          Effect.catchAll((failure) => Effect.succeed<StillOpen>({ _tag: "StillOpen", entry, failure, evidence: [] })),
          Effect.flatMap((result): Effect.Effect<Closed | Unrecorded | StillOpen, WriteJournalFailed> =>
            result._tag === "StillOpen" ? Effect.succeed(result) : record(journal, result)
          )
        )
      return Stream.fromIterable((yield* journal.open).filter((entry) => isOf(entry, identity))).pipe(
        Stream.mapEffect(
          (entry): Effect.Effect<Closed | Unrecorded | StillOpen, WriteJournalFailed> => {
            const endpoint = known.get(entry.intent.operation)
            return endpoint === undefined
              ? Effect.succeed({ _tag: "StillOpen", entry, failure: undefined, evidence: [] })
              : resolveEntry(entry, endpoint)
          },
          { concurrency, unordered: true }
        )
      )
    })
  )
