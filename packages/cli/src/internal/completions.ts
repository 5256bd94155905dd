import type * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { load } from "./loading.js"

/**
 * The parser's completions for bash have the choices of an option in one word, with commas, where bash wants words; and they have none of an
 * argument: `choices` has those of each command.
 */
const mend = (script: string, choices: ReadonlyMap<string, ReadonlyArray<string>>): string =>
  Array.from(choices).reduce(
    (text, [command, names]) =>
      text.replace(new RegExp(`(venue__${command}\\)\\s+opts="[^"]*)"`), `$1 ${names.join(" ")}"`),
    script.replace(/(compgen -W ")([^"$]*)(")/g, (_, before: string, choices: string, after: string) =>
      [before, choices.replaceAll(",", " "), after].join("")
    )
  )

/** Runs the parser so that the completions that it prints can be used. */
export const mended = <A, E, R>(
  run: Effect.Effect<A, E, R>,
  root: CommandDescriptor.Command<unknown>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const { commands } = yield* load(() => import("./help.js"))
    const choices = new Map(
      Array.from(commands(root), ([name, { arguments: args }]) => [name, args[0]?.choices ?? []] as const).filter(
        ([, names]) => names.length > 0
      )
    )
    const console = yield* Console.consoleWith(Effect.succeed)
    return yield* Console.withConsole(run, {
      ...console,
      log: (...words) =>
        console.log(...words.map((word: unknown) => (typeof word === "string" ? mend(word, choices) : word)))
    })
  })
