import * as Redacted from "effect/Redacted"
import { createHash, timingSafeEqual } from "node:crypto"
import type * as Edge from "../edge/Edge.js"
import * as Path from "./path.js"

/** Who can use the control path and the page of a server. */
export interface Access {
  /** Whether anybody can. */
  readonly allowed: boolean
  readonly token: Redacted.Redacted | undefined
  /** Whether the server listens on an address that only this machine can reach. */
  readonly isLocal: boolean
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

const nameOf = (host: string): string => host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1")

// Digests have one length, so that the time of a comparison reveals nothing about the token.
const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** The token of a header: a program sends it as a bearer token, a browser as the password of a person. */
const readToken = (authorization: string): string => {
  const [scheme = "", value = ""] = authorization.split(" ", 2)
  if (scheme.toLowerCase() === "bearer") return authorization.slice(scheme.length + 1)
  const text = scheme.toLowerCase() === "basic" ? Buffer.from(value, "base64").toString("utf8") : ""
  return text.slice(text.indexOf(":") + 1)
}

const isAuthorized = (token: Redacted.Redacted, authorization = ""): boolean =>
  timingSafeEqual(digestOf(Redacted.value(token)), digestOf(readToken(authorization)))

/** A page of another site must not send commands, also if its name is made to lead to this machine. */
const isForeign = ({ isLocal, token }: Access, { host = "", origin }: Edge.Request["headers"]): boolean =>
  (origin !== undefined && origin !== `http://${host}`) || (isLocal && token === undefined && !isLoopback(nameOf(host)))

/** Why a request to the control path, or with `Basic` to the page, is refused. */
export const refusal = (
  access: Access,
  { headers }: Pick<Edge.Request, "headers">,
  scheme: "Basic" | "Bearer"
): Edge.Response | undefined => {
  if (!access.allowed) {
    return Path.forbidden("the control path is off: other machines can reach this server, and it has no control token")
  }
  if (isForeign(access, headers)) return Path.forbidden("the control path takes no requests of other sites")
  return access.token === undefined || isAuthorized(access.token, headers.authorization)
    ? undefined
    : Path.refuseToken(scheme)
}
