/** The docblocks and signatures in the sources of the services. */
import * as fs from "node:fs"
import ts from "typescript"
import { sourceOf } from "../repository/published.js"

/** A method of a service. */
export interface Method {
  readonly name: string
  readonly doc: string
  /** Its type, as in the source. */
  readonly signature: string
}

const read = (name: string, module: string): string => fs.readFileSync(sourceOf(name, module), "utf8")

/** Returns all nodes of a module. */
const nodesOf = (name: string, module: string): ReadonlyArray<ts.Node> => {
  const nodes: Array<ts.Node> = []
  const visit = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(module, read(name, module), ts.ScriptTarget.Latest, true))
  return nodes
}

const docOf = (node: ts.Node): string =>
  ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)?.comment) ?? ""

/** Removes the indentation of the last line from source text. */
const stripIndent = (text: string): string => {
  const indent = /^ *(?=\S)/.exec(text.split("\n").at(-1) ?? "")?.[0] ?? ""
  return text.replaceAll(`\n${indent}`, "\n")
}

/** Returns the docblock of a module. */
export const aboutOf = (name: string, module: string): string => {
  const [, comment = ""] = /^\/\*\*(.*?)\*\//s.exec(read(name, module)) ?? []
  return comment.replaceAll(/^\s*\* ?/gm, "").trim()
}

/** Returns the methods of a service. */
export const methodsOf = (domain: string): ReadonlyArray<Method> =>
  nodesOf("services", domain)
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text === "Shape")
    .flatMap(({ members }) => members)
    .flatMap((member) =>
      ts.isPropertySignature(member) && member.type !== undefined
        ? [{ name: member.name.getText(), doc: docOf(member), signature: stripIndent(member.type.getText()) }]
        : []
    )

/** Returns the interfaces that a service declares. */
export const interfacesOf = (domain: string): ReadonlyArray<{ readonly name: string; readonly text: string }> =>
  nodesOf("services", domain)
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text !== "Shape")
    .map((node) => ({ name: node.name.text, text: stripIndent(node.getText().replace(/^export /, "")) }))

/** Returns the values of each enumeration with their meanings, from the lists in the docblocks. */
export const enumerationsOf = (): ReadonlyMap<
  string,
  ReadonlyArray<{ readonly value: string; readonly meaning: string }>
> =>
  new Map(
    nodesOf("schemas", "Enumerations")
      .filter(ts.isVariableStatement)
      .flatMap((node) => {
        const name = node.declarationList.declarations[0]?.name.getText() ?? ""
        const values = Array.from(
          docOf(node).matchAll(/^- `([^`]*)`: ([\s\S]*?)(?=\n- |\n\n|$(?![\s\S]))/gm),
          ([, value = "", meaning = ""]) => ({ value, meaning: meaning.replaceAll(/\s+/g, " ") })
        )
        return values.length === 0 ? [] : [[name, values] as const]
      })
  )
