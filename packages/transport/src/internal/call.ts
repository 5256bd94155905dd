import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as CallOptions from "../CallOptions.js"
import * as Failure from "../Failure.js"
import * as Limits from "../Limits.js"
import * as Priority from "../Priority.js"
import { type Ambiguous, isAmbiguous } from "./ambiguous.js"
import type { Attempt, Call } from "./callState.js"
import type { ChargesOf } from "./charges.js"
import { codecOf, type Mismatch } from "./codec.js"
import * as execute from "./execute.js"
import * as monotonic from "./monotonic.js"
import { type Head, isRefusedWith, unexpected } from "./answer.js"
import { repeated } from "./retry.js"
import type { Scrub } from "./secretsInText.js"
import * as sendings from "./sending.js"
import * as telemetry from "./telemetry.js"
import * as unknownOutcome from "./unknownOutcome.js"

/** What the calls of a transport need. */
export interface Dependencies extends execute.Dependencies {
  readonly scrub: Scrub
  readonly hasKey: boolean
  readonly chargesOf: ChargesOf
}

/** Reads the content of an envelope; `body` is the text of the whole answer. */
type Decode<A> = (result: unknown, body: string) => Either.Either<A, Mismatch>

/**
 * The way of one call:
 *
 * request -> encode and check the rules -> [ rate limits -> ban gate -> sign -> send -> headers feed the limits -> envelope -> return
 * code -> decode ] -> result, or a typed failure, after which the retry policy repeats what is in brackets.
 */
export const make = (dependencies: Dependencies) => {
  const { chargesOf, hasKey, host, scrub } = dependencies
  const executed = execute.make(dependencies)

  const head = ({ attempts, endpoint, signatures }: Call): Head => ({
    operation: endpoint.name,
    attempts: [...attempts],
    scrub: (text) => scrub(text, signatures)
  })

  const begin = (call: Call, references: Context.Context<never>, time: Clock.Clock): Attempt => {
    const priority = Context.get(references, Priority.Priority)
    return {
      ...head(call),
      call,
      charges: chargesOf(call.endpoint, call.parameters, Context.get(references, Limits.Limits)),
      priority: priority === "by operation" ? Priority.ofEndpoint(call.endpoint) : priority,
      turn: Context.get(references, Priority.Turn),
      sendings: [],
      now: () => monotonic.unsafeMillis(time),
      wall: () => time.unsafeCurrentTimeMillis(),
      waited: 0,
      reading: undefined
    }
  }

  const attempted = Effect.fnUntraced(function* <A>(attempt: Attempt, decode: Decode<A>) {
    const { extended } = attempt.call.endpoint
    let reading = yield* executed(attempt)
    // Refused for its timestamp, so not executed, and the clock has been learnt: sent again whatever it is, once.
    if (isRefusedWith(reading, "ClockSkew") && Option.isSome(reading.sample)) reading = yield* executed(attempt)
    const unwrapped = yield* reading.verdict
    const { extInfo, result } = unwrapped
    if (extended === true && attempt.call.entry !== undefined) yield* attempt.call.entry.answered(unwrapped)
    const content = extended === true ? { result, extInfo } : result
    return yield* Either.mapLeft(decode(content, reading.answer.body), ({ expected, path }) =>
      unexpected(attempt, reading.answer, path, expected)
    )
  })

  /** The failure of the call after the failure of its last attempt: of a write unknown if any sending may have been executed. */
  const doubt = (call: Call, failure: Failure.ReadFailure): Ambiguous | undefined => {
    if (call.endpoint.safety === "read") return undefined
    const own = isAmbiguous(failure) ? failure : undefined
    const dropped = "a wrapped client did not return the answer"
    return (
      sendings.doubt(
        call.sendings,
        head(call),
        () => own ?? sendings.connectionFailed(head(call), "Connection", true, dropped)
      ) ?? own
    )
  }

  const inDoubt = (call: Call, because: Ambiguous, isAccepted = false): Failure.OutcomeUnknown =>
    unknownOutcome.make(
      call.endpoint,
      call.parameters,
      because,
      [...call.attempts],
      (read, request) => run(read, request, codecOf(read).decode),
      isAccepted
    )

  const ended = (call: Call, failure: Failure.ReadFailure): Failure.Failure => {
    const because = doubt(call, failure)
    return because === undefined ? failure : inDoubt(call, because)
  }

  /** The failure of a call that is cut short where it stands. */
  const cutShort = (call: Call, detail: string): Failure.Failure =>
    ended(call, sendings.connectionFailed(head(call), "Timeout", sendings.mayBeExecuted(call.sendings), detail))

  /** What to report of a write that is interrupted: nothing if none of its sendings may have been executed. */
  const interrupted = (call: Call): Failure.OutcomeUnknown | undefined => {
    // The parts of a batch are accepted or refused one by one, which its caller judges.
    if (call.endpoint.extended !== true && call.sendings.some(sendings.isExecuted)) {
      const detail = "after the service had accepted it"
      return inDoubt(call, sendings.connectionFailed(head(call), "Interrupted", true, detail), true)
    }
    const failure = cutShort(call, "interrupted")
    return failure._tag === "OutcomeUnknown" ? failure : undefined
  }

  // Not Effect.raceFirst: interrupted in the one step between making its fibers and starting them, it waits for them forever.
  const withinCallTimeout = <A>(call: Call, effect: Effect.Effect<A, Failure.Failure>) =>
    Effect.flatMap(CallOptions.CallTimeout, (timeout) =>
      Duration.isFinite(timeout)
        ? Effect.timeoutTo(effect, {
            duration: timeout,
            onSuccess: (value): Exit.Exit<A, Failure.Failure> => Exit.succeed(value),
            onTimeout: () => Exit.fail(cutShort(call, `not done within ${Duration.format(timeout)}`))
          }).pipe(Effect.flatten)
        : effect
    )

  /**
   * An interrupted write has no caller left to fail to. This is the outermost frame of a call: an interruption that comes after its
   * outcome and before its end takes the outcome from the caller too.
   */
  const reportedWhenInterrupted = <A>(call: Call, effect: Effect.Effect<A, Failure.Failure>) => {
    if (call.endpoint.safety === "read") return effect
    const report = Effect.suspend(() => {
      const failure = interrupted(call)
      return failure === undefined
        ? Effect.void
        : Effect.flatMap(CallOptions.OnInterruptedWrite, (report) => report(failure))
    })
    return Effect.checkInterruptible((isInterruptible) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.exit(restore(effect)), (exit) => {
          const ended = Effect.withFiberRuntime<A, Failure.Failure>((fiber) => {
            const isPending = isInterruptible && !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))
            return isPending || Exit.isInterrupted(exit) ? Effect.zipRight(report, exit) : exit
          })
          return call.entry === undefined ? ended : Effect.zipRight(call.entry.conclude(exit), ended)
        })
      )
    )
  }

  const sent = <A>(call: Call, decode: Decode<A>): Effect.Effect<A, Failure.Failure> => {
    const attempt = Effect.flatMap(Effect.context<never>(), (references) =>
      Effect.clockWith((time) => {
        const attempt = begin(call, references, time)
        return telemetry.attempt(attempted(attempt, decode), attempt)
      })
    )
    const decisive = (failure: Failure.ReadFailure) =>
      call.endpoint.safety === "write" ? (doubt(call, failure) ?? failure) : failure
    const concluded = Effect.mapError(repeated(call, attempt, decisive), (failure) => ended(call, failure))
    return withinCallTimeout(call, concluded)
  }

  const run = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety, A>(
    endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
    request: Req,
    decode: Decode<A>
  ): Effect.Effect<A, Failure.Of<S>> => {
    const started = Effect.suspend((): Effect.Effect<A, Failure.Failure> => {
      const encoded = codecOf(endpoint).encode(request)
      if (Either.isLeft(encoded)) return telemetry.call(Effect.fail(encoded.left), endpoint, host)
      if (endpoint.signing !== "public" && !hasKey) {
        const failure = new Failure.Unauthorized({ operation: endpoint.name, attempts: [], reason: "Credentials" })
        return telemetry.call(failure, endpoint, host)
      }
      const call: Call = {
        endpoint,
        parameters: encoded.right,
        attempts: [],
        sendings: [],
        signatures: [],
        entry: undefined
      }
      return reportedWhenInterrupted(call, telemetry.call(sent(call, decode), endpoint, host))
    })
    // It fails with an OutcomeUnknown only for writes, and with an UnexpectedResponse only for reads; that this is what `Of` says for
    // the endpoint's safety is checked by the tests, since the compiler cannot follow a type parameter through it.
    return started as Effect.Effect<A, Failure.Of<S>>
  }

  return run
}
