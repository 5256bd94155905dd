import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Control from "../../Control.js"
import type * as Edge from "../../Edge.js"
import * as RawRequest from "../edge/rawRequest.js"

/** Where commands are taken. The service has nothing under this path. */
export const root = "/sandbox/control"

const answer = (status: number, body: unknown): Edge.Response => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(body)
})

const failure = (status: number, error: string, field: string, message: string): Edge.Response =>
  answer(status, { error, field, message })

/** The status of an answer, by the reason of the refusal. */
export const statuses: { readonly [R in Control.ControlRefused["reason"]]: number } = {
  InvalidArgument: 400,
  NotFound: 404,
  Conflict: 409,
  NotPossible: 422
}

/** The path of a command. */
export const of = (name: string): string => `${root}/${name}`

const commands = Object.entries(Control.commands).map(([name, { summary }]) => ({
  name,
  summary,
  path: of(name)
}))

/** What is read with GET, and the command that gives it. */
const reads: ReadonlyMap<string, Control.CommandName> = new Map([
  ["state", "snapshot"],
  ["accounts", "accounts"],
  ["clock", "setClock"],
  ["log", "faultLog"]
])

const run = (control: Control.SandboxControl.Shape, name: string, json: unknown): Effect.Effect<Edge.Response> =>
  Effect.match(control.call(name, json), {
    onSuccess: (result) => answer(200, result),
    onFailure: ({ detail, field, message, reason }) =>
      failure(statuses[reason], reason, field, reason === "InvalidArgument" ? detail : message)
  })

/**
 * Answers a request to the control path. `POST` takes a command; `GET` lists the commands, and reads state, accounts, clock and log. These
 * requests are neither counted against a limit nor signed.
 */
export const handle = (control: Control.SandboxControl.Shape, request: Edge.Request): Effect.Effect<Edge.Response> => {
  const { path } = RawRequest.split(request.target)
  const name = path.slice(root.length + 1)
  if (request.method === "GET") {
    if (name === "") return Effect.succeed(answer(200, { commands }))
    const read = reads.get(name)
    if (read !== undefined) return run(control, read, {})
  }
  if (request.method !== "POST") {
    return Effect.succeed(failure(405, "BadMethod", "", "commands are sent with POST"))
  }
  const json = Either.try((): unknown =>
    request.body.length === 0 ? {} : JSON.parse(RawRequest.bodyText(request.body))
  )
  return Either.isLeft(json)
    ? Effect.succeed(failure(400, "InvalidArgument", "", "the body is not JSON"))
    : run(control, name, json.right)
}

/** Whether a target lies under the control path. */
export const owns = (target: string): boolean => {
  const { path } = RawRequest.split(target)
  return path === root || path.startsWith(`${root}/`)
}

export const unauthorized: Edge.Response = {
  ...failure(401, "Unauthorized", "", "commands need the control token: Authorization: Bearer ..."),
  headers: { "content-type": "application/json; charset=utf-8", "www-authenticate": "Bearer" }
}

export const forbidden = (message: string): Edge.Response => failure(403, "Forbidden", "", message)
