/** The docblocks and signatures in the sources of the services. */
import * as fs from "node:fs"
import * as path from "node:path"
import ts from "typescript"
import { root } from "../repository.js"

/** A method of a service. */
export interface Method {
  readonly name: string
  readonly doc: string
  /** Its type, as in the source. */
  readonly signature: string
}

const read = (file: string): string => fs.readFileSync(path.join(root, "packages", file), "utf8")

/** Returns all nodes of a file. */
const nodesOf = (file: string): ReadonlyArray<ts.Node> => {
  const nodes: Array<ts.Node> = []
  const visit = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true))
  return nodes
}

const docOf = (node: ts.Node): string =>
  ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)?.comment) ?? ""

/** Removes the indentation of the last line from source text. */
const dedented = (text: string): string => {
  const indent = /^ *(?=\S)/.exec(text.split("\n").at(-1) ?? "")?.[0] ?? ""
  return text.replaceAll(`\n${indent}`, "\n")
}

/** Returns the docblock of a module, such as `services/src/Orders`. */
export const aboutOf = (module: string): string => {
  const [, comment = ""] = /^\/\*\*(.*?)\*\//s.exec(read(`${module}.ts`)) ?? []
  return comment.replaceAll(/^\s*\* ?/gm, "").trim()
}

/** Returns the methods of a service. */
export const methodsOf = (domain: string): ReadonlyArray<Method> =>
  nodesOf(`services/src/${domain}.ts`)
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text === "Shape")
    .flatMap(({ members }) => members)
    .flatMap((member) =>
      ts.isPropertySignature(member) && member.type !== undefined
        ? [{ name: member.name.getText(), doc: docOf(member), signature: dedented(member.type.getText()) }]
        : []
    )

/** Returns the interfaces that a service declares. */
export const interfacesOf = (domain: string): ReadonlyArray<{ readonly name: string; readonly text: string }> =>
  nodesOf(`services/src/${domain}.ts`)
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text !== "Shape")
    .map((node) => ({ name: node.name.text, text: dedented(node.getText().replace(/^export /, "")) }))

/** Returns the values of each enumeration with their meanings, from the lists in the docblocks. */
export const enumerationsOf = (): ReadonlyMap<
  string,
  ReadonlyArray<{ readonly value: string; readonly meaning: string }>
> =>
  new Map(
    nodesOf("schemas/src/Enumerations.ts")
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
