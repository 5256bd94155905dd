/**
 * The coverage of an export, and whether it is complete: enough to check that no row is missing. Stored beside the data as
 * `manifest.json`.
 */
import * as sha256 from "#sha256"
import type * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { At } from "./ranges.js"
import * as Column from "./Column.js"
import * as Gaps from "./gaps.js"

const count = Schema.NonNegativeInt

/**
 * A range that can be incomplete, and why. Half-open, milliseconds. A gap is open, and the next run reads it again; or it is `lost`: no later reading
 * can fill it, because the service no longer has its rows, or does not give them.
 */
export const Missing = Schema.Struct({ from: At, to: At, because: Schema.String, lost: Schema.Boolean })

export type Missing = typeof Missing.Type

/** A row whose id another row has, with other contents or at another instant. `at` is null if it cannot be read. */
export const Conflict = Schema.Struct({ id: Schema.String, at: Schema.NullOr(At) })

export type Conflict = typeof Conflict.Type

const windowSchema = Schema.Struct({
  from: At,
  to: At,
  rows: count,
  pages: count,
  first: Schema.NullOr(At),
  last: Schema.NullOr(At),
  duplicates: count,
  known: count,
  changed: count,
  unsettled: count,
  rejected: count,
  anomalies: Schema.Record({ key: Schema.String, value: count }),
  conflicts: Schema.Array(Conflict),
  missing: Schema.Array(Missing)
})

export interface Window extends Schema.Schema.Type<typeof windowSchema> {}

/**
 * The result of one window. Half-open, milliseconds.
 *
 * - `duplicates`: rows left out because they were there already.
 * - `known`: rows left out because an earlier export that this one continues has them.
 * - `changed`: rows that an earlier export has in another version: the later one counts.
 * - `unsettled`: rows that can still change; they are included in `rows`.
 * - `rejected`: rows that do not fit the domain side; they are included in `rows`.
 * - `anomalies`: the number of each anomaly. `unknownField x`, `unknownValue x=y`: harmless drift. `inExtra x`: values that the type
 *   of the column x does not have exactly. `repeatedPage`,
 *   `repeatedCursor`, `missingCursor`, `unreadableAnswer`: pages that were read again. `noInstant`, `noRecord`: malformed rows.
 *   `outsideWindow`: rows beyond the requested range, which are not exported. `conflictingRow`: rows whose id another row has.
 * - `conflicts`: the ids of these rows, at most a hundred. If the instant is the same too, the row that came first is exported; those of
 *   different instants are all exported.
 * - `missing`: ranges that can lack rows after this reading; empty if the window is complete. A later window that reads such a range to its end fills it.
 */
export const Window: Schema.Schema<Window, Schema.Schema.Encoded<typeof windowSchema>> = windowSchema

const fileSchema = Schema.Struct({
  name: Schema.String,
  rows: count,
  windows: count,
  bytes: count,
  /** Lowercase hex. */
  sha256: Schema.String,
  inExtra: Schema.optionalWith(Schema.Record({ key: Schema.String, value: count }), { exact: true })
})

export interface File extends Schema.Schema.Type<typeof fileSchema> {}

/**
 * A file of an export. `windows`: how many of its part's windows it holds; they follow one another as the files do. `inExtra`: by column, how many
 * values its type cannot hold exactly, which are in the column `extra` instead; absent without any. A sum over the column lacks them.
 */
export const File: Schema.Schema<File, Schema.Schema.Encoded<typeof fileSchema>> = fileSchema

/** The identity of an export: the dataset, the account, the query. */
export const Subject = Schema.Struct({
  name: Schema.String,
  dataset: Schema.String,
  account: Schema.NullOr(Schema.String),
  parameters: Schema.Record({ key: Schema.String, value: Schema.String })
})

export type Subject = typeof Subject.Type

const identitySchema = Schema.Struct({
  host: Schema.String,
  /** The UID that the credentials declared. */
  uid: Schema.NullOr(Schema.String),
  /** Keyed digests of the API keys that the rows were read with (see `Transport.Identity`). */
  keys: Schema.Array(Schema.Struct({ digest: Schema.String, accepted: Schema.Literal("first", "rows", "declared") }))
})

export interface Identity extends Schema.Schema.Type<typeof identitySchema> {}

/**
 * The account of the rows. A key is `accepted` as the `first` one; because the `rows` of the last window that had some, in this export or another
 * one of the account, were read again under it; or because the caller `declared` that it belongs to the same account when there were no rows to compare.
 */
export const Identity: Schema.Schema<Identity, Schema.Schema.Encoded<typeof identitySchema>> = identitySchema

/** A record that can still appear or change: its instant, and its kind among those of its dataset (`settling.kinds`). */
export const Unsettled = Schema.Struct({ at: At, kind: Schema.String })

export type Unsettled = typeof Unsettled.Type

const partSchema = Schema.Struct({
  ...Subject.fields,
  /** The fields of the records, and how formats read them. */
  columns: Schema.Array(Column.Described),
  /** The columns that all versions of a record share; empty if records do not change. */
  recordKey: Schema.Array(Schema.String),
  identity: Identity,
  verdict: Schema.Literal("complete", "incomplete"),
  rows: count,
  pages: count,
  duplicates: count,
  /** Instants of the first and the last row. */
  first: Schema.NullOr(At),
  last: Schema.NullOr(At),
  /** What even a complete export does not have. */
  caveat: Schema.NullOr(Schema.String),
  /**
   * Oldest first, without gap. The windows of a continuation follow: first the instants that were not settled, then the overlap. One without new rows is
   * part of an earlier window.
   */
  windows: Schema.Array(Window),
  /** Records that can still appear or change: orders that were open, deposits that were in progress. */
  unsettled: Schema.Array(Unsettled),
  files: Schema.Array(File),
  /** Files with the rows that do not fit the domain side, each with the path and the reason. */
  rejected: Schema.Array(File)
})

export interface Part extends Schema.Schema.Type<typeof partSchema> {}

/** A dataset of one account, as exported. */
export const Part: Schema.Schema<Part, Schema.Schema.Encoded<typeof partSchema>> = partSchema

const walletSchema = Schema.Struct({
  account: Schema.NullOr(Schema.String),
  at: At,
  /** The records of the response; a number that a parsed value does not keep is text. */
  list: Schema.Array(Schema.Unknown),
  because: Schema.NullOr(Schema.String)
})

export interface Wallet extends Schema.Schema.Type<typeof walletSchema> {}

/** The wallet of an account at an instant of the service's clock; `because` is the reason if it could not be read. */
export const Wallet: Schema.Schema<Wallet, Schema.Schema.Encoded<typeof walletSchema>> = walletSchema

/**
 * The coins of the instruments of a category, as the service lists them after the last window was read. An export that continues another keeps
 * the instruments that are not listed any more.
 */
export const Listing = Schema.Struct({
  category: Schema.String,
  /** A line for each instrument, sorted: `SYMBOL BASE QUOTE SETTLE`. Spot pairs have no settle coin. */
  list: Schema.Array(Schema.String),
  /** Why the list could not be read; null if it was. */
  because: Schema.NullOr(Schema.String)
})

export type Listing = typeof Listing.Type

/**
 * How the files of an export are split. `month`: a part has a folder for each month of UTC with rows, `PART/month=2026-05/`; a part whose rows are sums over
 * the whole range has one file. Absent if they are not split.
 */
export const Partition = Schema.optionalWith(Schema.Literal("month"), { exact: true })

/** A range of a part that can be incomplete. */
export const MissingOfPart = Schema.Struct({ part: Schema.String, ...Missing.fields })

export type MissingOfPart = typeof MissingOfPart.Type

const manifestSchema = Schema.Struct({
  version: Schema.Literal(1),
  format: Schema.String,
  partition: Partition,
  from: At,
  to: At,
  verdict: Schema.Literal("complete", "incomplete"),
  rows: count,
  /** All ranges that can still lack rows, by part; those that touch are joined. */
  missing: Schema.Array(MissingOfPart),
  parts: Schema.Array(Part),
  run: Schema.Struct({
    startedAt: At,
    endedAt: At,
    /** How often it was begun or resumed. */
    starts: count,
    /** Pages and windows that were requested again because of an anomaly in the response. */
    rereads: count,
    /** Requests that were repeated after a missing response or a transient refusal. */
    retries: count,
    /** The ranges that this run found lost. Later runs do not report them again; they stay in `missing`. */
    lost: Schema.Array(MissingOfPart),
    /** How many conflicting rows this run found. */
    conflicts: count,
    /** The wallets when the export was begun. One that continues another has those from the begin of the other. */
    walletsAtStart: Schema.Array(Wallet),
    /** The wallets after the last window was read. */
    walletsAtEnd: Schema.Array(Wallet),
    /** The coins of instruments, for each category of which the export has rows. */
    listings: Schema.Array(Listing)
  })
})

export interface Manifest extends Schema.Schema.Type<typeof manifestSchema> {}

/** The manifest of a whole export. Two exports of the same records differ only in `run`, which describes the run. */
export const Manifest: Schema.Schema<Manifest, Schema.Schema.Encoded<typeof manifestSchema>> = manifestSchema

/** The manifest's name in the folder of an export. */
export const fileName = "manifest.json"

const utf8 = new TextEncoder()

const toJson = Schema.encodeSync(Manifest)

const textOf = (json: object): string => JSON.stringify(json, undefined, 2)

/**
 * Reads a manifest from its text, whether or not it is as it was written.
 *
 * @category conversions
 */
export const decode: (text: string) => Either.Either<Manifest, ParseResult.ParseError> = Schema.decodeEither(
  Schema.parseJson(Manifest)
)

/**
 * A manifest as text, ending with a line break. Its last field `digest` is the SHA-256 of the same text without it and without the line
 * break, as lowercase hex.
 *
 * @category conversions
 */
export const encode = (manifest: Manifest): string => {
  const json = toJson(manifest)
  const hash = sha256.begin()
  hash.update(utf8.encode(textOf(json)))
  return `${textOf({ ...json, digest: hash.hex() })}\n`
}

const sum = <A>(all: ReadonlyArray<A>, of: (item: A) => number): number =>
  all.reduce((total, item) => total + of(item), 0)

const least = (all: ReadonlyArray<number | null>, by: (...all: ReadonlyArray<number>) => number): number | null => {
  const present = all.filter((value) => value !== null)
  return present.length === 0 ? null : by(...present)
}

const sumAnomalies = (left: Window["anomalies"], right: Window["anomalies"]): Window["anomalies"] => {
  const sums = new Map(Object.entries(left))
  for (const [name, count] of Object.entries(right)) sums.set(name, (sums.get(name) ?? 0) + count)
  return Object.fromEntries([...sums].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** A window, and one that was read after it, as one window of both ranges. */
export const joinWindow = (left: Window, right: Window): Window => ({
  from: Math.min(left.from, right.from),
  to: Math.max(left.to, right.to),
  rows: left.rows + right.rows,
  pages: left.pages + right.pages,
  first: least([left.first, right.first], Math.min),
  last: least([left.last, right.last], Math.max),
  duplicates: left.duplicates + right.duplicates,
  known: left.known + right.known,
  changed: left.changed + right.changed,
  unsettled: left.unsettled + right.unsettled,
  rejected: left.rejected + right.rejected,
  anomalies: sumAnomalies(left.anomalies, right.anomalies),
  conflicts: [...left.conflicts, ...right.conflicts],
  missing: Gaps.afterWindow(left.missing, right)
})

/** A part from its windows. */
export const part = (
  subject: Subject,
  windows: ReadonlyArray<Window>,
  details: Pick<Part, "caveat" | "columns" | "files" | "identity" | "recordKey" | "rejected" | "unsettled">
): Part => ({
  ...subject,
  ...details,
  columns: Column.describe(details.columns),
  verdict: Gaps.ofWindows(windows).length === 0 && conflictsOf(windows) === 0 ? "complete" : "incomplete",
  rows: sum(windows, ({ rows }) => rows),
  pages: sum(windows, ({ pages }) => pages),
  duplicates: sum(windows, ({ duplicates }) => duplicates),
  first: windows.reduce<number | null>((bound, { first }) => least([bound, first], Math.min), null),
  last: windows.reduce<number | null>((bound, { last }) => least([bound, last], Math.max), null),
  windows
})

/** The ranges of parts that can lack rows. */
export const missingOf = (parts: ReadonlyArray<Pick<Part, "name" | "windows">>): ReadonlyArray<MissingOfPart> =>
  parts.flatMap(({ name, windows }) => Gaps.ofWindows(windows).map((gap) => ({ part: name, ...gap })))

/** The account and the category of the rows of a part, as tables repeat them; "" if it has none. */
export const labelsOf = ({
  account,
  identity,
  parameters
}: Pick<Part, "account" | "identity" | "parameters">): { readonly account: string; readonly category: string } => ({
  account: account ?? identity.uid ?? "",
  category: parameters.category ?? ""
})

const inExtra = "inExtra "

/** The anomaly of a value that the type of its column does not have exactly. */
export const inExtraAnomaly = (column: string): string => `${inExtra}${column}`

/** By column, how many values of windows its type does not have exactly. */
export const inExtraOf = (windows: ReadonlyArray<Window>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const { anomalies } of windows) {
    for (const [name, count] of Object.entries(anomalies)) {
      const column = name.slice(inExtra.length)
      if (name.startsWith(inExtra)) counts.set(column, (counts.get(column) ?? 0) + count)
    }
  }
  return Object.fromEntries(counts)
}

/** The number of conflicting rows of windows. */
export const conflictsOf = (windows: ReadonlyArray<Window>): number =>
  sum(windows, ({ anomalies }) => anomalies.conflictingRow ?? 0)

/** A manifest from its parts. */
export const make = (
  range: { readonly from: number; readonly to: number },
  format: string,
  parts: ReadonlyArray<Part>,
  run: Manifest["run"]
): Manifest => ({
  version: 1,
  format,
  ...range,
  verdict: parts.every(({ verdict }) => verdict === "complete") ? "complete" : "incomplete",
  rows: sum(parts, ({ rows }) => rows),
  missing: missingOf(parts),
  parts,
  run
})

/**
 * Whether a run has to be reported: a gap is open that a later run can fill, or the run found a range lost or rows in conflict. What earlier runs
 * reported stays in the verdict, and is no reason to report a run again.
 *
 * @category getters
 */
export const needsAttention = ({ missing, run }: Pick<Manifest, "missing" | "run">): boolean =>
  Gaps.open(missing).length > 0 || run.lost.length > 0 || run.conflicts > 0
