import type * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import type * as ValidationError from "@effect/cli/ValidationError"
import { nearest, suggest } from "@effect-venue/schemas/siblings/Words"
import { builtIn, helpOf, findNamed, subcommands, type Unknown } from "./help.js"
import { blocks, type Parameter, type Parameters } from "./helpDoc.js"

// Explains mistakes of the arguments: the option or argument, its value, and the likely correction.

const suggestion = (word: string, names: ReadonlyArray<string>): string => {
  const words = word.split(",")
  if (words.length > 1 && words.every((one) => names.includes(one))) return "repeat the option for each of them"
  const found = nearest(word, names)
  return found.length === 0 ? `it is one of ${names.join(", ")}` : suggest(found)
}

const isOption = (word: string): boolean => /^--?[A-Za-z]/.test(word)

const optionOf = (word: string): string => word.replace(/=.*$/s, "")

/** The values of an option in the arguments, in order. */
const valuesOf = ({ isFlag, name }: Parameter, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap((word, index) => {
    if (word.startsWith(`${name}=`)) return [word.slice(name.length + 1)]
    const next = words[index + 1]
    return word === name && !isFlag && next !== undefined ? [next] : []
  })

const positional = (words: ReadonlyArray<string>, options: ReadonlyArray<Parameter>): ReadonlyArray<string> =>
  words.filter((word, index) => {
    const before = words[index - 1]
    const isValue = options.some(({ isFlag, name }) => !isFlag && name === before)
    return !isOption(word) && !isValue
  })

const unknownOption = (words: ReadonlyArray<string>, options: ReadonlyArray<Parameter>): string | undefined => {
  const names = options.map(({ name }) => name)
  const word = words
    .map((word) => (isOption(word) ? optionOf(word) : ""))
    .find((name) => name !== "" && ![...names, ...builtIn, "-h"].includes(name))
  if (word === undefined) return undefined
  const found = nearest(word, [...names, ...builtIn])
  return `${word} is not an option${found.length === 0 ? "" : `: ${suggest(found)}`}`
}

const wrongChoice = (words: ReadonlyArray<string>, { arguments: args, options }: Parameters): string | undefined => {
  for (const option of options) {
    const wrong = valuesOf(option, words).find((value) => option.choices.length > 0 && !option.choices.includes(value))
    if (wrong !== undefined) return `${option.name}: "${wrong}" is unknown: ${suggestion(wrong, option.choices)}`
  }
  const [argument] = args
  const wrong = positional(words, options).find((word) => argument !== undefined && !argument.choices.includes(word))
  return argument === undefined || wrong === undefined || argument.choices.length === 0
    ? undefined
    : `<${argument.name}>: "${wrong}" is unknown: ${suggestion(wrong, argument.choices)}`
}

const wrongNumber = (
  text: string,
  words: ReadonlyArray<string>,
  options: ReadonlyArray<Parameter>
): string | undefined => {
  const value = /^'(?<value>.*)' is not an? integer/.exec(text)?.groups?.value
  const option = value === undefined ? undefined : options.find((option) => valuesOf(option, words).includes(value))
  return option === undefined || value === undefined ? undefined : `${option.name}: "${value}" is not a whole number`
}

/** A parser stops at the first word after those that it knows. */
const surplus = (text: string): string | undefined => {
  const word = /^Received unknown argument: '(?<word>.*)'/s.exec(text)?.groups?.word
  return word === undefined ? undefined : `"${word}" is one argument too many`
}

const missing = (text: string): string | undefined => {
  const absent = /^Expected to find option: '(?<name>.*)'/.exec(text)?.groups?.name
  if (absent !== undefined) return `${absent} is missing`
  const option = /^Expected a value following option: '(?<name>.*)'/.exec(text)?.groups?.name
  if (option !== undefined) return `${option}: its value is missing`
  const { choices, name } =
    /^Missing argument <(?<name>[^>]*)>( with choices (?<choices>.*))?$/.exec(text)?.groups ?? {}
  if (name === undefined) return undefined
  return `<${name}> is missing${choices === undefined ? "" : `: it is one of ${choices.replaceAll(" | ", ", ")}`}`
}

/** The error for a word that is not a command. */
export const unknownCommand = ({ descriptor, path, unknown }: Unknown): string => {
  const commands = subcommands(descriptor).map(([name]) => name)
  return `"${[...path, unknown].join(" ")}" is not a command: ${suggestion(unknown, commands)}`
}

/** The error for invalid arguments. It ends with the command that prints the help. */
export const message = (
  root: CommandDescriptor.Command<unknown>,
  error: ValidationError.ValidationError,
  words: ReadonlyArray<string>
): string => {
  const { path } = findNamed(root, words)
  return `${mistake(root, error, words)} (see ${["venue", ...path, "--help"].join(" ")})`
}

const mistake = (
  root: CommandDescriptor.Command<unknown>,
  error: ValidationError.ValidationError,
  words: ReadonlyArray<string>
): string => {
  const text = blocks(error.error)
    .flatMap((block) => (block.kind === "definition" ? [] : [block.text]))
    .join("; ")
    .trim()
  const { descriptor, path, rest, unknown } = findNamed(root, words)
  if (unknown !== undefined) return unknownCommand({ descriptor, path, unknown })
  if (path.length === 0) return unknownOption(words, []) ?? text
  const command = helpOf(descriptor)
  const isOfChoices = text.startsWith("Expected one of the following cases")
  return (
    unknownOption(rest, command.options) ??
    (isOfChoices ? wrongChoice(rest, command) : undefined) ??
    wrongNumber(text, rest, command.options) ??
    missing(text) ??
    surplus(text) ??
    text
  )
}
