import * as Instant from "@effect-venue/schemas/Instant"
import type * as Part from "@effect-venue/history/Part"
import * as Singer from "@effect-venue/history/Singer"
import * as FileSystem from "@effect/platform/FileSystem"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as subjects from "../options/subjects.js"
import * as Output from "../output/output.js"
import { Refusal } from "../run/failures.js"

/** The file of `venue tap --config`. */
const Config = Schema.Struct({
  /** The first instant of the history. */
  start_date: Schema.String,
  /** The first instant after it. Defaults to the service's clock. */
  end_date: Schema.optional(Schema.String),
  datasets: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [subjects.all] }),
  categories: Schema.optionalWith(Schema.Array(Schema.Literal(...subjects.categories)), { default: () => [] }),
  symbol: Schema.optional(Schema.String),
  coin: Schema.optional(Schema.String),
  /** How much before the end of the state is read again, for records that the service lists late, such as `4 hours`. Defaults to an hour. */
  overlap: Schema.optional(Schema.String),
  /** Declares that an API key which the state has not seen is of the same account. */
  sameAccount: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  /** The service and the account, instead of the variables of the environment. */
  base_url: Schema.optional(Schema.String),
  api_key: Schema.optional(Schema.Redacted(Schema.String)),
  api_secret: Schema.optional(Schema.Redacted(Schema.String)),
  /** A file with accounts, and names of them. */
  accounts_file: Schema.optional(Schema.String),
  accounts: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] })
})

export type Config = typeof Config.Type

const Catalog = Schema.Struct({
  streams: Schema.Array(
    Schema.Struct({
      tap_stream_id: Schema.String,
      metadata: Schema.optionalWith(
        Schema.Array(
          Schema.Struct({
            breadcrumb: Schema.Array(Schema.String),
            metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown })
          })
        ),
        { default: () => [] }
      )
    })
  )
})

/** Reads a file as JSON of a schema. A field that is not `known` is ignored with a notice. A value is never in the message: it can be a secret. */
const read = <A, I>(option: string, file: string, schema: Schema.Schema<A, I>, known: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const refuse = (rule: string) => new Refusal({ message: `--${option}: ${file} ${rule}` })
    const text = yield* Effect.mapError(fs.readFileString(file), () => refuse("does not exist, or cannot be read"))
    const json = yield* Effect.mapError(Schema.decode(Schema.parseJson())(text), () => refuse("is not JSON"))
    const content = yield* Effect.mapError(
      Schema.decodeUnknown(schema)(json).pipe(
        Effect.catchAll((error) => Effect.fail(ParseResult.ArrayFormatter.formatErrorSync(error)))
      ),
      ([issue]) => refuse(`has no valid ${issue?.path.join(".") ?? "content"}`)
    )
    const unknown = Predicate.isRecord(json) ? Object.keys(json).filter((name) => !known.includes(name)) : []
    yield* Effect.forEach(
      unknown,
      (name) => Output.warn(`--${option}: ${file} has the unknown field ${name}, which is ignored`),
      { discard: true }
    )
    return content
  })

const instant = (name: string, text: string): Either.Either<number, Refusal> =>
  Either.mapLeft(Instant.parse(text), (rule) => new Refusal({ message: `--config: ${name} "${text}" ${rule}` }))

const duration = (text: string): Either.Either<Duration.Duration, Refusal> =>
  Either.fromOption(
    Option.filter(Duration.decodeUnknown(text), Duration.isFinite),
    () => new Refusal({ message: `--config: overlap "${text}" is not a length of time such as 4 hours` })
  )

export interface Configured {
  readonly config: Config
  readonly from: number
  readonly to: number | undefined
  readonly overlap: Duration.Duration | undefined
  readonly subjects: ReadonlyArray<subjects.Subject>
}

export const config = (file: string) =>
  Effect.gen(function* () {
    const config = yield* read("config", file, Config, Object.keys(Config.fields))
    const known = [...subjects.datasets.map(({ name }) => name), subjects.all]
    const unknown = config.datasets.find((name) => !known.includes(name))
    if (unknown !== undefined) {
      return yield* new Refusal({
        message: `--config: the dataset ${unknown} is unknown: it is one of ${known.join(", ")}`
      })
    }
    const { categories, coin, datasets, end_date: end, start_date: start, symbol } = config
    return {
      config,
      from: yield* instant("start_date", start),
      to: end === undefined ? undefined : yield* instant("end_date", end),
      overlap: config.overlap === undefined ? undefined : yield* duration(config.overlap),
      subjects: yield* subjects.select({
        datasets,
        categories,
        defaultCategories: [],
        filters: { ...(symbol === undefined ? {} : { symbol }), ...(coin === undefined ? {} : { coin }) }
      })
    } satisfies Configured
  })

/** The account of the file stands before that of the environment. */
export const addAccount = ({ api_key: key, api_secret: secret, base_url: url }: Config) => {
  const variables = [
    ["VENUE_BASE_URL", url],
    ["VENUE_API_KEY", key === undefined ? undefined : Redacted.value(key)],
    ["VENUE_API_SECRET", secret === undefined ? undefined : Redacted.value(secret)]
  ] as const
  const own = ConfigProvider.fromMap(
    new Map(variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
  )
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.configProviderWith((provider) =>
      Effect.withConfigProvider(
        effect,
        ConfigProvider.orElse(own, () => provider)
      )
    )
}

/** The first run of a pipeline has a state without bookmarks. */
const State = Schema.Struct({
  bookmarks: Schema.optionalWith(Singer.State.fields.bookmarks, { nullable: true, default: () => ({}) })
})

const Wrapped = Schema.Struct({ singer_state: State })

/** The state of a file: the value of the last `STATE`, or one that the host of the extractor has wrapped. */
export const state = (file: string) => {
  const known = ["bookmarks", "currently_syncing", "singer_state"]
  return Effect.map(read("state", file, Schema.Union(Wrapped, State), known), (content) =>
    "singer_state" in content ? content.singer_state : content
  )
}

/** The parts that a catalog selects; all without one. */
export const selectParts = (file: Option.Option<string>, parts: ReadonlyArray<Part.Part>) =>
  Effect.gen(function* () {
    if (Option.isNone(file)) return parts
    const fs = yield* FileSystem.FileSystem
    const refuse = () =>
      new Refusal({ message: `--catalog: ${file.value} is not a catalog: use the output of --discover` })
    const text = yield* Effect.mapError(fs.readFileString(file.value), refuse)
    const { streams } = yield* Effect.mapError(Schema.decode(Schema.parseJson(Catalog))(text), refuse)
    return parts.filter(({ name }) => {
      const stream = streams.find(({ tap_stream_id }) => tap_stream_id === name)
      const { metadata } = stream?.metadata.find(({ breadcrumb }) => breadcrumb.length === 0) ?? {}
      if (stream === undefined || metadata?.selected === false) return false
      return metadata?.selected === true || metadata?.["selected-by-default"] !== false
    })
  })
