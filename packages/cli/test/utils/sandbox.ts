import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import { NodeContext } from "@effect/platform-node"
import * as Terminal from "@effect/platform/Terminal"
import { Deferred, Effect, Fiber } from "effect"
import * as program from "../../src/start/program.js"
import { type Ended, launched } from "./venue.js"

/** What `venue sandbox` prints for others to use. */
export const variablesOf = (out: string): Record<string, string> =>
  Object.fromEntries([...out.matchAll(/^export (VENUE_\w+)=(.+)$/gm)].map(([, name = "", value = ""]) => [name, value]))

/** Runs a sandbox, does something with it once it listens, and stops it as a person would. */
export const withSandbox = async <A>(
  args: ReadonlyArray<string>,
  use: (variables: Record<string, string>) => Promise<A>
): Promise<Ended & { readonly used: A | undefined }> => {
  let using: Promise<A> | undefined
  const ended = await launched(["sandbox", ...args], {}, (out, kill) => {
    const variables = variablesOf(out)
    if (Object.keys(variables).length === 3) using ??= use(variables).finally(kill)
  })
  return { ...ended, used: await using }
}

/** The same in the process of the tests, which costs less than starting one. Signals and exit codes are for `withSandbox`. */
export const inProcess = <A>(
  args: ReadonlyArray<string>,
  use: (variables: Record<string, string>) => Promise<A>
): Promise<A> =>
  Effect.gen(function* () {
    const printed = yield* Deferred.make<string>()
    const serving = yield* program.run(["node", "venue", "sandbox", ...args], NodeConnections.layer).pipe(
      Effect.updateService(Terminal.Terminal, (terminal) => ({
        ...terminal,
        display: (text: string) => Effect.asVoid(Deferred.succeed(printed, text))
      })),
      Effect.fork
    )
    const variables = variablesOf(yield* Deferred.await(printed))
    return yield* Effect.ensuring(
      Effect.promise(() => use(variables)),
      Fiber.interrupt(serving)
    )
  }).pipe(Effect.provide(NodeContext.layer), Effect.runPromise)

export const control = async (variables: Record<string, string>, name: string, body: unknown): Promise<unknown> => {
  const answer = await fetch(`${variables.VENUE_BASE_URL}/sandbox/control/${name}`, {
    method: "POST",
    body: JSON.stringify(body)
  })
  return answer.json()
}
