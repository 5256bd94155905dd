import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as CallOptions from "../model/CallOptions.js"
import * as Failure from "../model/Failure.js"
import { isRefusedWith, type InterpretedResponse, makeUnexpected } from "../response/answer.js"
import type { Attempt, AttemptFailure, Call } from "../attempt/callState.js"
import type * as guardHook from "../guard/guardHook.js"
import type { ChargesOf } from "../limits/charges.js"
import { codecOf, type Essence, type Mismatch } from "../response/codec.js"
import type { Add } from "../model/Inherit.js"
import * as monotonic from "../time/monotonic.js"
import * as timeLimit from "../time/timeLimit.js"
import { repeat } from "./retry.js"
import { excerpt } from "../model/ShownText.js"
import type { Scrub } from "../model/secretsInText.js"
import * as telemetry from "../telemetry/telemetry.js"
import * as Limits from "../limits/Limits.js"
import * as Priorities from "../model/Priorities.js"
import { andThen, interruptibleWhereItWaits, onExit, type Restore } from "../model/ended.js"
import * as outcome from "./outcome.js"
import * as callContext from "../model/callContext.js"
import type * as send from "./send.js"
import * as SentWrites from "./SentWrites.js"
import * as wrapped from "./wrapped.js"

/** The dependencies of the calls of a transport. */
export interface CallDependencies extends send.SendDependencies {
  readonly scrub: Scrub
  readonly hasKey: boolean
  readonly chargesOf: ChargesOf
  readonly guard: guardHook.Hook | undefined
  /** Adds the references that were provided to the layer of the transport. */
  readonly inherit: Add | undefined
  readonly sent: SentWrites.Memory
}

/** Decodes the content of an envelope; `body` is the text of the whole response. */
type Decode<A> = (result: unknown, body: string) => Either.Either<A, Mismatch>

/** The parts that all calls of a transport share. */
interface CallParts extends Pick<
  CallDependencies,
  "chargesOf" | "clock" | "guard" | "hasKey" | "inherit" | "journal" | "sent" | "writer"
> {
  readonly execute: wrapped.Execute
  readonly outcomes: outcome.Outcomes
}

const begin = ({ chargesOf, outcomes }: CallParts, call: Call): Attempt => {
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
    reading: undefined
  }
}

/** Logs the details of a write that cannot be read. */
const notice = ({ operation, scrub }: Attempt, unreadable: Essence["unreadable"]): Effect.Effect<void> =>
  Effect.forEach(
    unreadable,
    ({ expected, path }) =>
      Effect.logWarning(
        `${operation}: ${excerpt(scrub, path)} cannot be read and is left out${expected === "" ? "" : `, ${excerpt(scrub, expected)}`}`
      ),
    { discard: true }
  ).pipe(Effect.annotateLogs({ operation }))

/** The result or the failure of a response. */
const decodeResult = <A>(
  attempt: Attempt,
  { answer, verdict }: InterpretedResponse,
  decode: Decode<A>
): Effect.Effect<A, AttemptFailure> => {
  if (Either.isLeft(verdict)) return Exit.fail(verdict.left)
  const { endpoint, entry } = attempt.call
  const { extInfo, result } = verdict.right
  const isExtended = endpoint.extended === true
  if (isExtended) attempt.call.pass?.answered(attempt, verdict.right)
  return andThen(isExtended && entry !== undefined ? entry.answered(verdict.right) : Exit.void, () => {
    const whole = isExtended ? { result, extInfo } : result
    const decoded = decode(whole, answer.body)
    const { result: readable, unreadable }: Essence =
      endpoint.safety === "read"
        ? { result: whole, unreadable: [] }
        : attempt.call.essence(whole, Either.isRight(decoded))
    const read = readable === whole ? decoded : Either.orElse(decode(readable, answer.body), () => decoded)
    if (Either.isLeft(read)) return Exit.fail(makeUnexpected(attempt, answer, read.left.path, read.left.expected))
    return unreadable.length === 0 ? Exit.succeed(read.right) : Effect.as(notice(attempt, unreadable), read.right)
  })
}

const runAttempt = <A>(parts: CallParts, call: Call, decode: Decode<A>, restore: Restore) => {
  const attempt = begin(parts, call)
  return telemetry.attempt(attempt, () =>
    andThen(parts.execute(attempt, restore), (reading) =>
      // Refused for its timestamp, so not executed, and the clock is now corrected: any operation is sent again, once.
      isRefusedWith(reading, "ClockSkew") && Option.isSome(reading.sample)
        ? andThen(parts.execute(attempt, restore), (again) => decodeResult(attempt, again, decode))
        : decodeResult(attempt, reading, decode)
    )
  )
}

/** Runs all attempts. */
const runAttempts = <A>(
  parts: CallParts,
  call: Call,
  decode: Decode<A>,
  restore: Restore
): Effect.Effect<A, Failure.Failure> => {
  const { outcomes } = parts
  const decisive = (failure: Failure.ReadFailure) =>
    call.endpoint.safety === "write" ? (outcomes.doubt(call, failure) ?? failure) : failure
  // Also here, so that a write that cannot leave waits for no rate limit.
  const repeated = andThen(call.pass?.mayDepart(restore) ?? Exit.void, () =>
    repeat(
      call,
      (restore) => runAttempt(parts, call, decode, restore),
      decisive,
      (failure) => outcomes.ended(call, failure),
      restore
    )
  )
  if (call.followed === undefined) return repeated
  return onExit(repeated, (exit): Effect.Effect<A, Failure.Failure> =>
    Exit.isSuccess(exit)
      ? exit
      : restore(
          SentWrites.understand(call, exit, {
            account: parts.writer,
            journal: parts.journal,
            read: outcomes.read,
            decode: (result) => decode(result, ""),
            unknown: (refusal) => outcomes.unknown(call, refusal)
          })
        )
  )
}

/** Ends the call when its time is over, wherever the caller stands. Its fiber is abandoned, and `depart` sends nothing for it any more. */
const withinCallTimeout = <A>(parts: CallParts, call: Call, decode: Decode<A>, restore: Restore) => {
  const timeout = Context.get(call.around.references, CallOptions.CallTimeout)
  if (!Duration.isFinite(timeout)) return runAttempts(parts, call, decode, restore)
  call.deadline = monotonic.unsafeMillis(call.around.time) + Duration.toMillis(timeout)
  const all = interruptibleWhereItWaits((restore) => runAttempts(parts, call, decode, restore))
  const endCall = () => {
    // A timer can fire earlier than the clock shows.
    call.deadline = Number.NEGATIVE_INFINITY
    return parts.outcomes.cutShort(call, `not done within ${Duration.format(timeout)}`)
  }
  return restore(timeLimit.within(all, timeout, endCall))
}

/** Reports an interrupted write, since its failure reaches no caller. */
const reportInterruption = ({ outcomes }: CallParts, call: Call): Effect.Effect<void> => {
  const failure = outcomes.interrupted(call)
  return failure === undefined
    ? Effect.void
    : callContext.within(call.around, Context.get(call.around.references, CallOptions.OnInterruptedWrite)(failure))
}

/** Ends a write. This is the outermost frame of a call: an interruption between its outcome and its end hides the outcome from the caller too. */
const ending = <A>(parts: CallParts, call: Call, exit: Exit.Exit<A, Failure.Failure>, isInterruptible: boolean) => {
  const ended = Effect.withFiberRuntime<A, Failure.Failure>((fiber) => {
    const isPending = isInterruptible && !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))
    call.followed?.conclude(call, exit, isPending)
    return isPending || Exit.isInterrupted(exit) ? Effect.zipRight(reportInterruption(parts, call), exit) : exit
  })
  return call.entry === undefined ? ended : Effect.zipRight(call.entry.conclude(exit), ended)
}

const whole = <A>(parts: CallParts, call: Call, decode: Decode<A>): Effect.Effect<A, Failure.Failure> => {
  const runCounted = (restore: Restore) =>
    telemetry.call(call, (span) => {
      call.span = span
      return withinCallTimeout(parts, call, decode, restore)
    })
  return call.endpoint.safety === "read"
    ? interruptibleWhereItWaits(runCounted)
    : Effect.checkInterruptible((isInterruptible) =>
        interruptibleWhereItWaits((restore) =>
          onExit(runCounted(restore), (exit) => ending(parts, call, exit, isInterruptible))
        )
      )
}

/** Ends a call that sends nothing. */
const refuse = (failure: Failure.Failure, endpoint: Endpoint.Properties, around: callContext.CallContext) =>
  telemetry.call({ endpoint, around, sendings: [] }, () => Exit.fail(failure))

/** Runs a write with a pass of the guard. When the call ends, the pass releases the amounts that were not executed. */
const runGuarded = <A>(
  parts: CallParts,
  guard: guardHook.Hook,
  call: Call,
  decode: Decode<A>
): Effect.Effect<A, Failure.Failure> =>
  Effect.uninterruptibleMask((restore) =>
    andThen(enterGuard(parts, guard, call, restore), (entered) =>
      Either.match(entered, {
        onLeft: (blocked) => refuse(blocked, call.endpoint, call.around),
        onRight: (pass) => {
          call.pass = pass
          return Effect.ensuring(
            restore(Effect.suspend(() => whole(parts, call, decode))),
            Effect.map(hostTime(parts, guard), (time) => {
              pass.end(call)
              // Amounts of this host count for other hosts, too.
              const now = monotonic.unsafeMillis(call.around.time)
              if (time !== undefined) guard.learnTime(parts.writer.host, time, now)
            })
          )
        }
      })
    )
  )

/** Enters the guard. If amounts of earlier processes fill a cap and can be old, the service's time is read first. */
const enterGuard = (
  parts: CallParts,
  guard: guardHook.Hook,
  call: Call,
  restore: Restore
): Effect.Effect<ReturnType<guardHook.Hook["enter"]>> => {
  const { writer } = parts
  const enter = () => andThen(hostTime(parts, guard), (time) => Exit.succeed(guard.enter(call, writer, time)))
  return andThen(enter(), (entered) => {
    const wallClock = call.around.time.unsafeCurrentTimeMillis()
    if (Either.isRight(entered) || !guard.gainsByTime(entered.left, writer.host, wallClock)) {
      return Exit.succeed(entered)
    }
    const { endpoint, request } = guard.timeCall
    const read = run(parts, endpoint, request, codecOf(endpoint).decode)
    return Effect.flatMap(restore(callContext.within(call.around, Effect.either(read))), enter)
  })
}

/** The service's time, if the guard needs it and a response has contained it. */
const hostTime = ({ clock, writer }: CallParts, guard: guardHook.Hook): Effect.Effect<number | undefined> =>
  guard.needsTime(writer.host) ? Effect.map(clock.stated(writer.host), Option.getOrUndefined) : Exit.succeed(undefined)

const run = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety, A>(
  parts: CallParts,
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
  request: Req,
  decode: Decode<A>
): Effect.Effect<A, Failure.Of<S>> => {
  const { guard, sent, writer } = parts
  const started = Effect.withFiberRuntime<A, Failure.Failure>((fiber) => {
    const around = callContext.of(fiber, parts.inherit)
    const { encode, essence } = codecOf(endpoint)
    const encoded = encode(request)
    if (Either.isLeft(encoded)) return refuse(encoded.left, endpoint, around)
    if (endpoint.signing !== "public" && !parts.hasKey) {
      const failure = new Failure.Unauthorized({ operation: endpoint.name, attempts: [], reason: "Credentials" })
      return refuse(failure, endpoint, around)
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
      followed: SentWrites.follow(sent, writer, { endpoint, parameters: encoded.right })
    }
    return guard === undefined || endpoint.safety === "read"
      ? whole(parts, call, decode)
      : runGuarded(parts, guard, call, decode)
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
  const { chargesOf, clock, guard, hasKey, inherit, journal, scrub, sent, writer } = dependencies
  const outcomes = outcome.make(scrub, (endpoint, request) => run(parts, endpoint, request, codecOf(endpoint).decode))
  const execute = wrapped.make(dependencies)
  const parts: CallParts = { chargesOf, clock, guard, hasKey, inherit, journal, sent, writer, execute, outcomes }
  return (endpoint, request, decode) => run(parts, endpoint, request, decode)
}
