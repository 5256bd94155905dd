import * as Hmac from "@effect-venue/signing/Hmac"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as WriteJournal from "./WriteJournal.js"

const Intent: Schema.Schema<WriteJournal.Intent> = Schema.Struct({
  id: Schema.NonEmptyString,
  operation: Schema.String,
  host: Schema.String,
  key: Schema.String,
  uid: Schema.optionalWith(Schema.String, { exact: true }),
  parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  at: Schema.Int,
  recvWindow: Schema.Int,
  amounts: Schema.optionalWith(
    Schema.Array(
      Schema.Struct({
        kind: Schema.Literal("orders", "transfers"),
        unit: Schema.String,
        value: Schema.String,
        index: Schema.Int
      })
    ),
    { exact: true }
  )
})

const failed = {
  failure: Schema.String,
  retCode: Schema.optionalWith(Schema.Int, { exact: true })
}

const Outcome: Schema.Schema<WriteJournal.Outcome> = Schema.Union(
  Schema.Struct({
    _tag: Schema.Literal("Done"),
    codes: Schema.optionalWith(Schema.Array(Schema.Int), { exact: true })
  }),
  Schema.Struct({ _tag: Schema.Literal("Refused", "NotSent", "Unknown"), ...failed }),
  Schema.Struct({
    _tag: Schema.Literal("Reconciled"),
    executed: Schema.Literal("yes", "no", "partly", "unknowable"),
    reason: Schema.String
  })
)

const IntentLine = Schema.Struct({ intent: Intent })
const OutcomeLine = Schema.Struct({ id: Schema.String, outcome: Outcome })
export type Line = typeof IntentLine.Type | typeof OutcomeLine.Type

const decodeLine = Schema.decodeUnknownOption(Schema.parseJson(Schema.Union(IntentLine, OutcomeLine)))
const decodeRow = Schema.decodeUnknown(
  Schema.Struct({ intent: Schema.parseJson(Intent), outcome: Schema.NullOr(Schema.parseJson(Outcome)) })
)

const { sha256Hex } = Hmac.make()

/** The first 64 bits of a digest. It detects changed lines, and does not protect against deliberate changes. */
const checksum = (text: string): string => sha256Hex("effect-venue journal", text).slice(0, 16)

const encode = (line: Line): string => {
  const text = JSON.stringify(line)
  return `${checksum(text)} ${text}\n`
}

const decodeChecked = (line: string): Line | undefined => {
  const text = line.slice(17)
  return line === `${checksum(text)} ${text}` ? Option.getOrUndefined(decodeLine(text)) : undefined
}

/** The first line of a file. */
export const header = '{"journal":1}\n'

export const ofIntent = (intent: WriteJournal.Intent): string => encode({ intent })

export const ofOutcome = (id: string, outcome: WriteJournal.Outcome): string => encode({ id, outcome })

export const ofEntry = ({ intent, outcome }: WriteJournal.RecordedEntry): string =>
  ofIntent(intent) + (outcome === undefined ? "" : ofOutcome(intent.id, outcome))

/** The entry in a row of a database. */
export const ofRow = (row: object): Effect.Effect<WriteJournal.RecordedEntry, ParseResult.ParseError> =>
  Effect.map(decodeRow(row), ({ intent, outcome }) => ({ intent, outcome: outcome ?? undefined }))

export interface File {
  readonly name: string
  readonly text: string
}

/** The line in a text without an end, if its checksum shows that it is whole. A disk can have filled the rest with zeros. */
const wholeIn = (text: string): Line | undefined => decodeChecked(text.slice(0, text.lastIndexOf("}") + 1))

/**
 * The lines of a file, or why it cannot be read. A last line without its end was being written when the process ended, so its write was not sent. Any other
 * unreadable line can belong to a write that was sent.
 */
export const decode = ({ name, text }: File): Either.Either<ReadonlyArray<Line>, string> => {
  const [first = "", ...rest] = text.split("\n")
  const last = rest.pop()
  if (last === undefined && header.startsWith(first)) return Either.right([])
  if (`${first}\n` !== header) {
    return Either.left(`${name} does not begin as a journal of this version: ${JSON.stringify(first.slice(0, 40))}`)
  }
  const lines = rest.map(decodeChecked)
  const damaged = lines.indexOf(undefined)
  return damaged < 0
    ? Either.right([...lines, wholeIn(last ?? "")].filter((line) => line !== undefined))
    : Either.left(`line ${damaged + 2} of ${name} was changed after it was written`)
}

/** The entries of the lines of successive files, in any order: the open entries, and those that a guard can count. An entry is closed if any line closes it. */
export const entriesOf = (lines: ReadonlyArray<Line>): ReadonlyArray<WriteJournal.RecordedEntry> => {
  const intents = new Map<string, WriteJournal.Intent>()
  const outcomes = new Map<string, WriteJournal.Outcome>()
  for (const line of lines) {
    if ("intent" in line) {
      const { intent } = line
      const earlier = intents.get(intent.id)
      if (earlier === undefined || earlier.at <= intent.at) intents.set(intent.id, intent)
    } else if (line.outcome._tag !== "Unknown" || !outcomes.has(line.id)) outcomes.set(line.id, line.outcome)
  }
  return [...intents.values()].flatMap((intent) => {
    const outcome = outcomes.get(intent.id)
    const isOpen = outcome === undefined || outcome._tag === "Unknown"
    return isOpen || intent.amounts !== undefined ? [{ intent, outcome }] : []
  })
}
