import * as Hmac from "@effect-venue/signing/Hmac"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as WriteJournal from "./WriteJournal.js"

// Schemas take many times as long, and a journal can have a hundred thousand sums and ids.
const isText = (value: unknown): value is string => typeof value === "string"

const isTextOrAbsent = (value: unknown): value is string | undefined => value === undefined || isText(value)

const decimal = /^-?\d+(\.\d+)?$/

const isDecimal = (value: unknown): value is string => isText(value) && decimal.test(value)

const isKind = (value: unknown): value is WriteJournal.GuardedAmount["kind"] =>
  value === "orders" || value === "transfers"

const isSum = (
  value: unknown
): value is Omit<WriteJournal.GuardedAmount, "index"> & Readonly<Record<string, unknown>> =>
  Predicate.isReadonlyRecord(value) &&
  isKind(value.kind) &&
  isText(value.unit) &&
  isDecimal(value.value) &&
  isTextOrAbsent(value.id)

const isAmount = (value: unknown): value is WriteJournal.GuardedAmount =>
  isSum(value) && Number.isSafeInteger(value.index)

const isIntent = (value: unknown): value is WriteJournal.Intent =>
  Predicate.isReadonlyRecord(value) &&
  isText(value.id) &&
  value.id !== "" &&
  [value.operation, value.host, value.key].every(isText) &&
  isTextOrAbsent(value.uid) &&
  Predicate.isReadonlyRecord(value.parameters) &&
  Number.isSafeInteger(value.at) &&
  Number.isSafeInteger(value.recvWindow) &&
  (value.amounts === undefined || (Array.isArray(value.amounts) && value.amounts.every(isAmount)))

const isExecuted = (value: unknown): boolean => ["yes", "no", "partly", "unknowable"].some((each) => each === value)

const isOutcome = (value: unknown): value is WriteJournal.Outcome => {
  if (!Predicate.isReadonlyRecord(value)) return false
  switch (value._tag) {
    case "Done":
      return value.codes === undefined || (Array.isArray(value.codes) && value.codes.every(Number.isSafeInteger))
    case "Refused":
    case "NotSent":
    case "Unknown":
      return isText(value.failure) && (value.retCode === undefined || Number.isSafeInteger(value.retCode))
    case "Reconciled":
      return isExecuted(value.executed) && isText(value.reason)
    default:
      return false
  }
}

interface IntentLine {
  readonly intent: WriteJournal.Intent
}

interface OutcomeLine {
  readonly id: string
  readonly outcome: WriteJournal.Outcome
}

/** Names a file. While the first of the files that it replaces exists, it counts for nothing; after that, the other ones do. */
interface FileLine {
  readonly file: string
  readonly replaces: ReadonlyArray<string>
}

/** Sums and ids, of which each is `[at, value]` or `[at, value, id]` in the text. */
interface TotalsLine {
  readonly totals: ReadonlyArray<WriteJournal.GuardedTotal>
}

export type JournalLine = IntentLine | OutcomeLine | FileLine | TotalsLine

const isTotal = (value: unknown): value is WriteJournal.GuardedTotal =>
  isSum(value) && isText(value.host) && Number.isSafeInteger(value.at)

const toTotal = (of: Readonly<Record<string, unknown>>, row: unknown): WriteJournal.GuardedTotal | undefined => {
  const fields: ReadonlyArray<unknown> = Array.isArray(row) ? row : []
  const [at, value, id] = fields
  const { host, kind, unit } = of
  const total = id === undefined ? { host, kind, unit, value, at } : { host, kind, unit, value, at, id }
  return isTotal(total) ? total : undefined
}

const toTotals = (of: unknown, rows: unknown): ReadonlyArray<WriteJournal.GuardedTotal> | undefined => {
  if (!Predicate.isReadonlyRecord(of) || !Array.isArray(rows)) return undefined
  const totals = rows.flatMap((row) => toTotal(of, row) ?? [])
  return totals.length === rows.length ? totals : undefined
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const decodeLine = (text: string): JournalLine | undefined => {
  const value = parse(text)
  if (!Predicate.isReadonlyRecord(value)) return undefined
  const { file, id, intent, of, outcome, replaces, rows } = value
  if (isIntent(intent)) return { intent }
  if (isText(id) && isOutcome(outcome)) return { id, outcome }
  const totals = toTotals(of, rows)
  if (totals !== undefined) return { totals }
  return isText(file) && Array.isArray(replaces) && replaces.every(isText) ? { file, replaces } : undefined
}

const { sha256Hex } = Hmac.make()

/** The first 64 bits of a digest. It detects changed lines, and does not protect against deliberate changes. */
const checksum = (text: string): string => sha256Hex("effect-venue journal", text).slice(0, 16)

const encode = (line: object): string => {
  const text = JSON.stringify(line)
  return `${checksum(text)} ${text}\n`
}

const decodeChecked = (line: string): JournalLine | undefined => {
  const text = line.slice(17)
  return line === `${checksum(text)} ${text}` ? decodeLine(text) : undefined
}

/** The first line of a file. */
const version = '{"journal":2}'

/** The first lines of a file. */
export const ofFile = (file: string, replaces: ReadonlyArray<string>): string =>
  `${version}\n${encode({ file, replaces })}`

export const ofIntent = (intent: WriteJournal.Intent): string => encode({ intent })

export const ofOutcome = (id: string, outcome: WriteJournal.Outcome): string => encode({ id, outcome })

/** A line for each host, kind and unit. */
export const ofTotals = (totals: ReadonlyArray<WriteJournal.GuardedTotal>): string =>
  Object.values(Arr.groupBy(totals, ({ host, kind, unit }) => `${kind} ${unit} ${host}`))
    .map((group) => {
      const [{ host, kind, unit }] = group
      const rows = group.map(({ at, id, value }) => (id === undefined ? [at, value] : [at, value, id]))
      return encode({ of: { host, kind, unit }, rows })
    })
    .join("")

export const ofEntry = ({ intent, outcome }: WriteJournal.RecordedEntry): string =>
  ofIntent(intent) + (outcome === undefined ? "" : ofOutcome(intent.id, outcome))

/** The sum in a row of a database. */
export const ofTotalRow = ({ total }: { readonly total: string }): Option.Option<WriteJournal.GuardedTotal> =>
  Option.liftPredicate(parse(total), isTotal)

/** The entry in a row of a database. */
export const ofRow = (row: {
  readonly intent: string
  readonly outcome: string | null
}): Option.Option<WriteJournal.RecordedEntry> => {
  const intent = parse(row.intent)
  const outcome = row.outcome === null ? undefined : parse(row.outcome)
  return isIntent(intent) && (row.outcome === null || isOutcome(outcome))
    ? Option.some({ intent, outcome: isOutcome(outcome) ? outcome : undefined })
    : Option.none()
}

/** The line in a text without an end, if its checksum shows that it is whole. A disk can have filled the rest with zeros. */
const wholeIn = (text: string): JournalLine | undefined => decodeChecked(text.slice(0, text.lastIndexOf("}") + 1))

/**
 * Decodes a file as it is read. A last line without its end was being written when the process ended, so its write was not sent. Any other unreadable line can
 * belong to a write that was sent.
 */
export class FileDecoder {
  readonly #lines: Array<JournalLine> = []
  #count = 0
  #rest = ""

  constructor(private readonly name: string) {}

  /** Decodes the next piece of the text. Fails with the reason why the file cannot be read. */
  push(piece: string): Either.Either<void, string> {
    const lines = (this.#rest + piece).split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) {
      this.#count++
      if (this.#count === 1) {
        if (line !== version) return Either.left(this.#otherVersion(line))
        continue
      }
      const decoded = decodeChecked(line)
      if (decoded === undefined) {
        return Either.left(`line ${this.#count} of ${this.name} was changed after it was written`)
      }
      this.#lines.push(decoded)
    }
    return Either.void
  }

  /** The lines until now. */
  end(): Either.Either<ReadonlyArray<JournalLine>, string> {
    if (this.#count === 0) {
      return version.startsWith(this.#rest) ? Either.right([]) : Either.left(this.#otherVersion(this.#rest))
    }
    const last = wholeIn(this.#rest)
    return Either.right(last === undefined ? this.#lines : [...this.#lines, last])
  }

  #otherVersion(first: string): string {
    return `${this.name} does not begin as a journal of this version: ${JSON.stringify(first.slice(0, 40))}`
  }
}

/** What files contain: entries, open and closed, and sums of entries that were closed before. */
export interface FileContents {
  readonly entries: ReadonlyArray<WriteJournal.RecordedEntry>
  readonly totals: ReadonlyArray<WriteJournal.GuardedTotal>
}

const fileLineOf = ([first]: ReadonlyArray<JournalLine>): FileLine | undefined =>
  first !== undefined && "file" in first ? first : undefined

/** The name of a file in the files that replace it; `undefined` for one without a whole line. */
export const nameOf = (lines: ReadonlyArray<JournalLine>): string | undefined => fileLineOf(lines)?.file

/** The files that count: a file that replaces others counts once the first of them is gone. */
const inForce = (files: ReadonlyArray<ReadonlyArray<JournalLine>>): ReadonlyArray<ReadonlyArray<JournalLine>> => {
  const names = new Set(files.map(nameOf))
  const replaced = new Set<string>()
  for (const lines of files) {
    const name = fileLineOf(lines)
    const [first] = name?.replaces ?? []
    if (name === undefined || first === undefined) continue
    if (names.has(first)) replaced.add(name.file)
    else for (const file of name.replaces) replaced.add(file)
  }
  return files.filter((lines) => !replaced.has(nameOf(lines) ?? ""))
}

/** Reads the lines of successive files, in any order. An entry is closed if any line closes it. */
export const contentsOf = (files: ReadonlyArray<ReadonlyArray<JournalLine>>): FileContents => {
  const intents = new Map<string, WriteJournal.Intent>()
  const outcomes = new Map<string, WriteJournal.Outcome>()
  const totals: Array<WriteJournal.GuardedTotal> = []
  for (const line of inForce(files).flat()) {
    if ("totals" in line) totals.push(...line.totals)
    else if ("intent" in line) {
      // The latest sending counts, which a clock that was wrong can have signed with a later time.
      intents.set(line.intent.id, line.intent)
    } else if ("outcome" in line && (line.outcome._tag !== "Unknown" || !outcomes.has(line.id))) {
      outcomes.set(line.id, line.outcome)
    }
  }
  return { entries: [...intents.values()].map((intent) => ({ intent, outcome: outcomes.get(intent.id) })), totals }
}
