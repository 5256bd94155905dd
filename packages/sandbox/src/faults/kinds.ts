import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Faults from "./Faults.js"
import * as Answer from "../handling/answer.js"
import * as Refusal from "../handling/refusal.js"
import * as Edits from "./edits.js"

/** The part of a request that faults use. */
export interface Arrival {
  readonly endpoint: Endpoint.Any
  readonly uid: Option.Option<string>
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The response, and the server's time when it is sent. */
export interface Reply {
  readonly answer: Answer.Answer
  readonly now: number
  /** The number of characters of the body that are sent before the connection breaks. */
  readonly breaksAfter?: number
}

/** The effect of a fault on a request: the reply, and whether the fault applied. */
export interface Met {
  readonly reply: Reply
  readonly applied: boolean
}

/** The latest rows of every list. */
export interface Pages {
  readonly before: (list: string) => Option.Option<ReadonlyArray<unknown>>
}

export interface Scene {
  readonly arrival: Arrival
  /** The server's time on arrival. */
  readonly now: number
  /** Executes the request now. */
  readonly execute: Effect.Effect<Reply>
  readonly pages: Pages
}

const reset: Effect.Effect<never, Faults.ConnectionReset> = Effect.suspend(() => new Faults.ConnectionReset())

const page =
  "<!DOCTYPE html>\n<html><head><title>Just a moment</title></head><body><h1>Please wait</h1></body></html>\n"

const apply = (reply: Reply): Met => ({ reply, applied: true })

const serverTimedOut = "System error. Please try again later."

const limitHeaders = (
  { limit, resetMillis }: Extract<Faults.Fault, { readonly kind: "rateRefusal" }>,
  { endpoint }: Arrival,
  now: number
): Readonly<Record<string, string>> => {
  const documented = Option.match(endpoint.rateLimit, { onNone: () => 10, onSome: ({ count }) => count })
  return {
    "X-Bapi-Limit": String(limit ?? documented),
    "X-Bapi-Limit-Status": "0",
    "X-Bapi-Limit-Reset-Timestamp": String(now + (resetMillis ?? 1000))
  }
}

const refuse = ({ arrival, now }: Scene, code: number, message: string, at = now): Answer.Answer =>
  Answer.refusal(arrival.endpoint, at, Refusal.make(code, message))

/** Replaces the response without executing the request. */
const instead = (answer: Answer.Answer, now: number): Effect.Effect<Met> => Effect.succeed(apply({ answer, now }))

/** Replaces the response. The request is executed only if the fault says so. */
const replace = ({ executed }: { readonly executed: boolean }, scene: Scene, answer: Answer.Answer) =>
  executed ? Effect.map(scene.execute, ({ now }) => apply({ answer, now })) : instead(answer, scene.now)

/** Edits the real response, if it contains something to edit. */
const editResponse =
  (edit: (envelope: Edits.Envelope, scene: Scene) => Option.Option<Edits.Envelope>) =>
  (_: Faults.Fault, scene: Scene): Effect.Effect<Met> =>
    Effect.map(scene.execute, (reply) =>
      reply.answer.executed !== true
        ? { reply, applied: false }
        : Option.match(
            Option.flatMap(Edits.parse(reply.answer.body), (envelope) => edit(envelope, scene)),
            {
              onNone: () => ({ reply, applied: false }),
              onSome: (envelope) => apply({ ...reply, answer: { ...reply.answer, body: JSON.stringify(envelope) } })
            }
          )
    )

type FaultOf = { readonly [K in Faults.Fault["kind"]]: Extract<Faults.Fault, { readonly kind: K }> }

/** The effect of each kind of fault on a request. */
const effects: {
  readonly [K in keyof FaultOf]: (fault: FaultOf[K], scene: Scene) => Effect.Effect<Met, Faults.ConnectionReset>
} = {
  dropBefore: () => reset,
  dropAfter: (_, { execute }) => Effect.zipRight(execute, reset),
  delay: (fault, { execute }) => {
    if (fault.executed === "atOnce") return Effect.map(Effect.tap(execute, Effect.sleep(fault.millis)), apply)
    // The exchange does not notice that the caller gave up, so the execution continues.
    const late = Effect.forkDaemon(Effect.zipRight(Effect.sleep(fault.millis), execute))
    return Effect.map(Effect.flatMap(late, Fiber.join), apply)
  },
  truncated: (fault, { execute }) =>
    Effect.map(execute, (reply) => {
      const kept = Math.floor(reply.answer.body.length * (fault.keep ?? 0.5))
      return apply(
        fault.breaks
          ? { ...reply, breaksAfter: kept }
          : { ...reply, answer: { ...reply.answer, body: reply.answer.body.slice(0, kept) } }
      )
    }),
  html: (fault, scene) => replace(fault, scene, { status: 200, contentType: "text/html; charset=utf-8", body: page }),
  empty: (fault, scene) =>
    replace(fault, scene, { status: 200, contentType: "application/json; charset=utf-8", body: "" }),
  status: (fault, scene) => replace(fault, scene, Answer.plain(fault.status, fault.text ?? "upstream error")),
  ban: (_, { now }) => instead(Answer.tooFrequent, now),
  rateRefusal: (fault, scene) => {
    const refusal = refuse(scene, 10006, "Too many visits!")
    return instead(
      fault.headers ? { ...refusal, headers: limitHeaders(fault, scene.arrival, scene.now) } : refusal,
      scene.now
    )
  },
  skew: (fault, scene) => {
    const at = scene.now + fault.millis
    const message = `invalid request, please check your server timestamp or recv_window param. server_timestamp[${at}]`
    return instead(refuse(scene, 10002, message, at), at)
  },
  // The clock of the scene is already shifted.
  clock: (_, { execute }) => Effect.map(execute, apply),
  internal: (fault, scene) => replace(fault, scene, refuse(scene, 10016, serverTimedOut)),
  wrongEnvelope: editResponse(Edits.wrongEnvelope),
  nullResult: editResponse(Edits.nullResult),
  repeatedPage: (fault, scene) => {
    const before = scene.pages.before(listOf(scene.arrival))
    return editResponse((envelope) =>
      Option.flatMap(Edits.cursorOf(scene.arrival.parameters), () =>
        Option.flatMap(before, (rows) => Edits.otherRows(envelope, rows))
      )
    )(fault, scene)
  },
  repeatedCursor: editResponse((envelope, { arrival }) =>
    Option.flatMap(Edits.cursorOf(arrival.parameters), (cursor) => Edits.otherCursor(envelope, cursor))
  ),
  missingCursor: editResponse(Edits.missingCursor),
  missingRow: editResponse(Edits.missingRow),
  unknownField: editResponse(Edits.unknownField),
  unknownEnumValue: editResponse(Edits.unknownEnumValue)
}

/** Applies a fault to one request. */
export const meet = <K extends keyof FaultOf>(fault: FaultOf[K] & { readonly kind: K }, scene: Scene) =>
  effects[fault.kind](fault, scene)

/** The list of a request, for any page of it. */
export const listOf = ({ endpoint, parameters, uid }: Arrival): string =>
  Edits.listKey(
    endpoint.name,
    Option.getOrElse(uid, () => ""),
    parameters
  )
