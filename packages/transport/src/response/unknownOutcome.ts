import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Signer from "@effect-venue/signing/Signer"
import type * as DateTime from "effect/DateTime"
import * as Failure from "../model/Failure.js"
import { withLookUp } from "../model/LookUp.js"

/** A failure that leaves open whether its own request was executed. */
export type Ambiguous = Failure.ConnectionFailed | Failure.Rejected | Failure.Unavailable | Failure.UnexpectedResponse

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

/** When the service accepts calls again, as far as the failure knows. */
export const closedUntil = (failure: Failure.Failure): DateTime.Utc | undefined =>
  failure._tag === "Banned" ? failure.until : "retryAt" in failure ? failure.retryAt : undefined

export interface Circumstances {
  /** The service had accepted the write. */
  readonly isAccepted?: boolean
  /** When the service accepts calls again by the last failure, if `because` is an earlier one. */
  readonly retryAt?: DateTime.Utc | undefined
}

/** A write whose outcome is unknown. */
interface OpenWrite {
  readonly endpoint: Pick<Endpoint.Properties, "name" | "lookUp" | "onceBy">
  readonly parameters: Signer.Parameters
  readonly attempts: ReadonlyArray<Failure.Attempt>
}

/** A write with an unknown outcome, with its identifiers and its look-up. */
export const make = (
  { attempts, endpoint: { lookUp, name, onceBy }, parameters }: OpenWrite,
  because: Failure.OutcomeUnknown["because"],
  read: Endpoint.ReadCall<Failure.ReadFailure>,
  { isAccepted = false, retryAt }: Circumstances = {}
): Failure.OutcomeUnknown => {
  const identifiers = identifiersOf(parameters)
  const failure = new Failure.OutcomeUnknown({
    operation: name,
    attempts: [...attempts],
    identifiers,
    ...(isAccepted ? { accepted: [identifiers] } : {}),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(onceBy !== undefined && hasIds(parameters, onceBy) ? { isOnce: true } : {}),
    because
  })
  return lookUp === undefined ? failure : withLookUp(failure, lookUp(parameters, read))
}
