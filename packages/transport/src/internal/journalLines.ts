import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as WriteEntry from "../WriteEntry.js"

const Intent: Schema.Schema<WriteEntry.Intent> = Schema.Struct({
  id: Schema.NonEmptyString,
  operation: Schema.String,
  host: Schema.String,
  key: Schema.String,
  uid: Schema.optionalWith(Schema.String, { exact: true }),
  parameters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  at: Schema.Int,
  recvWindow: Schema.Int
})

const failed = {
  failure: Schema.String,
  retCode: Schema.optionalWith(Schema.Int, { exact: true })
}

const Outcome: Schema.Schema<WriteEntry.Outcome> = Schema.Union(
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

const Header = Schema.Struct({ journal: Schema.Literal(1) })
const IntentLine = Schema.Struct({ intent: Intent })
const OutcomeLine = Schema.Struct({ id: Schema.String, outcome: Outcome })

const decode = Schema.decodeUnknownEither(Schema.parseJson(Schema.Union(Header, IntentLine, OutcomeLine)))

export const header = `${JSON.stringify({ journal: 1 } satisfies typeof Header.Encoded)}\n`

export const ofIntent = (intent: WriteEntry.Intent): string =>
  `${JSON.stringify({ intent } satisfies typeof IntentLine.Encoded)}\n`

export const ofOutcome = (id: string, outcome: WriteEntry.Outcome): string =>
  `${JSON.stringify({ id, outcome } satisfies typeof OutcomeLine.Encoded)}\n`

export const ofEntry = ({ intent, outcome }: WriteEntry.Entry): string =>
  ofIntent(intent) + (outcome === undefined ? "" : ofOutcome(intent.id, outcome))

/** The lines of an entry from its row in a database. */
export const ofRow = (row: { readonly id: string; readonly intent: string; readonly outcome: string | null }): string =>
  `{"intent":${row.intent}}\n` +
  (row.outcome === null ? "" : `{"id":${JSON.stringify(row.id)},"outcome":${row.outcome}}\n`)

export interface Found {
  readonly entries: ReadonlyArray<WriteEntry.Entry>
  /** Lines that say nothing: each belongs to a write that was refused, since it could not be recorded. */
  readonly unreadable: number
}

/**
 * The open entries of files that followed one another, in any order: an entry is closed if one of them says so. A last line without its
 * end is one that was being written when the process ended, so its write was not sent. Left: the version of a file that this library
 * does not read.
 */
export const read = (texts: ReadonlyArray<string>): Either.Either<Found, string> => {
  const intents = new Map<string, WriteEntry.Intent>()
  const doubts = new Map<string, WriteEntry.Unknown>()
  const closed = new Set<string>()
  let unreadable = 0
  for (const text of texts) {
    const lines = text.split("\n").slice(0, -1)
    for (const [index, line] of lines.entries()) {
      const found = decode(line)
      if (Either.isLeft(found)) {
        if (index === 0) return Either.left(line.slice(0, 80))
        if (line !== "") unreadable++
      } else if ("intent" in found.right) {
        const { intent } = found.right
        const earlier = intents.get(intent.id)
        if (earlier === undefined || earlier.at <= intent.at) intents.set(intent.id, intent)
      } else if ("outcome" in found.right) {
        const { id, outcome } = found.right
        if (outcome._tag === "Unknown") doubts.set(id, outcome)
        else closed.add(id)
      }
    }
  }
  const entries = [...intents.values()]
    .filter(({ id }) => !closed.has(id))
    .map((intent) => ({ intent, outcome: doubts.get(intent.id) }))
  return Either.right({ entries, unreadable })
}
