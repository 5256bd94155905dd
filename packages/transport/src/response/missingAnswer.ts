import type * as HttpClientError from "@effect/platform/HttpClientError"
import { isUnsendable } from "./connection.js"

/** How a client reports that no response arrived in time, and that no byte of a request left. */
export interface Evidence {
  readonly isTimeout: (error: HttpClientError.HttpClientError) => boolean
  readonly isNotSent: (error: HttpClientError.HttpClientError) => boolean
}

/** Why no response arrived. */
export type LossReason = "Timeout" | "Connection" | "NotSent"

/** The meaning of a missing response: the reason, and whether it is proved that no byte of the request left. */
export interface Loss {
  readonly reason: LossReason
  readonly isNotSent: boolean
}

export const fromError = (error: HttpClientError.HttpClientError, { isNotSent, isTimeout }: Evidence): Loss => ({
  reason: isUnsendable(error) ? "NotSent" : isTimeout(error) ? "Timeout" : "Connection",
  isNotSent: isUnsendable(error) || isNotSent(error)
})
