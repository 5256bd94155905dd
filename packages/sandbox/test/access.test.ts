import { describe, expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Access from "../src/control/access.js"

const token = Redacted.make("a:token")
const local: Access.Access = { allowed: true, token: undefined, isLocal: true }
const locked = { ...local, token }
const exposed = { ...locked, isLocal: false }

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`

const host = "127.0.0.1:8080"

describe("access to the control path", () => {
  const cases: ReadonlyArray<
    readonly [claim: string, access: Access.Access, headers: Record<string, string>, status: number | undefined]
  > = [
    ["is open to this machine", local, { host }, undefined],
    ["is open to this machine by its name", local, { host: "localhost" }, undefined],
    ["is open to this machine by its IPv6 address", local, { host: "[::1]:80", origin: "http://[::1]:80" }, undefined],
    ["is open to the page of the server", local, { host, origin: `http://${host}` }, undefined],
    ["is closed to pages of other sites", local, { host, origin: "http://elsewhere.test" }, 403],
    ["is closed to pages of other ports", local, { host, origin: "http://127.0.0.1:81" }, 403],
    [
      "is closed to a site whose name leads to this machine",
      local,
      { host: "elsewhere.test:8080", origin: "http://elsewhere.test:8080" },
      403
    ],
    ["is closed when it is off", { ...local, allowed: false }, { host }, 403],
    ["needs a token if there is one", locked, { host }, 401],
    ["needs the whole token", locked, { host, authorization: "Bearer a:toke" }, 401],
    ["needs the scheme", locked, { host, authorization: "a:token" }, 401],
    ["takes a bearer token", locked, { host, authorization: "Bearer a:token" }, undefined],
    ["takes the token as a password", locked, { host, authorization: basic("any:a:token") }, undefined],
    ["does not take the token as a user name", locked, { host, authorization: basic("a:token:") }, 401],
    ["takes a token from other machines", exposed, { host: "10.0.0.1:80", authorization: "Bearer a:token" }, undefined],
    [
      "takes a token from the page on other machines",
      exposed,
      { host: "10.0.0.1:80", origin: "http://10.0.0.1:80", authorization: basic(":a:token") },
      undefined
    ],
    [
      "is closed to pages of other sites that have the token",
      exposed,
      { host: "10.0.0.1:80", origin: "http://elsewhere.test", authorization: basic(":a:token") },
      403
    ]
  ]
  for (const [claim, access, headers, status] of cases) {
    it(claim, () => expect(Access.refusal(access, { headers }, "Bearer")?.status).toBe(status))
  }
})
