import type * as PlatformError from "@effect/platform/Error"
import * as Terminal from "@effect/platform/Terminal"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

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

/** Writes lines to standard output. */
export const print = (lines: string): Effect.Effect<void, OutputFailed, Terminal.Terminal> => write(`${lines}\n`)
