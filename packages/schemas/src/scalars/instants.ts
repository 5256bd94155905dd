/**
 * Instants: milliseconds or seconds since 1970, as text or a number on the wire, `DateTime.Utc` in the domain. Each schema is named after
 * the spelling that the service documents and writes that spelling. Text and numbers are both accepted
 * (docs/reference/contradictions.md#units-of-instants).
 */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Codec from "./codec.js"
import { refused } from "../compiler/protocol.js"
import type { Input } from "./Instant.js"

type Unit = "ms" | "s"

const perUnit = { ms: 1, s: 1000 } as const

const [minus, zero] = [0x2d, 0x30]

/** Reads a whole number of up to 16 digits; NaN for other text. Every row has an instant, so this takes a single pass. */
const wholeNumber = (text: string): number => {
  const start = text.charCodeAt(0) === minus ? 1 : 0
  if (text.length === start || text.length > start + 16) return Number.NaN
  let number = 0
  for (let index = start; index < text.length; index++) {
    const digit = text.charCodeAt(index) - zero
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return start === 0 ? number : -number
}

// The range of a `Date`.
const furthest = 8.64e15

const read = (wire: unknown, unit: Unit): DateTime.Utc | typeof refused => {
  const count = typeof wire === "string" ? wholeNumber(wire) : wire
  if (typeof count !== "number" || !Number.isInteger(count)) return refused
  const millis = count * perUnit[unit]
  return Math.abs(millis) <= furthest ? DateTime.unsafeMake(millis) : refused
}

// The service did not exist before 2010.
const [earliest, latest] = [Date.UTC(2010, 0), Date.UTC(2100, 0)]

// The seconds of these years, read as milliseconds, begin on 15 January 1970. An instant before that has no wrong unit: it is a placeholder, such as 0 or -1,
// or that of an exchange whose virtual clock begins at 0.
const earliestOfSeconds = earliest / 1000

/** Reads an instant of a response. Counts of another unit lie outside these years, and are refused. */
const readPlausible = (wire: unknown, unit: Unit): DateTime.Utc | typeof refused => {
  const instant = read(wire, unit)
  if (instant === refused) return refused
  const { epochMillis } = instant
  return epochMillis < earliestOfSeconds || (epochMillis >= earliest && epochMillis < latest) ? instant : refused
}

/** The JSON Schema keywords of an instant, besides its type. */
const keywordsOf = (unit: Unit) => ({
  format: unit === "ms" ? "unix-milliseconds" : "unix-seconds",
  description: `${unit === "ms" ? "milliseconds" : "seconds"} since 1970`
})

/** The JSON Schema of an instant in a response: text or a number. */
const jsonSchemaOf = (unit: Unit) => ({ anyOf: [{ type: "string" }, { type: "number" }], ...keywordsOf(unit) })

/** An instant of a response, with samples that are read back. */
const plausible = Schema.DateTimeUtcFromSelf.annotations({
  arbitrary: () => (fc) =>
    fc.integer({ min: earliest / 1000, max: latest / 1000 - 1 }).map((seconds) => DateTime.unsafeMake(seconds * 1000))
})

const make = (unit: Unit, spelling: "text" | "number"): Schema.Schema<DateTime.Utc, string | number> => {
  const rule = `must be an instant in ${unit === "ms" ? "milliseconds" : "seconds"}, from 2010 to 2099`
  const wire = Codec.textOrNumber<string | number>(rule, (fc) => {
    const count = fc.integer({ min: earliest / perUnit[unit], max: latest / perUnit[unit] - 1 })
    return spelling === "text" ? count.map(String) : count
  }).annotations({ identifier: `Instant(${unit}, ${spelling})`, jsonSchema: jsonSchemaOf(unit) })
  return Codec.make<DateTime.Utc, string | number>({
    wire,
    domain: plausible,
    rule,
    read: (input) => readPlausible(input, unit),
    write: (instant) => {
      const count = Math.floor(instant.epochMillis / perUnit[unit])
      return spelling === "text" ? String(count) : count
    }
  })
}

/** Milliseconds as text. */
export const MillisText = make("ms", "text")

/** Milliseconds as a number. */
export const MillisNumber = make("ms", "number")

/** Seconds as text. Writing drops the milliseconds. */
export const SecondsText = make("s", "text")

/** Seconds as a number. Writing drops the milliseconds. */
export const SecondsNumber = make("s", "number")

/**
 * An instant in a query, counted in `unit`. An input that is not an instant is refused (see `parse`). An instant that is not a multiple of
 * the unit is refused too, because rounding it would move the bound of the query.
 */
export const queryInstant = (unit: Unit): Schema.Schema<Input, string> => {
  const rule =
    unit === "ms"
      ? "must be an instant (DateTime, Date, ISO text or milliseconds)"
      : "must be an instant on a whole second (DateTime, Date, ISO text or milliseconds)"
  const count = (input: unknown): Option.Option<number> => Option.map(millis(input), (at) => at / perUnit[unit])
  return Schema.transformOrFail(
    Schema.String.annotations({
      jsonSchema: { type: "integer", ...keywordsOf(unit) },
      arbitrary: () => (fc) => fc.integer({ min: 0, max: 4_102_444_800_000 / perUnit[unit] }).map(String)
    }),
    Schema.declare((input: unknown): input is Input => Option.exists(count(input), Number.isInteger), {
      title: `Instant(${unit})`,
      arbitrary: () => (fc) => fc.integer({ min: 0, max: 4_102_444_800 }).map((seconds): Input => seconds * 1000),
      equivalence: () => (a, b) => Option.getEquivalence<number>((one, other) => one === other)(count(a), count(b)),
      pretty: () => (input) =>
        Option.match(millis(input), { onNone: () => "none", onSome: (at) => new Date(at).toISOString() }),
      message: ({ actual }) => withDetail(rule, Option.flatten(Either.getLeft(readInput(actual))))
    }),
    {
      strict: true,
      decode: (wire, _, ast): Either.Either<Input, ParseResult.ParseIssue> => {
        const at = read(wire, unit)
        return at === refused ? Either.left(new ParseResult.Type(ast, wire, rule)) : Either.right(at)
      },
      encode: (input, _, ast) =>
        Option.match(count(input), {
          onNone: () => ParseResult.fail(new ParseResult.Type(ast, input, rule)),
          onSome: (units) => ParseResult.succeed(String(units))
        })
    }
  )
}

interface Parts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
  readonly millis: number
}

/** The ranges of calendar parts. A leap second is out of range, because no count of milliseconds represents it. */
const bounds = [
  ["month", 1, 12],
  ["day", 1, 31],
  ["hours", 0, 23],
  ["minutes", 0, 59],
  ["seconds", 0, 59],
  ["millis", 0, 999]
] as const

const nouns = { month: "month", day: "day", hours: "hour", minutes: "minute", seconds: "second", millis: "millisecond" }

const minuteMillis = 60_000

/** Returns the milliseconds of calendar parts in UTC, or the mistake in them. `Date` would turn 31 February into 3 March. */
const millisOfParts = (parts: Parts): Either.Either<number, string> => {
  const outside = bounds.find(([name, min, max]) => !(parts[name] >= min && parts[name] <= max))
  if (outside !== undefined) return Either.left(`there is no such ${nouns[outside[0]]}`)
  return Option.match(DateTime.make(parts), {
    onNone: () => Either.left("there is no such year"),
    onSome: (at) =>
      DateTime.getPartUtc(at, "day") === parts.day ? Either.right(at.epochMillis) : Either.left("there is no such day")
  })
}

const isoText =
  /^(\d{4}|[+-]\d{6})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/

/** Returns the offset of a zone from UTC, in minutes. */
const offsetMinutes = (zone: string): Either.Either<number, string> => {
  if (zone === "Z") return Either.right(0)
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(":", ""))]
  if (hours > 23 || minutes > 59) return Either.left("there is no such zone offset")
  return Either.right((zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes))
}

const millisOfText = (match: ReadonlyArray<string | undefined>): Either.Either<number, string> =>
  Either.gen(function* () {
    const [, year = "", month, day, hours = "0", minutes = "0", seconds = "0", fraction = "", zone = "Z"] = match
    // ISO 8601 writes the year 0 with a plus.
    if (year === "-000000") return yield* Either.left("there is no such year")
    if (!/^\d{0,3}0*$/.test(fraction)) return yield* Either.left("it is not on a whole millisecond")
    const local = yield* millisOfParts({
      year: Number(year),
      month: Number(month),
      day: Number(day),
      hours: Number(hours),
      minutes: Number(minutes),
      seconds: Number(seconds),
      millis: Number(fraction.slice(0, 3).padEnd(3, "0"))
    })
    const at = local - (yield* offsetMinutes(zone)) * minuteMillis
    return Option.isSome(DateTime.make(at)) ? at : yield* Either.left("there is no such year")
  })

const notAnInstant = Either.left(Option.none<string>())

/** Fails with the mistake in an input that looks like an instant, and with `none` for any other input. */
const readInput = (input: unknown): Either.Either<number, Option.Option<string>> => {
  const describe = (value: string) => (detail: string) => Option.some(`not ${value}: ${detail}`)
  if (typeof input === "string") {
    const match = isoText.exec(input)
    return match === null ? notAnInstant : Either.mapLeft(millisOfText(match), describe(JSON.stringify(input)))
  }
  // `DateTime.make` accepts `{}` as 1970 and `true` as its first millisecond, and drops fractions of a millisecond.
  if (typeof input === "number" || DateTime.isDateTime(input) || input instanceof Date) {
    const at = typeof input !== "number" || Number.isInteger(input) ? DateTime.make(input) : Option.none()
    return Option.match(at, { onNone: () => notAnInstant, onSome: ({ epochMillis }) => Either.right(epochMillis) })
  }
  return isParts(input)
    ? Either.mapLeft(millisOfParts(startingFrom(input)), describe(JSON.stringify(input)))
    : notAnInstant
}

type SomeParts = Pick<Parts, "year"> & { readonly [K in keyof Parts]?: Parts[K] | undefined }

const partNames = ["month", "day", "hours", "minutes", "seconds", "millis"]

const isParts = (input: unknown): input is SomeParts =>
  Predicate.isRecord(input) &&
  Number.isInteger(input.year) &&
  partNames.every((name) => input[name] === undefined || Number.isInteger(input[name]))

/** Missing parts default to the first month, day, hour and so on. */
const startingFrom = ({
  day = 1,
  hours = 0,
  millis = 0,
  minutes = 0,
  month = 1,
  seconds = 0,
  year
}: SomeParts): Parts => ({
  year,
  month,
  day,
  hours,
  minutes,
  seconds,
  millis
})

/**
 * Returns the milliseconds of an input, or the rule that it violates. Text is ISO 8601: a date, or a date and a time to the millisecond;
 * without a zone it is UTC. A day, month, hour, minute, second or zone offset that does not exist is refused and never rolled over: the
 * 31st of a month with 30 days, 24 o'clock, a leap second.
 */
export const parse = (input: unknown): Either.Either<number, string> =>
  Either.mapLeft(readInput(input), (detail) => withDetail("must be an instant", detail))

const withDetail = (rule: string, detail: Option.Option<string>): string =>
  Option.match(detail, { onNone: () => rule, onSome: (text) => `${rule}, ${text}` })

/** Returns the milliseconds of an input, or `none` if `parse` refuses it. */
export const millis = (input: unknown): Option.Option<number> => Option.getRight(parse(input))

/**
 * An instant whose unit differs between the service's pages. The unit is recognised by size, because in the other unit a plausible instant
 * would be before 1973 or after 5000. It is written in the documented unit.
 * (docs/reference/contradictions.md#units-of-instants)
 */
export const disputedText = (documented: Unit): Schema.Schema<DateTime.Utc, string | number> => {
  const rule = "must be an instant in seconds or milliseconds, from 2010 to 2099"
  const border = 100_000_000_000
  return Codec.make<DateTime.Utc, string | number>({
    wire: Codec.textOrNumber<string | number>(rule, (fc) =>
      fc
        .tuple(fc.integer({ min: earliest / 1000, max: latest / 1000 - 1 }), fc.constantFrom(1, 1000))
        .map(([seconds, perSecond]) => String(seconds * perSecond))
    ).annotations({ identifier: `Instant(${documented}?, text)`, jsonSchema: jsonSchemaOf(documented) }),
    domain: plausible,
    rule,
    read: (wire) => {
      const instant = read(wire, "ms")
      return readPlausible(wire, instant !== refused && Math.abs(instant.epochMillis) < border ? "s" : "ms")
    },
    write: (instant) => String(Math.floor(instant.epochMillis / perUnit[documented]))
  })
}
