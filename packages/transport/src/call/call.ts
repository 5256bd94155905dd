import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { constVoid, identity } from "effect/Function"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as CallOptions from "../model/CallOptions.js"
import * as Failure from "../model/Failure.js"
import type { Attempt, Call, Restore, Venue } from "../attempt/callState.js"
import type * as GuardHook from "../guard/GuardHook.js"
import type * as JournalHook from "../journal/JournalHook.js"
import type { WriteJournal } from "../journal/WriteJournal.js"
import type { ChargesOf } from "../limits/charges.js"
import { codecOf } from "../response/codec.js"
import type { Add } from "../model/Inherit.js"
import * as monotonic from "../time/monotonic.js"
import * as TimeLimit from "../time/TimeLimit.js"
import { repeat } from "./retry.js"
import type { Scrub } from "../model/secretsInText.js"
import * as telemetry from "../telemetry/telemetry.js"
import * as Limits from "../limits/Limits.js"
import * as Priorities from "../model/Priorities.js"
import * as outcome from "../attempt/outcome.js"
import * as callContext from "../model/callContext.js"
import { onEnd, onSuccess } from "../model/exits.js"
import { type Execute, runAttempt } from "./attempt.js"
import type { Decode } from "./reading.js"
import * as SentWrites from "./SentWrites.js"
import * as wrapped from "./wrapped.js"

/** The dependencies of the calls of a transport. */
export interface CallDependencies {
  readonly venue: Venue
  readonly writer: JournalHook.Writer
  /** The journal of all writes. */
  readonly journal: WriteJournal.Shape | undefined
  readonly guard: GuardHook.Hook | undefined
  readonly scrub: Scrub
  readonly hasKey: boolean
  readonly chargesOf: ChargesOf
  /** Adds the references that were provided to the layer of the transport. */
  readonly inherit: Add | undefined
  readonly sent: SentWrites.Memory
}

/** The parts that all calls of a transport share. */
interface CallParts extends CallDependencies {
  readonly execute: Execute
  readonly outcomes: outcome.Outcomes
}

const begin = ({ chargesOf, outcomes }: CallParts, call: Call, restore: Restore): Attempt => {
  const { references, time } = call.around
  const priority = Context.get(references, CallOptions.Priority)
  const { attempts, operation, scrub } = outcomes.head(call)
  // Do not spread into the literal, which is ten times slower if more fields follow.
  return {
    operation,
    attempts,
    scrub,
    call,
    charges: chargesOf(call.endpoint, call.parameters, Context.get(references, Limits.Limits)),
    priority: priority === "by operation" ? Priorities.ofEndpoint(call.endpoint) : priority,
    turn: Context.get(references, CallOptions.Turn),
    sendings: [],
    now: () => monotonic.unsafeMillis(time),
    wall: () => time.unsafeCurrentTimeMillis(),
    waited: 0,
    restore,
    reading: undefined
  }
}

/** Runs the attempts of a call, in an uninterruptible region. `restore` makes what waits interruptible. */
const runAttempts = <A>(
  parts: CallParts,
  call: Call,
  decode: Decode<A>,
  restore: Restore
): Effect.Effect<A, Failure.Failure> => {
  const attempt = () => runAttempt(begin(parts, call, restore), parts.execute, decode)
  if (call.pass === undefined) return repeat(call, attempt, parts.outcomes, restore)
  // Also here, so that a write that cannot leave waits for no rate limit.
  return onSuccess(restore(call.pass.mayDepart), () => repeat(call, attempt, parts.outcomes, restore))
}

/** Ends the call when its time is over, wherever the caller stands. Its fiber is abandoned, and nothing departs for it any more. */
const runInTime = <A>(parts: CallParts, call: Call, decode: Decode<A>) => {
  const timeout = Context.get(call.around.references, CallOptions.CallTimeout)
  if (!Duration.isFinite(timeout)) return runAttempts(parts, call, decode, call.restore)
  call.deadline = monotonic.unsafeMillis(call.around.time) + Duration.toMillis(timeout)
  const attempts = Effect.uninterruptibleMask((restore) => runAttempts(parts, call, decode, restore))
  const inTime = TimeLimit.within(attempts, timeout, () => {
    // A timer can fire earlier than the clock shows.
    call.deadline = Number.NEGATIVE_INFINITY
    return parts.outcomes.cutShort(call, `not done within ${Duration.format(timeout)}`)
  })
  return call.restore(inTime)
}

/** Understands any failure of a write, since another call with its id can have been executed. */
const understand =
  <A>({ journal, outcomes, writer }: CallParts, call: Call, decode: Decode<A>) =>
  <F extends Failure.Failure>(failure: F) =>
    SentWrites.understand<A, F>(call, failure, {
      account: writer,
      journal,
      read: outcomes.read,
      decode: (result) => decode(result, ""),
      unknown: (because) => outcomes.unknown(call, because),
      inTime: (effect) => {
        const remaining = Math.max(call.deadline - monotonic.unsafeMillis(call.around.time), 0)
        return remaining === 0 ? Effect.fail("over") : TimeLimit.within(effect, Duration.millis(remaining), constVoid)
      }
    })

/** Runs a call with its telemetry. In an uninterruptible region. */
const runCounted = <A>(parts: CallParts, call: Call, decode: Decode<A>) =>
  telemetry.call(call, (span) => {
    call.span = span
    const inTime = runInTime(parts, call, decode)
    return call.followed === undefined
      ? inTime
      : Effect.catchAll(inTime, (failure) => call.restore(understand(parts, call, decode)(failure)))
  })

/** Reports an interrupted write, since its failure reaches no caller. */
const reportInterruption = ({ outcomes }: CallParts, call: Call): Effect.Effect<void> => {
  const failure = outcomes.interrupted(call)
  return failure === undefined
    ? Effect.void
    : Context.get(call.around.references, CallOptions.OnInterruptedWrite)(failure)
}

/** Runs a write, and ends it for its journal and its id. An interruption between its outcome and its end hides the outcome from the caller too. */
const runWrite = <A>(parts: CallParts, call: Call, decode: Decode<A>): Effect.Effect<A, Failure.Failure> =>
  onEnd(runCounted(parts, call, decode), (exit) => {
    const ended = Effect.withFiberRuntime<A, Failure.Failure>((fiber) => {
      const isPending = call.isInterruptible && !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))
      call.followed?.conclude(call, exit, isPending)
      return isPending || Exit.isInterrupted(exit) ? Effect.zipRight(reportInterruption(parts, call), exit) : exit
    })
    return call.entry === undefined ? ended : Effect.zipRight(call.entry.conclude(exit), ended)
  })

/** Ends a call that sends nothing. */
const refuse = <A>(
  refusal: Effect.Effect<A, Failure.Failure>,
  endpoint: Endpoint.Properties,
  around: callContext.CallContext
) => telemetry.call({ endpoint, around, sendings: [] }, () => refusal)

/** Runs a write with a pass of the guard. When the call ends, the pass releases the amounts that were not executed. */
const runGuarded = <A>(
  parts: CallParts,
  guard: GuardHook.Hook,
  call: Call,
  decode: Decode<A>
): Effect.Effect<A, Failure.Failure> => {
  const { writer } = parts
  const { time } = call.around
  const enter = Effect.map(hostTime(parts, guard, call), (hostTime) => guard.enter(call, writer, hostTime))
  // If amounts of earlier processes fill a cap and can be old, the service's time is read first.
  const entered = Effect.flatMap(enter, (entry) =>
    Either.isLeft(entry) && guard.gainsByTime(entry.left, writer.host, time.unsafeCurrentTimeMillis())
      ? Effect.zipRight(call.restore(readTime(parts, guard)), enter)
      : Effect.succeed(entry)
  )
  return Effect.flatMap(entered, (entry) => {
    if (Either.isLeft(entry)) {
      return refuse(call.restore(understand(parts, call, decode)(entry.left)), call.endpoint, call.around)
    }
    const pass = entry.right
    call.pass = pass
    const end = Effect.map(hostTime(parts, guard, call), (hostTime) => {
      pass.end(call)
      // Amounts of this host count for other hosts, too.
      if (hostTime !== undefined) guard.learnTime(writer.host, hostTime, monotonic.unsafeMillis(time))
    })
    return onEnd(runWrite(parts, call, decode), (exit) => Effect.zipRight(end, exit))
  })
}

/** Makes a call whose response contains the service's time. */
const readTime = (parts: CallParts, { timeCall: { endpoint, request } }: GuardHook.Hook) =>
  Effect.either(run(parts, endpoint, request, codecOf(endpoint).decode))

/** The service's time, if the guard needs it and a response has contained it. */
const hostTime = ({ venue: { clock }, writer }: CallParts, guard: GuardHook.Hook, { around }: Call) =>
  guard.needsTime(writer.host)
    ? Effect.map(
        Effect.suspend(() => clock.stated(writer.host, around.time)),
        Option.getOrUndefined
      )
    : Effect.succeed(undefined)

const run = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety, A>(
  parts: CallParts,
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
  request: Req,
  decode: Decode<A>
): Effect.Effect<A, Failure.Of<S>> => {
  const { guard, sent, writer } = parts
  const started = Effect.withFiberRuntime<A, Failure.Failure>((fiber, { runtimeFlags }) => {
    const around = callContext.of(fiber, parts.inherit)
    const { encode, essence } = codecOf(endpoint)
    const encoded = encode(request)
    if (Either.isLeft(encoded)) return refuse(Effect.fail(encoded.left), endpoint, around)
    if (endpoint.signing !== "public" && !parts.hasKey) {
      const failure = new Failure.Unauthorized({ operation: endpoint.name, attempts: [], reason: "Credentials" })
      return refuse(Effect.fail(failure), endpoint, around)
    }
    const call: Call = {
      around,
      endpoint,
      parameters: encoded.right,
      essence,
      attempts: [],
      sendings: [],
      signatures: [],
      deadline: Infinity,
      span: undefined,
      entry: undefined,
      pass: undefined,
      isInterruptible: true,
      restore: identity,
      followed: SentWrites.follow(sent, writer, { endpoint, parameters: encoded.right })
    }
    return Effect.uninterruptibleMask((restore) => {
      call.isInterruptible = RuntimeFlags.interruption(runtimeFlags)
      call.restore = restore
      return callContext.provide(fiber, around, () =>
        endpoint.safety === "read"
          ? runCounted(parts, call, decode)
          : guard === undefined
            ? runWrite(parts, call, decode)
            : runGuarded(parts, guard, call, decode)
      )
    })
  })
  // It fails with an OutcomeUnknown only for writes, and with an UnexpectedResponse only for reads. Tests check that this matches `Of` for the endpoint's
  // safety, since the compiler cannot follow a type parameter through it.
  return started as Effect.Effect<A, Failure.Of<S>>
}

/** Runs a call. `decode` reads the content of the envelope. */
export type Run = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety, A>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
  request: Req,
  decode: Decode<A>
) => Effect.Effect<A, Failure.Of<S>>

/**
 * The path of one call:
 *
 * request -> encode and check the rules -> [ rate limits -> ban gate -> sign -> send -> headers feed the limits -> envelope -> return code -> decode ] ->
 * result, or a typed failure, after which the retry policy repeats the part in brackets.
 */
export const make = (dependencies: CallDependencies): Run => {
  const outcomes = outcome.make(dependencies.scrub, (endpoint, request) =>
    run(parts, endpoint, request, codecOf(endpoint).decode)
  )
  const parts: CallParts = { ...dependencies, execute: wrapped.make(dependencies.venue), outcomes }
  return (endpoint, request, decode) => run(parts, endpoint, request, decode)
}
