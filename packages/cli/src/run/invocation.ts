import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The arguments of the command, without its name. */
export class Invocation extends Context.Reference<Invocation>()("@effect-venue/cli/Invocation", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

const quote = (word: string): string =>
  /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** A call as it is typed into a shell, without the flags in `but`. */
export const spellCall = (words: ReadonlyArray<string>, but: ReadonlyArray<string> = []): string =>
  ["venue", ...words.filter((word) => !but.includes(word)).map(quote)].join(" ")

/**
 * Loads a module of this package when a handler runs. What parses the command line and prints help imports no more than it needs: the
 * sandbox, the client and the formats take longer to load than `venue --version` takes altogether.
 *
 * Only modules of this package: a dynamic import of another package from CommonJS would load its other form, a second copy of it.
 */
export const load: <Module>(module: () => Promise<Module>) => Effect.Effect<Module> = Effect.promise

/** The version of the command. */
export const version = "0.1.0"
