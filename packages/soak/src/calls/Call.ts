import type * as Seed from "@effect-venue/sandbox/Seed"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/** The accounts that call. */
export type Caller = Extract<Seed.Role, "main" | "sub" | "customer" | "classic" | "readOnly">

/** One call to come: how it is made, and how it is found again in the log of the exchange. */
export interface Call {
  readonly caller: Caller
  readonly operation: string
  readonly safety: Endpoint.Safety
  /** Operation and parameters, as the log has them. */
  readonly key: string
  /** By which the exchange distinguishes a second sending from a second wish; "" where it cannot. */
  readonly requestId: string
  /** The answer is the same whenever it is asked. */
  readonly isFixed: boolean
  /** What the call does to orders of these names; empty for other calls. */
  readonly orders: ReadonlyArray<OrderWish>
  readonly send: Effect.Effect<unknown, Failure.Failure, Transport.Transport>
}

/** An order that is to be placed, or to be cancelled. */
export interface OrderWish {
  readonly verb: "place" | "cancel"
  readonly orderLinkId: string
}

/** The outcome of one order: taken, refused, or unknown. */
export type Word = "taken" | "refused" | "unknown"

/** Operation and parameters as a text. */
export const keyOf = (operation: string, parameters: Readonly<Record<string, unknown>>): string =>
  `${operation} ${JSON.stringify(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined && value !== null && value !== "")
      .sort(([one], [other]) => (one < other ? -1 : 1))
  )}`

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

export const make = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
  caller: Caller,
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
  request: Req,
  isFixed = false
): Call => {
  // A request that breaks a rule is never sent, so that there is nothing to find.
  const wire = Either.getOrElse(Schema.encodeEither(endpoint.request)(request), () => undefined)
  const parameters = isRecord(wire) ? wire : {}
  return {
    caller,
    operation: endpoint.name,
    safety: endpoint.safety,
    key: keyOf(endpoint.name, parameters),
    requestId: endpoint.safety === "idempotent" && "requestId" in parameters ? String(parameters.requestId) : "",
    isFixed,
    orders: [],
    send: Effect.flatMap(Transport.Transport, (transport): Effect.Effect<unknown, Failure.Failure> =>
      endpoint.safety === "read" ? transport.callWire(endpoint, request) : transport.call(endpoint, request)
    )
  }
}
