import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The output for progress: standard error, so that standard output has only results. */
export interface Shape {
  /** Whether a line can be drawn over. */
  readonly isTTY: boolean
  /** The width of the terminal; 0 without a terminal. */
  readonly columns: Effect.Effect<number>
  /** Text, with its line breaks. */
  readonly write: (text: string) => Effect.Effect<void>
}

/** Defaults to lines of the console. */
export class Diagnostics extends Context.Reference<Diagnostics>()("@effect-venue/cli/Diagnostics", {
  defaultValue: (): Shape => ({
    isTTY: false,
    columns: Effect.succeed(0),
    write: (text) => Console.error(text.replace(/\n$/, ""))
  })
}) {}
