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

/** Applies a fault to one request. */
export const meet = (fault: Faults.Fault, scene: Scene): Effect.Effect<Met, Faults.ConnectionReset> => {
  const { arrival, execute, now, pages } = scene

  const refuse = (code: number, message: string, at = now): Answer.Answer =>
    Answer.refusal(arrival.endpoint, at, Refusal.make(code, message))

  /** Replaces the response. The request is executed only if `executed` is true. */
  const instead = (answer: Answer.Answer, executed: boolean, at = now): Effect.Effect<Met> =>
    executed ? Effect.map(execute, ({ now }) => apply({ answer, now })) : Effect.succeed(apply({ answer, now: at }))

  /** Edits the real response, if it contains something to edit. */
  const editResponse = (edit: (envelope: Edits.Envelope) => Option.Option<Edits.Envelope>): Effect.Effect<Met> =>
    Effect.map(execute, (reply) =>
      reply.answer.executed !== true
        ? { reply, applied: false }
        : Option.match(Option.flatMap(Edits.parse(reply.answer.body), edit), {
            onNone: () => ({ reply, applied: false }),
            onSome: (envelope) => apply({ ...reply, answer: { ...reply.answer, body: JSON.stringify(envelope) } })
          })
    )

  switch (fault.kind) {
    case "dropBefore":
      return reset
    case "dropAfter":
      return Effect.zipRight(execute, reset)
    case "delay": {
      if (fault.executed === "atOnce") return Effect.map(Effect.tap(execute, Effect.sleep(fault.millis)), apply)
      // The exchange does not notice that the caller gave up, so the execution continues.
      const late = Effect.forkDaemon(Effect.zipRight(Effect.sleep(fault.millis), execute))
      return Effect.map(Effect.flatMap(late, Fiber.join), apply)
    }
    case "truncated":
      return Effect.map(execute, (reply) => {
        const kept = Math.floor(reply.answer.body.length * (fault.keep ?? 0.5))
        return apply(
          fault.breaks
            ? { ...reply, breaksAfter: kept }
            : { ...reply, answer: { ...reply.answer, body: reply.answer.body.slice(0, kept) } }
        )
      })
    case "html":
      return instead({ status: 200, contentType: "text/html; charset=utf-8", body: page }, fault.executed)
    case "empty":
      return instead({ status: 200, contentType: "application/json; charset=utf-8", body: "" }, fault.executed)
    case "status":
      return instead(Answer.plain(fault.status, fault.text ?? "upstream error"), fault.executed)
    case "ban":
      return instead(Answer.tooFrequent, false)
    case "rateRefusal": {
      const refusal = refuse(10006, "Too many visits!")
      return instead(fault.headers ? { ...refusal, headers: limitHeaders(fault, arrival, now) } : refusal, false)
    }
    case "skew": {
      const at = now + fault.millis
      return instead(
        refuse(
          10002,
          `invalid request, please check your server timestamp or recv_window param. server_timestamp[${at}]`,
          at
        ),
        false,
        at
      )
    }
    // The clock of the scene is already shifted.
    case "clock":
      return Effect.map(execute, apply)
    case "internal":
      return instead(refuse(10016, serverTimedOut), fault.executed)
    case "wrongEnvelope":
      return editResponse(Edits.wrongEnvelope)
    case "nullResult":
      return editResponse(Edits.nullResult)
    case "repeatedPage": {
      const before = pages.before(listOf(arrival))
      return editResponse((envelope) =>
        Option.flatMap(Edits.cursorOf(arrival.parameters), () =>
          Option.flatMap(before, (rows) => Edits.otherRows(envelope, rows))
        )
      )
    }
    case "repeatedCursor":
      return editResponse((envelope) =>
        Option.flatMap(Edits.cursorOf(arrival.parameters), (cursor) => Edits.otherCursor(envelope, cursor))
      )
    case "missingCursor":
      return editResponse(Edits.missingCursor)
    case "missingRow":
      return editResponse(Edits.missingRow)
    case "unknownField":
      return editResponse(Edits.unknownField)
    case "unknownEnumValue":
      return editResponse(Edits.unknownEnumValue)
  }
}

/** The list of a request, for any page of it. */
export const listOf = ({ endpoint, parameters, uid }: Arrival): string =>
  Edits.listKey(
    endpoint.name,
    Option.getOrElse(uid, () => ""),
    parameters
  )
