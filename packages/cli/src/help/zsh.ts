import { firstSentence } from "./help.js"
import type { Parameter, Parameters } from "./helpDoc.js"

/** A command with its arguments, options and subcommands. */
export interface Completed extends Parameters {
  readonly name: string
  readonly subcommands: ReadonlyArray<Completed>
}

/** Options whose value is a file or a folder. */
export const paths: ReadonlyArray<string> = ["--bundle", "--catalog", "--config", "--out", "--state"]

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Escapes brackets and colons. */
const plain = (text: string): string => text.replaceAll(/[\\[\]:]/g, (mark) => `\\${mark}`)

const valuesOf = ({ choices, name }: Parameter, otherwise: string): string => {
  if (choices.length > 0) return `(${choices.join(" ")})`
  return paths.includes(name) ? "_files" : otherwise
}

const option = (parameter: Parameter): string => {
  const head = `*${parameter.name}[${plain(parameter.summary)}]`
  return quote(parameter.isFlag ? head : `${head}:${parameter.name.replace(/^--/, "")}:${valuesOf(parameter, " ")}`)
}

const argument = (parameter: Parameter): string =>
  quote(`${parameter.isRepeated ? "*" : "1"}:${plain(parameter.name)}:${valuesOf(parameter, "_files")}`)

const specification = (specs: ReadonlyArray<string>): ReadonlyArray<string> =>
  specs.map((spec, index) => `    ${spec}${index === specs.length - 1 ? "" : " \\"}`)

const functionName = (path: ReadonlyArray<string>): string => `_${path.join("_")}`

/** The functions of a command and of its subcommands. */
const functions = (command: Completed, above: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { options, subcommands } = command
  const path = [...above, command.name]
  const name = functionName(path)
  if (subcommands.length === 0) {
    const [first] = command.arguments
    const specs = [...options.map(option), ...(first === undefined ? [] : [argument(first)])]
    return [`${name}() {`, "  _arguments -S \\", ...specification(specs.length === 0 ? ["'*: :'"] : specs), "}", ""]
  }
  return [
    `${name}() {`,
    '  local curcontext="$curcontext" state line',
    "  local -a commands",
    "  commands=(",
    ...subcommands.map((subcommand) => `    ${quote(`${subcommand.name}:${firstSentence(subcommand.description)}`)}`),
    "  )",
    "  _arguments -C \\",
    ...specification([...options.map(option), "'1: :->command'", "'*:: :->argument'"]),
    "  case $state in",
    "    command) _describe -t commands command commands ;;",
    "    argument)",
    "      case $words[1] in",
    ...subcommands.map((subcommand) => `        ${subcommand.name}) ${functionName([...path, subcommand.name])} ;;`),
    "      esac",
    "      ;;",
    "  esac",
    "}",
    "",
    ...subcommands.flatMap((subcommand) => functions(subcommand, path))
  ]
}

/** The completions for zsh: a file `_venue` in a folder of `fpath`, or one to source. The parser's complete nothing at their first use. */
export const script = (root: Completed): string =>
  [
    "#compdef venue",
    "",
    ...functions(root, []),
    `if [[ $funcstack[1] == ${functionName([root.name])} ]]; then`,
    `  ${functionName([root.name])} "$@"`,
    "else",
    `  compdef ${functionName([root.name])} ${root.name}`,
    "fi"
  ].join("\n")
