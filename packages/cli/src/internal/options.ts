import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const category = Options.choice("category", ["linear", "inverse", "spot"]).pipe(
  Options.withDefault("linear"),
  Options.withDescription("Which market; linear unless given.")
)

export const out = Options.text("out").pipe(
  Options.withDefault("venue-data"),
  Options.withDescription("The folder to write to; venue-data unless given.")
)

export const seed = Options.integer("seed").pipe(
  Options.withDefault(1),
  Options.withDescription("What the sandbox's history is made from; 1 unless given.")
)

export const port = Options.integer("port").pipe(
  Options.withDefault(0),
  Options.withDescription("The port the sandbox listens on; a free one unless given.")
)

// A date, or a date and a time; without a zone it is UTC, not whatever zone this machine is in.
const instantPattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/

const parse = (text: string): Option.Option<number> =>
  instantPattern.test(text)
    ? Option.map(
        DateTime.make(text.includes("T") && !/(Z|[+-]\d{2}:\d{2})$/.test(text) ? `${text}Z` : text),
        DateTime.toEpochMillis
      )
    : Option.none()

/** An instant, in milliseconds. */
export const instant = (name: string): Options.Options<number> =>
  Options.mapEffect(Options.text(name), (text) =>
    Option.match(parse(text), {
      onNone: () =>
        Effect.fail(
          ValidationError.invalidValue(
            HelpDoc.p(`--${name}: "${text}" is not a date such as 2026-01-31 or 2026-01-31T18:00Z`)
          )
        ),
      onSome: Effect.succeed
    })
  )
