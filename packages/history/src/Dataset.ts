/**
 * Datasets: where the rows are read from, how the range is split, what makes a row unique. The datasets themselves are rows of
 * the table in `Datasets`.
 *
 * @since 0.1.0
 */
import * as Decoder from "@effect-venue/schemas/Decoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as Column from "./Column.js"
import * as Cell from "./internal/formats/cell.js"
import * as DatasetPages from "./internal/read/datasetPages.js"

/**
 * One record as the service sent it; a number that JavaScript would print otherwise, such as `1.50`, is its own text. Its fields are
 * unchecked: what does not fit the record's schema is named in the manifest, and is here all the same.
 *
 * @since 0.1.0
 * @category models
 */
export type Row = Readonly<Record<string, unknown>>

/**
 * A half-open range in milliseconds since 1970: `from` belongs to it, `to` does not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Window {
  readonly from: number
  readonly to: number
}

/**
 * The parameters of one request. Instants in milliseconds, on whole units of the endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ask {
  readonly from: number
  readonly to: number
  readonly cursor: string | undefined
}

/**
 * The content of one response. `next` is the cursor, unmodified: `undefined` where the response has no such field, from which
 * nothing follows; a list that is not paged has `""`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page {
  readonly rows: ReadonlyArray<unknown>
  /**
   * The rows in the spelling of the response, one for each of `rows` and each on one line. Defaults to `rows`, printed: numbers then have
   * the spelling of JavaScript.
   */
  readonly texts?: ReadonlyArray<string> | undefined
  readonly next: unknown
}

/**
 * Why a row does not fit its record's schema.
 *
 * @since 0.1.0
 * @category models
 */
export interface Mismatch {
  readonly path: string
  readonly expected: string
}

/**
 * How a range is split and requested.
 *
 * @since 0.1.0
 * @category models
 */
export interface WindowRule {
  /** The longest window of one request; where the service has none, a length that keeps memory and checkpoints small. */
  readonly span: Duration.Duration
  /** The unit in which the endpoint counts instants. */
  readonly unit: "ms" | "s"
  /** Neither end of the range that is sent belongs to it. */
  readonly exclusive: boolean
  /** The retention of the records. */
  readonly reachBack: Option.Option<Duration.Duration>
  /**
   * There are no pages: a window that returns as many rows as this may hold more, and is halved, down to a second. `none` for lists
   * that are paged.
   */
  readonly halved: Option.Option<number>
}

/**
 * Records that may still appear or change after their instant has passed: an order is in the history once it is closed, under the
 * instant at which it was created. An export that continues another one reads such instants again.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settling<in Query> {
  /** The fields that two versions of one record have in common; none where that is the key. */
  readonly identity: ReadonlyArray<string>
  /** The fields that distinguish versions of one record; none where records do not change, or where the key is all fields. */
  readonly version: ReadonlyArray<string>
  /** Whether a row says of itself that it will change. */
  readonly isPending: (row: Row) => boolean
  /** Instants, in milliseconds, of which records may still appear or change, as of now. */
  readonly pending: (query: Query) => Effect.Effect<ReadonlyArray<number>, Failure.ReadFailure, Transport.Transport>
}

/**
 * A dataset. `Query` has the parameters beside the range; `A` is a row on the domain side.
 *
 * @since 0.1.0
 * @category models
 */
export interface Dataset<in Query, out A> {
  /** Its name in the command line and the manifest. */
  readonly name: string
  readonly summary: string
  readonly endpoint: Endpoint.Properties
  /** The schema of a record, with the meaning of each field. */
  readonly record: Schema.Schema.AnyNoContext
  /** The possible values of `category`; empty for datasets without one. */
  readonly categories: ReadonlyArray<string>
  /** The parameters beside `category`. */
  readonly parameters: ReadonlyArray<string>
  readonly columns: ReadonlyArray<Column.Column>
  /** The fields that make a row unique; `"content"` where records have no id: all fields, and the number of equal rows before. */
  readonly key: ReadonlyArray<string> | "content"
  /** The column of a row's instant: a row belongs to the window with its instant. `none` if a row is a sum over the whole range. */
  readonly instant: Option.Option<Column.Column>
  /**
   * Another column by which the service may put rows into a range. A row that lies in a window by this column alone is exported there, and
   * the window is incomplete: rows that belong to it may be in other windows.
   */
  readonly filedBy: Option.Option<Column.Column>
  readonly windows: WindowRule
  /** Rows are newest first; otherwise in another order of the service. */
  readonly newestFirst: boolean
  /** What even a complete export lacks, because the service does not return it. */
  readonly caveat: Option.Option<string>
  /** Other accounts may have the same rows, so that they do not identify the account. */
  readonly isShared: boolean
  readonly settling: Settling<Query>
  /** Refuses an invalid query before it is sent. */
  readonly check: (query: Query, ask: Ask) => Effect.Effect<void, Failure.InvalidRequest, Transport.Transport>
  /** Requests one page. */
  readonly page: (query: Query, ask: Ask) => Effect.Effect<Page, Failure.ReadFailure, Transport.Transport>
  /** The domain side of a row. */
  readonly decode: (row: unknown) => Either.Either<A, Mismatch>
}

/**
 * The definition of a dataset. What its endpoint defines is taken from there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Definition<Query, Req, ReqWire, Res, ResWire, A, I> {
  readonly name: string
  readonly summary: string
  readonly endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, "read">
  readonly record: Schema.Schema<A, I>
  /** One for every field on the wire side of the record, in the order of the tables. */
  readonly columns: { readonly [K in keyof I & string]-?: Column.Spec }
  readonly key: ReadonlyArray<keyof I & string> | "content"
  readonly instant?: keyof I & string
  readonly filedBy?: keyof I & string
  readonly categories?: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<string>
  readonly newestFirst?: boolean
  readonly exclusive?: boolean
  /** The name of the cursor in a response, where it differs from the endpoint's. */
  readonly cursor?: string
  /** Where the endpoint has no longest window: the length of one. Defaults to 30 days. */
  readonly span?: Duration.Duration
  /** Of an endpoint without pages: the maximum of rows that it returns, and where they are. */
  readonly unpaged?: { readonly items: string; readonly limit: number }
  readonly caveat?: string
  readonly isShared?: boolean
  readonly settles?: Partial<Settling<Query>>
  readonly request: (query: Query, ask: Ask) => Req
}

const month = Duration.days(30)

const mismatch = (error: ParseResult.ParseError): Mismatch => {
  // Of several branches that did not fit, the one that got furthest says most.
  const deepest = ParseResult.ArrayFormatter.formatErrorSync(error).reduce((one, other) =>
    other.path.length > one.path.length ? other : one
  )
  return { path: deepest.path.map(String).join("."), expected: deepest.message }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = <Query, Req, ReqWire, Res, ResWire, A, I>(
  definition: Definition<Query, Req, ReqWire, Res, ResWire, A, I>
): Dataset<Query, A> => {
  const { endpoint, request } = definition
  const page = DatasetPages.of(endpoint, { items: definition.unpaged?.items, cursor: definition.cursor })
  const columns = Column.make(Object.entries<Column.Spec>(definition.columns))
  const history = Option.getOrUndefined(endpoint.historyWindow)
  const decode = Decoder.decodeUnknownEither(definition.record)
  return {
    name: definition.name,
    summary: definition.summary,
    endpoint,
    record: definition.record,
    categories: definition.categories ?? [],
    parameters: definition.parameters ?? [],
    columns,
    key: definition.key,
    instant: Option.fromNullable(columns.find(({ name }) => name === definition.instant)),
    filedBy: Option.fromNullable(columns.find(({ name }) => name === definition.filedBy)),
    windows: {
      span:
        definition.span ??
        Option.getOrElse(
          Option.flatMapNullable(endpoint.historyWindow, (w) => Option.getOrUndefined(w.span)),
          () => month
        ),
      unit: history?.unit ?? "ms",
      exclusive: definition.exclusive ?? false,
      reachBack: Option.flatMap(endpoint.historyWindow, (window) => window.reachBack),
      halved: Option.fromNullable(definition.unpaged?.limit)
    },
    newestFirst: definition.newestFirst ?? true,
    caveat: Option.fromNullable(definition.caveat),
    isShared: definition.isShared ?? false,
    check: (query, ask) =>
      Effect.flatMap(Transport.Transport, (transport) => transport.check(endpoint, request(query, ask))),
    page: (query, ask) => page(request(query, ask)),
    settling: {
      identity: definition.settles?.identity ?? [],
      version: definition.settles?.version ?? [],
      isPending: definition.settles?.isPending ?? (() => false),
      pending: definition.settles?.pending ?? (() => Effect.succeed([]))
    },
    decode: (row) => Either.mapLeft(decode(row), mismatch)
  }
}

const contentOf = ({ columns }: Pick<Dataset<never, unknown>, "columns">, row: Row): string =>
  JSON.stringify(columns.map((column) => Cell.canonical(column, row[column.name])))

/**
 * The id of a record, as text; `undefined` if the records of a dataset have none. A row without its id is identified by all of its fields.
 *
 * @since 0.1.0
 * @category getters
 */
export const id = (dataset: Pick<Dataset<never, unknown>, "columns" | "key">, row: Row): string | undefined => {
  if (dataset.key === "content") return undefined
  const values = dataset.key.map((field) => row[field])
  return values.every((value) => typeof value === "string" || typeof value === "number")
    ? values.join(" ")
    : contentOf(dataset, row)
}

/**
 * What makes a row unique, as text: its id and its instant in milliseconds, or all of its fields if records have no id. Of a dataset whose
 * records have no id two rows may have the same.
 *
 * @since 0.1.0
 * @category getters
 */
export const key = (dataset: Pick<Dataset<never, unknown>, "columns" | "instant" | "key">, row: Row): string => {
  const own = id(dataset, row)
  return own === undefined ? contentOf(dataset, row) : `${own} ${instant(dataset, row) ?? ""}`
}

/**
 * The id that a key contains (see `key`).
 *
 * @since 0.1.0
 * @category getters
 */
export const idOfKey = (key: string): string => key.slice(0, key.lastIndexOf(" "))

/**
 * The identity of a record, and which version of it this is: both texts.
 *
 * @since 0.1.0
 * @category getters
 */
export const version = (
  dataset: Pick<Dataset<never, unknown>, "columns" | "instant" | "key" | "settling">,
  row: Row
): readonly [identity: string, version: string] => {
  const { identity, version } = dataset.settling
  const said = (fields: ReadonlyArray<string>): string =>
    dataset.columns
      .filter(({ name }) => fields.includes(name))
      .map((column) => Cell.canonical(column, row[column.name]))
      .join(" ")
  const unique = key(dataset, row)
  return identity.length === 0 ? [unique, said(version)] : [said(identity), unique]
}

const millisOf = (column: Option.Option<Column.Column>, row: Row): number | undefined =>
  Option.isNone(column) ? undefined : Column.millis(column.value.kind, row[column.value.name])

/**
 * The instant of a row, in milliseconds; `undefined` if the row has none that can be read.
 *
 * @since 0.1.0
 * @category getters
 */
export const instant = (dataset: Pick<Dataset<never, unknown>, "instant">, row: Row): number | undefined =>
  millisOf(dataset.instant, row)

/**
 * The instants by which the service may file a row, in milliseconds: its own, if it can be read, and that of `filedBy`.
 *
 * @since 0.1.0
 * @category getters
 */
export const instants = (
  dataset: Pick<Dataset<never, unknown>, "filedBy" | "instant">,
  row: Row
): ReadonlyArray<number> => {
  const at = instant(dataset, row)
  if (at === undefined) return []
  const other = millisOf(dataset.filedBy, row)
  return other === undefined ? [at] : [at, other]
}

/**
 * Whether the service may file a row in one of these windows, or the instant of the row cannot be read.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isWithin = (
  dataset: Pick<Dataset<never, unknown>, "filedBy" | "instant">,
  row: Row,
  windows: ReadonlyArray<{ readonly from: number; readonly to: number }>
): boolean => {
  const all = instants(dataset, row)
  return all.length === 0 || windows.some(({ from, to }) => all.some((at) => at >= from && at < to))
}
