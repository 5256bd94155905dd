import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import { fileName } from "../config/configFile.js"
import { parseDate, parseYear, type RangeEnd } from "./dates.js"
import * as Months from "./months.js"

export const formats = ["ndjson", "csv", "parquet", "sqlite"] as const

export type Format = (typeof formats)[number]

/** The database of an export in the format `sqlite`, in its folder. */
export const databaseFile = "venue.sqlite"

export const finishedExport = Args.text({ name: "folder" }).pipe(
  Args.withDescription(
    "The folder of a finished export, or its Postgres database: postgres://host/database, or env:NAME for the address in a variable."
  )
)

export const spreadsheetSafe = Options.boolean("spreadsheet-safe").pipe(
  Options.withDescription(
    "Put a quote before cells that a spreadsheet takes for a formula. Needs the format csv. Numbers stay as they are."
  )
)

/** A port; 0 is a free one. */
const portOption = (name: string): Options.Options<number> =>
  Options.mapEffect(Options.integer(name), (port) =>
    port >= 0 && port <= 65_535
      ? Either.right(port)
      : Either.left(ValidationError.invalidValue(HelpDoc.p(`--${name} must be a port from 0 to 65535, not ${port}`)))
  )

/** Options of commands that run for months. `--log-level` is an option of every command. */
export const monitoring = {
  metricsPort: portOption("metrics-port").pipe(
    Options.optional,
    Options.withDescription("Serve /metrics for Prometheus, /healthz and /readyz at this port. Defaults to no port.")
  ),
  metricsHost: Options.text("metrics-host").pipe(
    Options.withDefault("127.0.0.1"),
    Options.withDescription("The address of that port; defaults to 127.0.0.1, which other machines cannot reach.")
  ),
  logFormat: Options.choice("log-format", ["json", "pretty"]).pipe(
    Options.withDefault("pretty" as const),
    Options.withDescription("How standard output and standard error are written; defaults to pretty.")
  )
}

const units = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** A length of time, in milliseconds: `30s`, `1m`, `2h`. */
export const period = (name: string): Options.Options<number> =>
  Options.mapEffect(Options.text(name), (text) => {
    const { count, unit } = /^(?<count>[1-9]\d{0,5})(?<unit>[smh])$/.exec(text)?.groups ?? {}
    return count !== undefined && (unit === "s" || unit === "m" || unit === "h")
      ? Either.right(Number(count) * units[unit])
      : Either.left(
          ValidationError.invalidValue(HelpDoc.p(`--${name}: "${text}" is not a length of time such as 30s, 1m or 2h`))
        )
  })

export const out = (folder: string): Options.Options<string> =>
  Options.text("out").pipe(
    Options.withDefault(folder),
    Options.withDescription(`The folder to write to; defaults to ${folder}.`)
  )

export const seed = Options.integer("seed").pipe(
  Options.withDefault(1),
  Options.withDescription("The seed of the sandbox's history; defaults to 1.")
)

export const port = portOption("port").pipe(
  Options.withDefault(0),
  Options.withDescription("The port the sandbox listens on; defaults to a free one.")
)

export const sandbox = Options.boolean("sandbox").pipe(
  Options.withDescription("Use a new sandbox, which ends with the command, instead of the service.")
)

const config = Options.text("config").pipe(
  Options.optional,
  Options.withDescription(
    `The file with the accounts. Defaults to the environment, or to ${fileName} where that has no account.`
  )
)

/** The account and the address of calls. */
export const account = Options.text("account").pipe(
  Options.optional,
  Options.withDescription("The account to call as, by its name in the config file.")
)

export const accounts = Options.text("account").pipe(
  Options.repeated,
  Options.withDescription("An account to export, by its name in the config file; can be repeated.")
)

export const source = { config, sandbox, seed, port }

const readAt = <A>(name: string, parse: (text: string, now: number) => Either.Either<A, string>): Options.Options<A> =>
  Options.mapEffect(Options.text(name), (text) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Either.mapLeft(parse(text, now), (mistake) =>
        ValidationError.invalidValue(HelpDoc.p(`--${name}: "${text}" ${mistake}`))
      )
    )
  )

/** An end of a range, in milliseconds. */
export const instant = (end: RangeEnd): Options.Options<number> => readAt(end, (text, now) => parseDate(text, end, now))

/** A year of UTC as a range. */
export const year = readAt("year", parseYear)

/** The time zone of months; UTC by default. */
export const timeZone: Options.Options<DateTime.TimeZone> = Options.mapEffect(
  Options.text("time-zone").pipe(
    Options.withDefault("UTC"),
    Options.withDescription("The time zone of months and days, such as Europe/Berlin or +02:00. Defaults to UTC.")
  ),
  (text) =>
    Either.fromOption(Months.zone(text), () =>
      ValidationError.invalidValue(
        HelpDoc.p(`--time-zone: "${text}" is not a time zone such as Europe/Berlin, UTC or +02:00`)
      )
    )
)

/** Which export of a database. */
export const tables = {
  name: Options.text("name").pipe(
    Options.optional,
    Options.withDescription("The name of the export in a Postgres database. Defaults to export.")
  ),
  prefix: Options.text("prefix").pipe(
    Options.optional,
    Options.withDescription("The prefix of the tables in a Postgres database. Defaults to venue_.")
  )
}

/** A table with the coins of symbols that the service does not list. */
export const symbols: Options.Options<Option.Option<string>> = Options.text("symbols").pipe(
  Options.optional,
  Options.withDescription(
    "A file with the coins of symbols that the service does not list: lines such as spot,XRPBRZ,XRP,BRZ,BRZ for category, symbol, base, quote and settle coin."
  )
)
