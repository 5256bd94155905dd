import * as Context from "effect/Context"

/** The arguments of the command, without its name. */
export class Invocation extends Context.Reference<Invocation>()("@effect-venue/cli/Invocation", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

const quoted = (word: string): string =>
  /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** A call as it is typed into a shell, without the flags in `but`. */
export const typed = (words: ReadonlyArray<string>, but: ReadonlyArray<string> = []): string =>
  ["venue", ...words.filter((word) => !but.includes(word)).map(quoted)].join(" ")
