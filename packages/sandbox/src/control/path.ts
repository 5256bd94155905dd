import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Control from "./Control.js"
import * as Commands from "./Commands.js"
import type * as Edge from "../edge/Edge.js"
import * as RawRequest from "../edge/rawRequest.js"

/** The path of commands. The service has nothing under it. */
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

const commands = Object.entries(Commands.commands).map(([name, { summary }]) => ({
  name,
  summary,
  methods: Commands.reads.has(name) ? ["GET", "POST"] : ["POST"],
  path: of(name)
}))

const Batch = Schema.decodeUnknownEither(
  Schema.Struct({
    commands: Schema.Array(Schema.Struct({ name: Schema.String, argument: Schema.optional(Schema.Unknown) }))
  })
)

/** Runs several commands that change nothing, and answers with their results in the same order, or with the first refusal. */
const runBatch = (control: Control.SandboxControl.Shape, json: unknown): Effect.Effect<Edge.Response> =>
  Either.match(Batch(json), {
    onLeft: () => Effect.succeed(failure(400, "InvalidArgument", "commands", "must be a list of { name, argument }")),
    onRight: ({ commands: wanted }) => {
      const writing = wanted.find(({ name }) => !Commands.reads.has(name))
      if (writing !== undefined) {
        return Effect.succeed(
          failure(400, "InvalidArgument", "commands", `${writing.name} changes something: send it alone`)
        )
      }
      return Effect.forEach(wanted, ({ argument = {}, name }) => control.call(name, argument)).pipe(
        Effect.match({ onSuccess: (results) => answer(200, { results }), onFailure: refuse })
      )
    }
  })

const refuse = ({ detail, field, message, reason }: Control.ControlRefused): Edge.Response =>
  failure(statuses[reason], reason, field, reason === "InvalidArgument" ? detail : message)

const run = (control: Control.SandboxControl.Shape, name: string, json: unknown): Effect.Effect<Edge.Response> =>
  Effect.match(control.call(name, json), {
    onSuccess: (result) => answer(200, result),
    onFailure: refuse
  })

/** The argument of a command: a body of JSON, or the query of a read. */
const argumentOf = (request: Edge.Request): Either.Either<unknown, string> =>
  request.method === "GET"
    ? RawRequest.parseQuery(RawRequest.split(request.target).query).pipe(
        Either.mapBoth({ onLeft: () => "the query is malformed", onRight: Object.fromEntries })
      )
    : Either.try({
        try: (): unknown => (request.body.length === 0 ? {} : JSON.parse(RawRequest.bodyText(request.body))),
        catch: () => "the body is not JSON"
      })

/**
 * Answers a request to the control path. `POST` takes a command, and on the path itself a list of commands that change nothing; `GET` lists
 * the commands, and takes those that change nothing. These requests are neither counted against a limit nor signed.
 */
export const handle = (control: Control.SandboxControl.Shape, request: Edge.Request): Effect.Effect<Edge.Response> => {
  const { path } = RawRequest.split(request.target)
  const name = path.slice(root.length + 1)
  const isRead = request.method === "GET"
  if (isRead && name === "") return Effect.succeed(answer(200, { commands }))
  if (isRead ? !Commands.reads.has(name) : request.method !== "POST") {
    return Effect.succeed(failure(405, "BadMethod", "", "commands are sent with POST"))
  }
  return Either.match(argumentOf(request), {
    onLeft: (message) => Effect.succeed(failure(400, "InvalidArgument", "", message)),
    onRight: (json) => (name === "" ? runBatch(control, json) : run(control, name, json))
  })
}

/** Whether a target lies under the control path. */
export const owns = (target: string): boolean => {
  const { path } = RawRequest.split(target)
  return path === root || path.startsWith(`${root}/`)
}

/** With the scheme in which the token is sent: `Bearer`, or `Basic` for a browser, which asks a person for it. */
export const refuseToken = (scheme: "Basic" | "Bearer"): Edge.Response => ({
  ...failure(401, "Unauthorized", "", "the control token is missing or wrong: Authorization: Bearer ..."),
  headers: {
    "content-type": "application/json; charset=utf-8",
    "www-authenticate": scheme === "Bearer" ? scheme : 'Basic realm="the control token is the password"'
  }
})

/** The answer to a command with a larger body. */
export const tooLarge = (most: number): Edge.Response =>
  failure(413, "TooLarge", "", `the body of a command has at most ${most / 1_000_000} MB`)

export const forbidden = (message: string): Edge.Response => failure(403, "Forbidden", "", message)
