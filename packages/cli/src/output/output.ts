import type * as PlatformError from "@effect/platform/Error"
import * as Terminal from "@effect/platform/Terminal"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { Diagnostics } from "./diagnostics.js"
import * as Layout from "./layout.js"

/** Standard output did not accept the text: its reader has gone, or the disk is full. */
export class OutputFailed extends Data.TaggedError("OutputFailed")<{
  readonly detail: string
  /** The reader has gone. */
  readonly isClosed: boolean
}> {
  override get message(): string {
    return `cannot write to standard output: ${this.detail}`
  }
}

const detailOf = (error: PlatformError.PlatformError): string =>
  error.cause instanceof Error ? error.cause.message : error.message

/** Writes text to standard output and waits until it is written. `console.log` silently drops text that cannot be written. */
export const write = (text: string): Effect.Effect<void, OutputFailed, Terminal.Terminal> =>
  Effect.flatMap(Terminal.Terminal, (terminal) => terminal.display(text)).pipe(
    Effect.mapError(
      (error) => new OutputFailed({ detail: detailOf(error), isClosed: /\bEPIPE\b/.test(detailOf(error)) })
    )
  )

/** Whether colours are allowed: without the variable NO_COLOR. */
export const hasColors: Effect.Effect<boolean> = Effect.isFailure(Config.nonEmptyString("NO_COLOR"))

/** Leaves the colours out of all that is printed, such as those of questions, unless they are allowed. */
export const withoutColors = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Terminal.Terminal> =>
  Effect.if(hasColors, {
    onTrue: () => run,
    onFalse: () =>
      Effect.updateService(run, Terminal.Terminal, (terminal) => ({
        ...terminal,
        // eslint-disable-next-line no-control-regex -- the codes of colours
        display: (text) => terminal.display(text.replaceAll(/\u001b\[[\d;]*m/g, ""))
      }))
  })

/** Prints lines for people to standard output. On a terminal, those that are too wide are wrapped between words. */
export const print = (lines: string): Effect.Effect<void, OutputFailed, Terminal.Terminal> =>
  Effect.flatMap(Layout.page, ({ isTerminal, width }) =>
    write(`${isTerminal ? Layout.wrapLines(lines, width) : lines}\n`)
  )

/** Prints lines for programs, and lines to copy, as they are. */
export const printExactly = (lines: string): Effect.Effect<void, OutputFailed, Terminal.Terminal> => write(`${lines}\n`)

/** Prints JSON for programs. */
export const printJson = (value: unknown): Effect.Effect<void, OutputFailed, Terminal.Terminal> =>
  printExactly(JSON.stringify(value, undefined, 2))

/** Prints lines for people to standard error, as `print` does. */
export const warn = (lines: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const columns = yield* (yield* Diagnostics).columns
    yield* Console.error(columns > 0 ? Layout.wrapLines(lines, columns) : lines)
  })
