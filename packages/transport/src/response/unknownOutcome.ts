import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Signer from "@effect-venue/signing/Signer"
import type * as DateTime from "effect/DateTime"
import * as Failure from "../model/Failure.js"
import { withLookUp } from "../model/LookUp.js"

/** A failure that leaves open whether a write was executed. */
export type Ambiguous = Failure.OutcomeUnknown["because"]

/** Whether the outcome of a write is unknown after this failure. */
export const isAmbiguous = (failure: Failure.Failure): failure is Ambiguous => {
  switch (failure._tag) {
    case "ConnectionFailed":
      return failure.sent
    case "Unavailable":
      return failure.executed === "unknown"
    case "Rejected":
      return failure.proof === "none"
    case "UnexpectedResponse":
      return true
    default:
      return false
  }
}

/** Parameters that name a write in a later query. */
const identifying = ["category", "symbol", "orderId", "orderLinkId", "requestId", "positionIdx"]

export const identifiersOf = (parameters: Readonly<Record<string, unknown>>, prefix = ""): Record<string, string> =>
  Object.fromEntries([
    ...identifying.flatMap((name): ReadonlyArray<readonly [string, string]> => {
      const value = parameters[name]
      return typeof value === "string" || typeof value === "number" ? [[`${prefix}${name}`, String(value)]] : []
    }),
    // The orders of a batch, each by its position.
    ...(Array.isArray(parameters.request)
      ? parameters.request.map((item: object, index) => Object.entries(identifiersOf({ ...item }, `request.${index}.`)))
      : []
    ).flat()
  ])

/** Whether the write, or each item of a batch, has its id. */
const hasIds = ({ request, ...parameters }: Readonly<Record<string, unknown>>, name: string): boolean =>
  (Array.isArray(request) ? request : [parameters]).every(
    (item: unknown) => typeof item === "object" && item !== null && typeof Reflect.get(item, name) === "string"
  )

export interface Circumstances {
  /** The service had accepted the write. */
  readonly isAccepted?: boolean
  /** The end of the wait that the last response states, if `because` is an earlier one. */
  readonly retryAt?: DateTime.Utc | undefined
}

/** A write with an unknown outcome, with its identifiers and its look-up. */
export const make = (
  { lookUp, name, onceBy }: Pick<Endpoint.Properties, "name" | "lookUp" | "onceBy">,
  parameters: Signer.Parameters,
  because: Ambiguous,
  attempts: ReadonlyArray<Failure.Attempt>,
  read: Endpoint.ReadCall<Failure.ReadFailure>,
  { isAccepted = false, retryAt }: Circumstances = {}
): Failure.OutcomeUnknown => {
  const identifiers = identifiersOf(parameters)
  const failure = new Failure.OutcomeUnknown({
    operation: name,
    attempts,
    identifiers,
    ...(isAccepted ? { accepted: [identifiers] } : {}),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(onceBy !== undefined && hasIds(parameters, onceBy) ? { isOnce: true } : {}),
    because
  })
  return lookUp === undefined ? failure : withLookUp(failure, lookUp(parameters, read))
}
