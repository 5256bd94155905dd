import type * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { load } from "../run/invocation.js"
import type * as Zsh from "./zsh.js"

type Descriptor = CommandDescriptor.Command<unknown>

/**
 * Corrects the parser's completions for bash, which offer the choices of an option as one word with commas, and none for arguments. `choices`
 * contains the choices of each command.
 */
const mend = (script: string, choices: ReadonlyMap<string, ReadonlyArray<string>>): string =>
  Array.from(choices).reduce(
    (text, [command, names]) =>
      text.replace(new RegExp(`(venue__${command}\\)\\s+opts="[^"]*)"`), `$1 ${names.join(" ")}"`),
    script.replace(/(compgen -W ")([^"$]*)(")/g, (_, before: string, choices: string, after: string) =>
      [before, choices.replaceAll(",", " "), after].join("")
    )
  )

/** A command for zsh's completions. */
const toCompleted = (name: string, descriptor: Descriptor, help: typeof import("./help.js")): Zsh.Completed => ({
  name,
  ...help.helpOf(descriptor),
  subcommands: help.subcommands(descriptor).map(([name, subcommand]) => toCompleted(name, subcommand, help))
})

/** The completions for zsh. The parser's complete nothing at their first use, and no arguments. */
export const ofZsh = (root: Descriptor): Effect.Effect<string> =>
  Effect.gen(function* () {
    const { script } = yield* load(() => import("./zsh.js"))
    return script(toCompleted("venue", root, yield* load(() => import("./help.js"))))
  })

/** Runs the parser and corrects the completions that it prints. */
export const correctCompletions = <A, E, R>(run: Effect.Effect<A, E, R>, root: Descriptor): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const { helpOf, subcommands } = yield* load(() => import("./help.js"))
    const choices = new Map(
      subcommands(root)
        .map(([name, subcommand]) => [name, helpOf(subcommand).arguments[0]?.choices ?? []] as const)
        .filter(([, names]) => names.length > 0)
    )
    const console = yield* Console.consoleWith(Effect.succeed)
    return yield* Console.withConsole(run, {
      ...console,
      log: (...words) =>
        console.log(...words.map((word: unknown) => (typeof word === "string" ? mend(word, choices) : word)))
    })
  })
