import type * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"

// Reads the parser's help as data, because the parser prints colours and unlimited line widths.

/** The text of a span without its style. */
export const text = (span: Span.Span): string => {
  switch (span._tag) {
    case "Sequence":
      return text(span.left) + text(span.right)
    case "Text":
    case "URI":
      return span.value
    default:
      return text(span.value)
  }
}

/** A heading, a paragraph, or a name with its meaning. */
export type Block =
  | { readonly kind: "heading" | "paragraph"; readonly text: string }
  | { readonly kind: "definition"; readonly name: string; readonly paragraphs: ReadonlyArray<string> }

/** The blocks of a document in order. */
export const blocks = (doc: HelpDoc.HelpDoc): ReadonlyArray<Block> => {
  switch (doc._tag) {
    case "Empty":
      return []
    case "Header":
      return [{ kind: "heading", text: text(doc.value) }]
    case "Paragraph":
      return [{ kind: "paragraph", text: text(doc.value) }]
    case "Enumeration":
      return doc.elements.flatMap(blocks)
    case "Sequence":
      return [...blocks(doc.left), ...blocks(doc.right)]
    case "DescriptionList":
      return doc.definitions.map(([name, meaning]) => ({
        kind: "definition",
        name: text(name).trim(),
        paragraphs: blocks(meaning).flatMap((block) => (block.kind === "definition" ? [] : [block.text]))
      }))
  }
}

/** An option or an argument. */
export interface Parameter {
  /** `--format`; of an argument `dataset`. */
  readonly name: string
  /** Its choices; empty if any value is allowed. */
  readonly choices: ReadonlyArray<string>
  readonly isFlag: boolean
  readonly isRepeated: boolean
  readonly summary: string
}

const choices = /^One of the following: (?<names>.*)$/

// The parser describes the type and the repetition of every option.
const boilerplate =
  /^(A user-defined piece of text( that is confidential)?\.|This option can be set from environment variables\.|A true or false value\.|An integer\.|A file\.|This setting is optional\.|This (option|argument) (may|must) be repeated .*|This setting is mandatory.*)$/

/** The parser's description of `--log-level`. */
const logLevel = "Sets the minimum log level for a command."

const parameter = (name: string, paragraphs: ReadonlyArray<string>): Parameter => ({
  name,
  choices: paragraphs.flatMap((paragraph) => choices.exec(paragraph)?.groups?.names?.split(", ") ?? []),
  isFlag: paragraphs.includes("A true or false value."),
  isRepeated: paragraphs.some((paragraph) => /^This (option|argument) (may|must) be repeated /.test(paragraph)),
  summary: paragraphs
    .filter((paragraph) => !boilerplate.test(paragraph) && !choices.test(paragraph))
    .map((paragraph) => (paragraph === logLevel ? "The lowest level of log lines; defaults to info." : paragraph))
    .join(" ")
    .trim()
})

/** The arguments and options of a command, read from its help. */
export interface Parameters {
  readonly description: string
  readonly options: ReadonlyArray<Parameter>
  readonly arguments: ReadonlyArray<Parameter>
}

export const parameters = (doc: HelpDoc.HelpDoc): Parameters => {
  let heading = ""
  const found = { description: "", options: new Array<Parameter>(), arguments: new Array<Parameter>() }
  for (const block of blocks(doc)) {
    if (block.kind === "heading") heading = block.text
    else if (block.kind === "paragraph" && heading === "DESCRIPTION") found.description += block.text
    else if (block.kind === "definition" && heading === "OPTIONS") {
      const name = /--[a-z-]+/.exec(block.name)?.[0]
      if (name !== undefined) found.options.push(parameter(name, block.paragraphs))
    } else if (block.kind === "definition" && heading === "ARGUMENTS") {
      found.arguments.push(parameter(/<(.*?)>/.exec(block.name)?.[1] ?? block.name, block.paragraphs))
    }
  }
  return found
}
