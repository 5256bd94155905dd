import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Predicate from "effect/Predicate"

// System calls that end before a connection is established.
const connecting = new Set(["connect", "getaddrinfo"])

// Decisions of this side before it sends: undici gives up connecting, or the server's certificate is refused (Node.js, TLS, X.509 certificate error codes).
const refusedHere = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_CRL",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "CERT_SIGNATURE_FAILURE",
  "CRL_SIGNATURE_FAILURE",
  "CERT_NOT_YET_VALID",
  "CERT_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
  "CRL_HAS_EXPIRED",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "ERROR_IN_CRL_LAST_UPDATE_FIELD",
  "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_CHAIN_TOO_LONG",
  "CERT_REVOKED",
  "INVALID_CA",
  "PATH_LENGTH_EXCEEDED",
  "INVALID_PURPOSE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "HOSTNAME_MISMATCH",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

const maxDepth = 5

type Link = Readonly<Record<string, unknown>>

/** A cause, its cause, and so on. */
const chain = (cause: unknown, depth = 0): ReadonlyArray<Link> => {
  if (depth > maxDepth || !Predicate.isRecord(cause)) return []
  return [cause, ...chain(cause.cause, depth + 1)]
}

/** The instant of one error, as far as the error shows it. */
const instantOf = ({ code, errors, syscall }: Link, depth: number): "before sending" | "unknown" | "unsaid" => {
  if (typeof syscall === "string") return connecting.has(syscall) ? "before sending" : "unknown"
  if (Array.isArray(errors)) {
    // Several attempts to connect, or to do something else.
    return errors.length > 0 && errors.every((error) => isBeforeSending(error, depth + 1))
      ? "before sending"
      : "unknown"
  }
  return typeof code === "string" && refusedHere.has(code) ? "before sending" : "unsaid"
}

/**
 * Whether a client's error proves that no byte of the request left. A code alone proves nothing: an established connection fails
 * with ECONNREFUSED and EHOSTUNREACH too. The system call, `connect` or `getaddrinfo`, is the proof.
 */
export const isBeforeSending = (cause: unknown, depth = 0): boolean => {
  if (depth > maxDepth) return false
  const instants = chain(cause).map((link) => instantOf(link, depth))
  return instants.includes("before sending") && !instants.includes("unknown")
}

/** The description of a connection's failure: codes and messages, never the request that is attached to them. */
export const describeCause = (error: HttpClientError.HttpClientError): string => {
  const details = chain(error.cause).flatMap(({ code, message }) =>
    [code, message].filter((part): part is string => typeof part === "string" && part !== "")
  )
  return details.length === 0 ? (error.description ?? error.reason) : Array.from(new Set(details)).join(": ")
}

/** Whether the client created no request at all: it could not encode the request, or does not accept its URL. Repeating the request changes nothing. */
export const isUnsendable = (error: HttpClientError.HttpClientError): boolean =>
  error._tag === "RequestError" && error.reason !== "Transport"
