import * as Console from "effect/Console"
import type * as Effect from "effect/Effect"

/** The parser's completions for bash have the choices of an option in one word, with commas: bash wants words. */
const mend = (script: string): string =>
  script.replace(/(compgen -W ")([^"$]*)(")/g, (_, before: string, choices: string, after: string) =>
    [before, choices.replaceAll(",", " "), after].join("")
  )

/** Runs the parser so that the completions that it prints can be used. */
export const mended = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Console.withConsole(run, {
      ...console,
      log: (...words) => console.log(...words.map((word: unknown) => (typeof word === "string" ? mend(word) : word)))
    })
  )
