/**
 * Datasets: the operation of the rows, the windows of a range, the key of a row. The datasets themselves are in
 * `History`.
 */
import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import { inOneLine } from "@effect-venue/schemas/siblings/ShownText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as Column from "./Column.js"
import type * as Manifest from "./Manifest.js"
import * as Pages from "./pages.js"

/**
 * One record as the service sent it; a number that JavaScript would print differently, such as `1.50`, is text. Its fields are unchecked:
 * the manifest names rows that do not fit the record's schema, and they are exported as they are.
 */
export type Row = Readonly<Record<string, unknown>>

/** A half-open range in milliseconds since 1970: `from` belongs to it, `to` does not. */
export interface Window {
  readonly from: number
  readonly to: number
}

/** The parameters of one request. Instants in milliseconds, on whole units of the endpoint. */
export interface Ask {
  readonly from: number
  readonly to: number
  readonly cursor: string | undefined
}

/**
 * The content of one response. `next` is the unmodified cursor: `undefined` if the response has no such field, which leaves open whether
 * more pages follow; a list without pages has `""`.
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

/** Why a row does not fit its record's schema. */
export interface Mismatch {
  readonly path: string
  readonly expected: string
}

/** How a range is split and requested. */
export interface WindowRule {
  /** The longest window of one request. If the service has none, a length that keeps memory and checkpoints small. */
  readonly span: Duration.Duration
  /** The unit in which the endpoint counts instants. */
  readonly unit: "ms" | "s"
  /** The retention of the records. */
  readonly reachBack: Option.Option<Duration.Duration>
  /**
   * The most rows of a response of a list without pages: a window with so many rows can have more, and is halved, down to a second.
   * `none` for lists with pages.
   */
  readonly halved: Option.Option<number>
}

/**
 * Records that can still appear or change after their instant has passed: an order is in the history once it is closed, under the
 * instant at which it was created. An export that continues another one reads such instants again.
 */
export interface Settling<in Query> {
  /** The fields that two versions of a record share; none if that is the key. */
  readonly identity: ReadonlyArray<string>
  /** The fields that distinguish versions of a record; none if records do not change, or if the key is all fields. */
  readonly version: ReadonlyArray<string>
  /** The kinds of records that can still appear or change: in words for one and for several of them, why, and until when. */
  readonly kinds: Readonly<Record<string, readonly [one: string, several: string]>>
  /** Whether a row has a status that will change. Its kind is `inProgress`. */
  readonly isPending: (row: Row) => boolean
  /** The records that can still appear or change, beside those that `isPending` finds. */
  readonly pending: (
    query: Query
  ) => Effect.Effect<ReadonlyArray<Manifest.Unsettled>, Failure.ReadFailure, Transport.Transport>
}

/** A dataset. `Query` has the parameters beside the range; `A` is a row on the domain side. */
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
  /** The fields that make a row unique; `"content"` if records have no id: all fields, and the number of equal rows before. */
  readonly key: ReadonlyArray<string> | "content"
  /** The column of a row's instant: a row belongs to the window with its instant. `none` if a row is a sum over the whole range. */
  readonly instant: Option.Option<Column.Column>
  /**
   * Another column by which the service can file rows. A row that lies in a window only by this column is exported there, and the window is
   * incomplete: rows that belong to it can be in other windows.
   */
  readonly filedBy: Option.Option<Column.Column>
  readonly windows: WindowRule
  /** Rows are newest first; otherwise in another order of the service. */
  readonly newestFirst: boolean
  /** What even a complete export lacks, because the service does not return it. */
  readonly caveat: Option.Option<string>
  /** Whether other accounts can have the same rows, so that they do not identify the account. */
  readonly isShared: boolean
  readonly settling: Settling<Query>
  /** Refuses an invalid query before it is sent. */
  readonly check: (query: Query, ask: Ask) => Effect.Effect<void, Failure.InvalidRequest, Transport.Transport>
  /** Requests one page. */
  readonly page: (query: Query, ask: Ask) => Effect.Effect<Page, Failure.ReadFailure, Transport.Transport>
  /** The domain side of a row. */
  readonly decode: (row: unknown) => Either.Either<A, Mismatch>
}

/** The definition of a dataset. What its endpoint defines is taken from there. */
export interface Definition<Query, Req, ReqWire, Res, ResWire, A, I> {
  readonly name: string
  readonly summary: string
  readonly endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, "read">
  readonly record: Schema.Schema<A, I>
  /** One for every field on the wire side of the record, in the order of the tables. Defaults to those that the schema of the record describes. */
  readonly columns?: { readonly [K in keyof I & string]-?: Column.Spec }
  readonly key: ReadonlyArray<keyof I & string> | "content"
  readonly instant?: keyof I & string
  readonly filedBy?: keyof I & string
  readonly categories?: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<string>
  readonly newestFirst?: boolean
  /** The name of the cursor in a response, if it differs from the endpoint's. */
  readonly cursor?: string
  /** The length of a window, if the endpoint has no longest one. Defaults to 30 days. */
  readonly span?: Duration.Duration
  /** The most rows of a response of an endpoint without pages, and their field. */
  readonly unpaged?: { readonly items: string; readonly limit: number }
  readonly caveat?: string
  readonly isShared?: boolean
  readonly settles?: Partial<Settling<Query>>
  readonly request: (query: Query, ask: Ask) => Req
}

const month = Duration.days(30)

const mismatch = (error: ParseResult.ParseError): Mismatch => {
  // The branch that matched furthest has the most useful message.
  const deepest = ParseResult.ArrayFormatter.formatErrorSync(error).reduce((left, right) =>
    right.path.length > left.path.length ? right : left
  )
  return { path: inOneLine(deepest.path.map(String).join(".")), expected: inOneLine(deepest.message) }
}

export const make = <Query, Req, ReqWire, Res, ResWire, A, I>(
  definition: Definition<Query, Req, ReqWire, Res, ResWire, A, I>
): Dataset<Query, A> => {
  const { endpoint, request } = definition
  const page = Pages.of(endpoint, { items: definition.unpaged?.items, cursor: definition.cursor })
  const columns =
    definition.columns === undefined
      ? Column.ofRecord(definition.record)
      : Column.make(Object.entries<Column.Spec>(definition.columns))
  const history = endpoint.historyWindow
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
          Option.flatMap(history, ({ span }) => span),
          () => month
        ),
      unit: Option.match(history, { onNone: () => "ms", onSome: ({ unit }) => unit }),
      reachBack: Option.flatMap(history, ({ reachBack }) => reachBack),
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
      kinds: definition.settles?.kinds ?? {},
      isPending: definition.settles?.isPending ?? (() => false),
      pending: definition.settles?.pending ?? (() => Effect.succeed([]))
    },
    decode: (row) => Either.mapLeft(decode(row), mismatch)
  }
}

/** The side of the rows of a stream: verbatim, or decoded. */
export type Side = "wire" | "domain"

/**
 * A row on one side.
 *
 * @category type-level
 */
export type RowOf<A, S extends Side> = S extends "domain" ? A : Row
