import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Predicate from "effect/Predicate"

// Failures of the operating system and of Node's HTTP clients that happen before the first byte of a request can leave.
const beforeSending = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])

/** A cause, its cause, and so on; errors of several attempts to connect are a cause of their own. */
const chain = (cause: unknown, depth = 0): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (depth > 5 || !Predicate.isRecord(cause)) return []
  return [cause, ...chain(cause.cause, depth + 1)]
}

/** Whether a request may have left. True unless the cause proves the contrary. */
export const wasSent = (cause: unknown): boolean =>
  !chain(cause).some(({ code }) => typeof code === "string" && beforeSending.has(code))

/** What to tell of a connection's failure: codes and messages, never the request that they come with. */
export const describeCause = (error: HttpClientError.HttpClientError): string => {
  const told = chain(error.cause).flatMap(({ code, message }) =>
    [code, message].filter((part): part is string => typeof part === "string" && part !== "")
  )
  return told.length === 0 ? (error.description ?? error.reason) : Array.from(new Set(told)).join(": ")
}
