// @ts-check
import * as fs from "node:fs"
import * as path from "node:path"

/**
 * A node of the syntax tree, as far as it is looked at here.
 *
 * @typedef {{
 *   readonly type: string
 *   readonly value?: unknown
 *   readonly name?: string
 *   readonly callee?: Node
 *   readonly arguments?: ReadonlyArray<Node>
 *   readonly quasis?: ReadonlyArray<{ readonly value: { readonly cooked?: string } }>
 *   readonly expressions?: ReadonlyArray<Node>
 * }} Node
 */

const width = 140

/**
 * The texts that a module exports by name, such as units.
 *
 * @param {string} file
 */
const constantsOf = (file) =>
  new Map(
    Array.from(
      fs.readFileSync(file, "utf8").matchAll(/^export const (?<name>\w+) = "(?<text>[^"]*)"$/gm),
      ({ groups }) => /** @type {const} */ ([groups?.name ?? "", groups?.text ?? ""])
    )
  )

/**
 * The value of a text: a literal, a constant, or a template of them.
 *
 * @param {Node | undefined} node
 * @param {ReadonlyMap<string, string>} constants
 * @returns {string | undefined}
 */
const textOf = (node, constants) => {
  if (node?.type === "Literal") return typeof node.value === "string" ? node.value : undefined
  if (node?.type === "Identifier") return constants.get(node.name ?? "")
  if (node?.type !== "TemplateLiteral") return undefined
  const parts = (node.quasis ?? []).map(({ value }, index) => {
    const expression = node.expressions?.[index]
    const text = expression === undefined ? "" : textOf(expression, constants)
    return text === undefined ? undefined : `${value.cooked ?? ""}${text}`
  })
  return parts.includes(undefined) ? undefined : parts.join("")
}

/**
 * What a field is described as: `described(schema, meaning, unit)`, `optional(schema, meaning)` or `alias(schema, of)`.
 *
 * @param {Node} value
 * @param {ReadonlyMap<string, string>} constants
 */
const sentencesOf = (value, constants) => {
  const { arguments: given = [], callee, type } = value
  if (type !== "CallExpression" || callee?.type !== "Identifier") return undefined
  const [, first, second] = given
  const text = textOf(first, constants)
  if (text === undefined) return undefined
  if (callee.name === "alias") return `A second spelling of \`${text}\`.`
  if (callee.name !== "described" && callee.name !== "optional") return undefined
  const unit = textOf(second, constants)
  if (second !== undefined && unit === undefined) return undefined
  const meaning = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  return unit === undefined ? meaning : `${meaning} Unit: ${unit}.`
}

/**
 * @param {string} text
 * @param {string} indent
 */
const docblockOf = (text, indent) => {
  const line = `/** ${text} */`
  if (indent.length + line.length <= width) return line
  const lines = [""]
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? ""
    if (indent.length + last.length + word.length + 4 > width) lines.push(word)
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`
  }
  return ["/**", ...lines.map((one) => `${indent} * ${one}`), `${indent} */`].join("\n")
}

/**
 * An editor shows the docblock of a field, and the reference and the OpenAPI document its description: the one follows from the other.
 *
 * @type {import("eslint").Rule.RuleModule}
 */
export default {
  meta: {
    type: "suggestion",
    fixable: "code",
    docs: { description: "Require the description of a schema's field as its docblock" },
    schema: [],
    messages: { differs: "The docblock of a field is its description: {{ text }}" }
  },
  create(context) {
    const { sourceCode } = context
    /** @type {Map<string, string>} */
    const constants = new Map()
    return {
      ImportDeclaration({ source, specifiers }) {
        const from = String(source.value)
        if (!from.startsWith(".") || !specifiers.some(({ type }) => type === "ImportSpecifier")) return
        const file = path.resolve(path.dirname(context.filename), from.replace(/\.js$/, ".ts"))
        if (fs.existsSync(file)) for (const [name, text] of constantsOf(file)) constants.set(name, text)
      },
      Property(property) {
        const text = sentencesOf(/** @type {Node} */ (/** @type {unknown} */ (property.value)), constants)
        if (text === undefined) return
        const indent = " ".repeat(property.loc?.start.column ?? 0)
        const wanted = docblockOf(text, indent)
        const before = sourceCode.getCommentsBefore(property).at(-1)
        const isDocblock = before?.type === "Block" && before.value.startsWith("*")
        if (isDocblock && sourceCode.getText().slice(...(before.range ?? [0, 0])) === wanted) return
        context.report({
          node: property.key,
          messageId: "differs",
          data: { text },
          fix: (fixer) =>
            isDocblock && before.range !== undefined
              ? fixer.replaceTextRange(before.range, wanted)
              : fixer.insertTextBefore(property, `${wanted}\n${indent}`)
        })
      }
    }
  }
}
