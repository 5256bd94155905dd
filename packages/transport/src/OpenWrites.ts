/**
 * Finds out what a process that ended had in flight: looks up the open entries of a journal of writes, and closes each. It reads, and
 * never sends a write.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Failure from "./Failure.js"
import * as Transport from "./Transport.js"
import type { Entry, WriteJournalFailed } from "./WriteEntry.js"
import { WriteJournal } from "./WriteJournal.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Operations of the application's own, beside those of this library. */
  readonly endpoints?: ReadonlyArray<Endpoint.Properties> | undefined
  /** How long after its arrival a record may be missing from the lists of the service. Defaults to 5 seconds. */
  readonly listedWithin?: Duration.DurationInput | undefined
  /** How many entries are looked up side by side. Defaults to 4. */
  readonly concurrency?: number | undefined
}

/**
 * Whether a write was executed. `yes`: what it asked for is so; for an order under an id of its own this proves that it was this write. `no`:
 * the service lists it as failed, or does not list it although it would by now. `unknowable`: no look-up decides it.
 *
 * @since 0.1.0
 * @category models
 */
export type Executed = "yes" | "no" | "unknowable"

/**
 * One part of a write: an order of a batch, or the whole write.
 *
 * @since 0.1.0
 * @category models
 */
export interface Part {
  /** Its parameters on the wire side. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly executed: Executed
  readonly reason: string
  /** The records that were read: orders, transfers or positions. */
  readonly evidence: ReadonlyArray<unknown>
}

/**
 * An entry that was closed. `executed` is `partly` for a batch whose parts differ and are all known. `judgeableFrom`: when the request
 * could arrive no more, by the service's clock. `mayRepeat`: the service honours its request id once, so that the same request may be sent again
 * whatever `executed` is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Closed {
  readonly _tag: "Closed"
  readonly entry: Entry
  readonly executed: Executed | "partly"
  readonly reason: string
  readonly parts: ReadonlyArray<Part>
  readonly judgeableFrom: DateTime.Utc
  readonly mayRepeat: boolean
}

/**
 * An entry that stays open: its look-up failed; or its operation is neither one of this library nor one of `Options.endpoints`; or a
 * record has its request id that does not decide it yet, such as a pending transfer, or one with another amount. `evidence` has the records
 * that were read.
 *
 * @since 0.1.0
 * @category models
 */
export interface StillOpen {
  readonly _tag: "StillOpen"
  readonly entry: Entry
  readonly failure: Failure.ReadFailure | undefined
  readonly evidence: ReadonlyArray<unknown>
}

type Parameters = Part["parameters"]

/** By how much the service's clock may differ from the estimate of it. The service takes requests that are this much early. */
const tolerance = 1_000

/** Before its end, the time for which records are listed is not relied upon. */
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
        reason: executed === "yes" ? "what it asked for is so" : "the service lists it as not executed"
      }

/** What it means that a look-up decided nothing, at a time at which the request can arrive no more. */
const undecided = (
  { creates }: Endpoint.Properties,
  parameters: Parameters,
  evidence: ReadonlyArray<unknown>,
  age: number
): Part => {
  const id = creates === undefined ? undefined : idOf(parameters, creates.id)
  const part = { parameters, evidence }
  if (creates === undefined || id === undefined) {
    const reason = creates === undefined ? "its look-up does not decide it" : `it was sent without ${creates.id}`
    return { ...part, executed: "unknowable", reason }
  }
  if (evidence.length > 0) return { ...part, executed: "unknowable", reason: "another record has its id" }
  return age < Duration.toMillis(creates.listedFor) - listedMargin
    ? { ...part, executed: "no", reason: `nothing is listed under its ${creates.id}, and it can arrive no more` }
    : {
        ...part,
        executed: "unknowable",
        reason: `it is older than ${Duration.format(creates.listedFor)}, and may be listed no more`
      }
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

/** The service's clock has passed an instant. It may be learnt meanwhile. */
const passed = (transport: Transport.Transport.Shape, instant: number): Effect.Effect<void> =>
  Effect.flatMap(transport.account.serverTime, (now) =>
    now >= instant ? Effect.void : Effect.zipRight(Effect.sleep(Math.ceil(instant - now)), passed(transport, instant))
  )

/** The records of a write with a request id that is neither executed nor failed. Its next look-up can decide it. */
const undecidedEvidence = ({ safety }: Endpoint.Properties, parts: ReadonlyArray<Part>): ReadonlyArray<unknown> =>
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
    const mayRepeat = safety === "idempotent"
    const look = (each: Parameters) =>
      lookUp === undefined
        ? Effect.succeed<Endpoint.Finding>({ executed: "undetermined", evidence: [] })
        : lookUp(each, (read, request) => transport.call(read, request))
    const parts = partsOf(parameters)
    // What was created under an id of its own cannot be created again. Anything else may be done by a request that arrives later. The
    // service's clock is learnt from these reads.
    const early = yield* Effect.forEach(parts, (each) => Effect.map(look(each), (finding) => found(each, finding)))
    const now = yield* transport.account.serverTime
    // A request that is signed too early is refused, so none is taken later than this.
    const lastArrival = Math.min(at, now + tolerance) + recvWindow
    const isOver = now >= lastArrival + tolerance + listedWithin
    const isFinal = (part: Part | undefined): part is Part => part !== undefined && (creates !== undefined || isOver)
    if (!early.every(isFinal)) yield* passed(transport, lastArrival + tolerance + listedWithin)
    const age = Math.max((yield* transport.account.serverTime) - at, 0)
    const judged = yield* Effect.forEach(parts, (each, index) => {
      const part = early[index]
      if (isFinal(part)) return Effect.succeed(part)
      return Effect.map(
        look(each),
        (finding) => found(each, finding) ?? undecided(endpoint, each, finding.evidence, age)
      )
    })
    const evidence = undecidedEvidence(endpoint, judged)
    if (evidence.length > 0) return { _tag: "StillOpen", entry, failure: undefined, evidence }
    const closed = { _tag: "Closed", entry, judgeableFrom: DateTime.unsafeMake(lastArrival), mayRepeat } as const
    return lookUp === undefined
      ? { ...closed, executed: "unknowable", reason: "no operation lists it", parts: [] }
      : { ...closed, ...overall(judged), parts: judged }
  })

const isOf = ({ intent }: Entry, { host, key, uid }: Transport.Identity): boolean =>
  intent.host === host && (intent.key === key || (uid !== undefined && intent.uid === uid))

/**
 * Looks up the open entries of this account and closes each in the journal, in any order. Entries of other accounts are left to theirs: an
 * account is recognised by its UID where the credentials declare it, otherwise by its key.
 *
 * An order that is found under its id is closed at once. Any other entry is looked up when its request can arrive no more: one
 * receive window after its signature, and `listedWithin` later, by the service's clock. A transfer whose record is pending, or belongs to a
 * transfer with other contents, stays open.
 *
 * Entries of calls that are under way are left alone. Run it when the application starts, before its first write.
 *
 * @since 0.1.0
 * @category running
 */
export const reconcile = (
  options: Options = {}
): Stream.Stream<Closed | StillOpen, WriteJournalFailed, WriteJournal | Transport.Transport> =>
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
      const resolved = (entry: Entry, endpoint: Endpoint.Properties) =>
        resolve(transport, endpoint, entry, listedWithin).pipe(
          Effect.tap((result) =>
            result._tag === "StillOpen"
              ? Effect.void
              : journal.end(entry.intent.id, {
                  _tag: "Reconciled",
                  executed: result.executed,
                  reason: result.reason
                })
          ),
          Effect.catchIf(
            (error): error is Failure.ReadFailure => error._tag !== "WriteJournalFailed",
            (failure) => Effect.succeed<StillOpen>({ _tag: "StillOpen", entry, failure, evidence: [] })
          )
        )
      return Stream.fromIterable((yield* journal.open).filter((entry) => isOf(entry, identity))).pipe(
        Stream.mapEffect(
          (entry): Effect.Effect<Closed | StillOpen, WriteJournalFailed> => {
            const endpoint = known.get(entry.intent.operation)
            return endpoint === undefined
              ? Effect.succeed({ _tag: "StillOpen", entry, failure: undefined, evidence: [] })
              : resolved(entry, endpoint)
          },
          { concurrency, unordered: true }
        )
      )
    })
  )
