import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Either from "effect/Either"
import { fleetCommand } from "../fleet/fleetCommand.js"
import { type Parameter, type Parameters, parameters } from "./helpDoc.js"
import { callLines, entry, section, wrapLines, wrapText } from "../output/layout.js"
import * as subjects from "../options/subjects.js"

/** The usage of a command. `examples` contains calls with a description. */
interface Usage {
  readonly words: string
  readonly examples: ReadonlyArray<readonly [words: string, what: string]>
  /** The choices of an argument, with their meanings. */
  readonly choices?: { readonly heading: string; readonly entries: ReadonlyArray<readonly [string, string]> }
}

const datasets = [
  ...subjects.datasets.map(({ name, summary }) => [name, `${summary}.`] as const),
  [subjects.all, "Every dataset that the categories have, but for broker-volume, which is a sum."] as const
]

const usages: Readonly<Record<string, Usage>> = {
  accounts: {
    words: "[options]",
    examples: [
      ["accounts", "tries the key of every account of venue.config.json"],
      ["accounts --config team.json --json", "the same of another file, for machines"]
    ]
  },
  call: {
    words: "<operation> [<key=value>...] [options]",
    examples: [
      ["call orders.open category=spot", "lists open orders"],
      [
        "call orders.create category=linear symbol=BTCUSDT side=Buy orderType=Limit qty=0.01 price=20000",
        "places an order after you confirm it"
      ],
      ["call instruments.list category=spot --sandbox --json", "prints JSON, from a sandbox"]
    ]
  },
  doctor: {
    words: "[options]",
    examples: [
      ["doctor", "checks every operation that reads"],
      ["doctor --days 30 --bundle exchanges.json", "keeps the exchanges, without secrets"]
    ]
  },
  export: {
    words: "<dataset>... [options]",
    examples: [
      ["export executions --from 2026-01-01 --category spot --out fills", "spot trades of this year"],
      ["export all --from 2026-01-01 --format parquet --out year", "everything the account has"],
      ["export all --from 2026-01-01 --partition month --out year", "the same in a folder for each month"],
      ["export --incremental --out fills", "what is new since the last time"]
    ],
    choices: { heading: "Datasets", entries: datasets }
  },
  fleet: {
    words: "<command> [options]",
    examples: [["fleet run accounts.json --out data", "exports all accounts of the file, again and again"]]
  },
  "fleet run": {
    words: "<accounts.json> [options]",
    examples: [
      ["fleet run accounts.json --out data", "exports all accounts of the file, again and again"],
      ["fleet run accounts.json --out data --once", "ends when no export is due"],
      [
        "fleet run accounts.json --database postgres://localhost/books",
        "the same on as many machines as run it, into tables"
      ]
    ]
  },
  "fleet status": {
    words: "[options]",
    examples: [["fleet status --out data --json", "how far it is, for machines"]]
  },
  init: {
    words: "[options]",
    examples: [["init", "asks for an account, writes venue.config.json and checks the account"]]
  },
  log: {
    words: "<folder> [options]",
    examples: [
      ["log year --out log.csv", "writes every change of a balance, a line each"],
      ["log year --as beancount --time-zone Europe/Berlin --out year.beancount", "a ledger with days of Berlin"]
    ]
  },
  operations: { words: "[options]", examples: [["operations", "lists the operations with limits and paging"]] },
  report: {
    words: "<folder> [options]",
    examples: [
      ["report year", "writes year/report.html, and prints the totals of each month"],
      ["report year --month 2026-05 --time-zone Europe/Berlin", "the same of May alone, by the clocks of Berlin"],
      ["report year --json", "prints totals, months and statements for machines"]
    ]
  },
  sandbox: {
    words: "[options]",
    examples: [
      ["sandbox --port 8080", "serves an exchange on this machine"],
      ["sandbox --state world.json", "goes on tomorrow where it ended"],
      ["sandbox --scenario pre-upgrade", "prints the key of an account in a scenario"]
    ]
  },
  schema: {
    words: "<dataset> [options]",
    examples: [
      ["schema executions", "prints the JSON Schema of a row of NDJSON"],
      ["schema executions --as postgres", "prints the SQL that creates a table for the files"]
    ],
    choices: { heading: "Datasets", entries: datasets.slice(0, -1) }
  },
  start: { words: "[options]", examples: [["start", "exports 60 days from a sandbox and checks them"]] },
  tap: {
    words: "--config <file> [options]",
    examples: [
      ["tap --config tap.json --discover", "prints the streams and their schemas"],
      ["tap --config tap.json --state state.json", "goes on after the last state"]
    ]
  },
  verify: {
    words: "<folder> [options]",
    examples: [
      ["verify year", "compares the files with their manifest"],
      ["verify postgres://localhost/books --name year", "the same of tables"]
    ]
  }
}

/** Placeholders for values of options without one. */
const placeholders: Readonly<Record<string, string>> = {
  "--from": "date",
  "--to": "date",
  "--follow": "pause",
  "--out": "folder",
  "--bundle": "file",
  "--config": "file",
  "--catalog": "file",
  "--state": "file",
  "--control-token": "token",
  "--days": "number",
  "--seed": "number",
  "--account": "name",
  "--database": "url",
  "--listen": "address",
  "--accounts-at-once": "number",
  "--metrics-port": "port",
  "--metrics-host": "address",
  "--log-format": "format",
  "--log-level": "level"
}

/** An option with a placeholder for its value: `--from <date>`. */
const optionName = ({ isFlag, name }: Parameter): string =>
  isFlag ? name : `${name} <${placeholders[name] ?? name.replace(/^--/, "")}>`

const choicesOf = ({ choices }: Parameter): string =>
  choices.length === 0 || choices.length > 8 ? "" : ` One of ${choices.join(", ")}.`

const exitCodes = (description: string): readonly [what: string, codes: ReadonlyArray<string>] => {
  const [what = "", codes] = description.split(/ ?Exit codes: /)
  return [what, codes === undefined ? [] : codes.replace(/\.$/, "").split("; ")]
}

type Descriptor = CommandDescriptor.Command<unknown>

/** Options of every command. The help of a command omits them. */
export const builtIn: ReadonlyArray<string> = ["--help", "--version", "--completions", "--log-level", "--wizard"]

/** The arguments and options of a command. */
export const helpOf = (descriptor: Descriptor): Parameters => {
  const found = parameters(CommandDescriptor.getHelp(descriptor, CliConfig.defaultConfig))
  // Only commands that log while they run need this.
  const isLogging = found.options.some(({ name }) => name === "--log-format")
  const isShown = ({ name }: Parameter) => !builtIn.includes(name) || (isLogging && name === "--log-level")
  return { ...found, options: found.options.filter(isShown) }
}

/** Commands with subcommands. The parser lists them without these. */
const groups: ReadonlyMap<string, Descriptor> = new Map([["fleet", fleetCommand.descriptor]])

/** The subcommands of a command, by name. The parser lists a command without subcommands as its only subcommand. */
export const subcommands = (descriptor: Descriptor): ReadonlyArray<readonly [name: string, Descriptor]> => {
  const [own] = HashSet.toValues(CommandDescriptor.getNames(descriptor))
  return HashMap.toEntries(CommandDescriptor.getSubcommands(descriptor))
    .filter(([name]) => name !== own)
    .map(([name, subcommand]) => [name, groups.get(name) ?? subcommand] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
}

/** A word that is not a subcommand of the command before it. */
export interface Unknown {
  readonly path: ReadonlyArray<string>
  readonly descriptor: Descriptor
  readonly unknown: string
}

/** The command that the arguments name. */
interface Named {
  /** The names of its parent commands and its name; empty for the program. */
  readonly path: ReadonlyArray<string>
  readonly descriptor: Descriptor
  /** The arguments after its name. */
  readonly rest: ReadonlyArray<string>
  /** A word that is not the name of a command. */
  readonly unknown: string | undefined
}

/** Finds the command that the arguments name. Options can precede the name. */
export const findNamed = (root: Descriptor, words: ReadonlyArray<string>): Named => {
  const find = (descriptor: Descriptor, path: ReadonlyArray<string>, rest: ReadonlyArray<string>): Named => {
    const commands = subcommands(descriptor)
    const index = rest.findIndex((word) => !word.startsWith("-"))
    const name = rest[index]
    if (commands.length === 0 || name === undefined) return { path, descriptor, rest, unknown: undefined }
    const [, found] = commands.find(([known]) => known === name) ?? []
    return found === undefined
      ? { path, descriptor, rest, unknown: name }
      : find(found, [...path, name], rest.slice(index + 1))
  }
  return find(root, [], words)
}

const codeLines = (codes: ReadonlyArray<string>, width: number): ReadonlyArray<string> =>
  codes.flatMap((code) => {
    const [number = "", ...meaning] = code.split(" ")
    return entry(number, meaning.join(" "), width)
  })

const exampleLines = (examples: Usage["examples"], width: number): ReadonlyArray<string> =>
  examples.flatMap(([words, what]) => [...callLines(`venue ${words}`, width), ...wrapText(what, width, "      ")])

const commandLines = (descriptor: Descriptor, width: number): ReadonlyArray<string> =>
  subcommands(descriptor).flatMap(([name, subcommand]) =>
    entry(name, firstSentence(helpOf(subcommand).description), width)
  )

const ofCommand = (name: string, descriptor: Descriptor, width: number): string => {
  const { arguments: args, description, options } = helpOf(descriptor)
  const { choices, examples, words }: Usage = usages[name] ?? { examples: [], words: "[options]" }
  const [what, codes] = exitCodes(description)
  return [
    wrapLines(`venue ${name} ${words}`, width),
    "",
    ...wrapText(what, width),
    ...section("Commands", commandLines(descriptor, width)),
    ...section(
      "Arguments",
      args.flatMap((parameter) => entry(`<${parameter.name}>`, `${parameter.summary}${choicesOf(parameter)}`, width))
    ),
    ...(choices === undefined
      ? []
      : section(
          choices.heading,
          choices.entries.flatMap(([choice, what]) => entry(choice, what, width))
        )),
    ...section(
      "Options",
      options.flatMap((parameter) => entry(optionName(parameter), `${parameter.summary}${choicesOf(parameter)}`, width))
    ),
    ...section("Examples", exampleLines(examples, width)),
    ...section("Exit codes", codeLines(codes, width))
  ].join("\n")
}

export const firstSentence = (description: string): string =>
  /^.*?[.:](?= |$)/.exec(description)?.[0].replace(/:$/, ".") ?? description

const ofProgram = (root: Descriptor, width: number): string => {
  const [what, codes] = exitCodes(helpOf(root).description)
  return [
    "venue <command> [options]",
    "",
    ...wrapText(what, width),
    ...section("Commands", commandLines(root, width)),
    ...section("Options", [
      ...entry("--help, -h", "Print this, or the help of a command; `venue help <command>` does too.", width),
      ...entry("--version", "Print the version.", width),
      ...entry("--completions", "Print completions for a shell: bash, zsh or fish.", width)
    ]),
    ...section(
      "Examples",
      exampleLines(
        [
          ["start", "tries it without an account"],
          ["export --help", "the datasets and options of an export"],
          ["call orders.create --help", "the parameters of an operation"]
        ],
        width
      )
    ),
    ...section("Exit codes", codeLines(codes, width))
  ].join("\n")
}

/** The operation that the words of `venue call` name. */
export const operationOf = (root: Descriptor, words: ReadonlyArray<string>): string | undefined => {
  const { path, rest } = findNamed(root, words)
  return path.join(" ") === "call" ? rest.find((word) => /^[a-z]\w*\.\w+$/i.test(word)) : undefined
}

/** The help for the arguments, or the word that is not a command. */
export const help = (root: Descriptor, words: ReadonlyArray<string>, width: number): Either.Either<string, Unknown> => {
  const { descriptor, path, unknown } = findNamed(root, words)
  if (unknown !== undefined) return Either.left({ descriptor, path, unknown })
  return Either.right(path.length === 0 ? ofProgram(root, width) : ofCommand(path.join(" "), descriptor, width))
}
