/**
 * The callers of a run: each sends its call at its time, may be interrupted, and its outcome is recorded.
 */
import * as Venue from "@effect-venue/services/Venue"
import type * as RateLimiter from "@effect-venue/transport/RateLimiter"
import type * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Calls from "./Calls.js"
import type * as Draws from "./Draws.js"
import type * as Journal from "./Journal.js"
import * as Network from "./Network.js"
import type * as Plan from "./Plan.js"
import type * as Recorder from "./Recorder.js"
import type * as Sim from "./Sim.js"

const retrying = (client: CallOptions.Client): CallOptions.Client =>
  HttpClient.retryTransient(client, { times: 2, schedule: Schedule.spaced("100 millis") })

const slowly = (signer: Signer.Signer.Shape, draws: Draws.Draws, longest: number): Signer.Signer.Shape => {
  let count = 0
  return {
    sign: (request) =>
      Effect.zipRight(
        Effect.suspend(() => Effect.sleep(draws.fraction("signing", ++count) * longest)),
        signer.sign(request)
      )
  }
}

/** The services over connections of a world. */
export const services = (
  credentials: Credentials.Credentials["Type"],
  draws: Draws.Draws,
  { signing }: Pick<Plan.Plan, "signing">
): Layer.Layer<
  Calls.Services,
  never,
  BanGate.BanGate | HttpClient.HttpClient | RateLimiter.RateLimiter | ServerClock.ServerClock
> =>
  Venue.layerServices.pipe(
    Layer.provide(Transport.layer),
    Layer.provide(
      Layer.effect(
        Signer.Signer,
        Effect.map(Signer.Signer, (signer) => (signing > 0 ? slowly(signer, draws, signing) : signer))
      ).pipe(Layer.provide(Signer.layer))
    ),
    Layer.provide(Layer.succeed(Credentials.Credentials, credentials))
  )

export interface Dependencies {
  readonly sim: Sim.Sim
  readonly recorder: Recorder.Recorder
  readonly plan: Pick<Plan.Plan, "calls" | "isRetrying" | "isWaiting">
  readonly secret: Redacted.Redacted
}

export interface Callers {
  /** Runs the callers of calls. */
  readonly run: (calls: ReadonlyArray<Plan.Call>) => Effect.Effect<void, never, Calls.Services>
  /** A request was given to the network, which has not begun to send it. */
  readonly given: (call: string, fault: string | undefined) => void
  /** A request left. */
  readonly sent: (call: string, sending: number, fault: string | undefined) => void
  /** A sending ended, as the library sees it. */
  readonly ended: (call: string, sending: number, isBan: boolean, answer?: Journal.Ended["answer"]) => void
  /** Nothing is heard of a call any more: its process has died. */
  readonly forget: (call: string) => void
  readonly open: ReadonlySet<string>
  readonly leaks: ReadonlyArray<string>
  /** Looks for the secret in what is logged. */
  readonly logger: Layer.Layer<never>
}

interface Tracked {
  readonly phase: "answered" | "inFlight" | "queued"
  readonly fault: string | undefined
}

export const make = ({ plan, recorder, secret, sim }: Dependencies): Callers => {
  const { add, cover } = recorder
  const leaks: Array<string> = []
  const open = new Set(plan.calls.map(({ id }) => id))
  const tracked = new Map<string, Tracked>()
  const kinds = new Map(plan.calls.map(({ id, kind }) => [id, kind]))

  const checkSecret = (text: string) => {
    if (text.includes(Redacted.value(secret))) leaks.push(text.slice(0, 200))
  }

  const report = (call: Plan.Call, exit: Exit.Exit<ReadonlyArray<Calls.Outcome>, Failure.Failure>) => {
    open.delete(call.id)
    const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : undefined
    if (failure?._tag === "Some") checkSecret(`${String(failure.value)} ${JSON.stringify(failure.value)}`)
    for (const outcome of Calls.outcomesOf(call, exit)) {
      cover(`${call.kind} reported ${outcome.outcome}`)
      add(
        { _tag: "Reported", call: call.id, ...outcome },
        `report   ${outcome.wish} ${outcome.outcome} ${outcome.tag.split("\n")[0] ?? ""}`
      )
    }
  }

  const interrupt = (call: Plan.Call, fiber: Fiber.RuntimeFiber<unknown, unknown>) => {
    if (!open.has(call.id)) return
    const { fault, phase } = tracked.get(call.id) ?? { phase: "queued", fault: undefined }
    cover(`${call.kind} interrupted ${phase}`)
    cover(`${fault ?? "no fault"} x ${phase} x interrupted`)
    sim.trace(`interrupt ${call.id}`)
    fiber.unsafeInterruptAsFork(FiberId.none)
  }

  const caller = (call: Plan.Call) =>
    Calls.send(call).pipe(
      Effect.provideService(Network.CurrentCall, call.id),
      Effect.provideService(CallOptions.CallTimeout, Duration.millis(call.timeout ?? 3_600_000)),
      Effect.provideService(BanGate.WhenBanned, plan.isWaiting ? "wait" : "fail"),
      Effect.provideService(CallOptions.OnInterruptedWrite, (failure: Failure.OutcomeUnknown) =>
        Effect.sync(() => {
          checkSecret(JSON.stringify(failure))
          add({ _tag: "Abandoned", call: call.id }, `abandon  ${call.id}`)
        })
      ),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          report(call, exit)
        })
      ),
      Effect.exit
    )

  return {
    run: (calls) =>
      Effect.flatMap(
        Effect.forEach(calls, (call) =>
          Effect.fork(
            Effect.flatMap(Effect.zipRight(Effect.sleep(call.at), Effect.fork(caller(call))), (fiber) => {
              if (call.interruptedAfter !== undefined) {
                sim.after(call.interruptedAfter, () => {
                  interrupt(call, fiber)
                })
              }
              return Fiber.await(fiber)
            })
          )
        ),
        (fibers) => Effect.asVoid(Fiber.awaitAll(fibers))
      ),
    given: (call, fault) => {
      tracked.set(call, { phase: "queued", fault })
    },
    sent: (call, sending, fault) => {
      tracked.set(call, { phase: "inFlight", fault })
      if (fault !== undefined) cover(`${fault} x ${kinds.get(call) ?? ""}`)
      add({ _tag: "Sent", call, sending }, `send     ${call}.${sending} ${fault ?? ""}`)
    },
    ended: (call, sending, isBan, answer) => {
      tracked.set(call, { phase: "answered", fault: tracked.get(call)?.fault })
      add({ _tag: "Ended", call, sending, isBan, answer }, `receive  ${call}.${sending}${isBan ? " ban" : ""}`)
    },
    forget: (call) => {
      if (!open.delete(call)) return
      const { fault, phase } = tracked.get(call) ?? { phase: "queued", fault: undefined }
      cover(`${fault ?? "no fault"} x ${phase} x death`)
    },
    open,
    leaks,
    logger: Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ annotations, message }) => {
        checkSecret(JSON.stringify([message, [...annotations]]))
      })
    )
  }
}

/** Wraps the client of all calls as the application does. */
export const transforming =
  (isRetrying: boolean) =>
  (client: CallOptions.Client): CallOptions.Client =>
    isRetrying ? retrying(client) : client
