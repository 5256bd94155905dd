/** What the sources of the services say: the docblocks of their methods, and the types that these name. */
import * as fs from "node:fs"
import * as path from "node:path"
import ts from "typescript"

/** A member of an interface or of a literal type. */
export interface Member {
  readonly name: string
  readonly doc: string
  readonly type: string
  readonly isOptional: boolean
}

/** A method of a service. */
export interface Method {
  readonly name: string
  readonly doc: string
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly members: ReadonlyArray<Member>
  }>
  readonly returns: string
}

/** The type aliases and interfaces of a file, by name. */
export interface Types {
  readonly aliases: ReadonlyMap<string, string>
  readonly interfaces: ReadonlyMap<string, ReadonlyArray<Member>>
}

const parse = (root: string, file: string): ts.SourceFile =>
  ts.createSourceFile(file, fs.readFileSync(path.join(root, file), "utf8"), ts.ScriptTarget.Latest, true)

const docOf = (node: ts.Node): string => {
  const doc = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
  return doc === undefined ? "" : (ts.getTextOfJSDocComment(doc.comment) ?? "").replaceAll(/\s+/g, " ").trim()
}

const oneLine = (node: ts.Node): string => node.getText().replaceAll(/\s+/g, " ")

const membersOf = (members: ts.NodeArray<ts.TypeElement>): ReadonlyArray<Member> =>
  members.flatMap((member) =>
    ts.isPropertySignature(member) && member.type !== undefined
      ? [
          {
            name: member.name.getText(),
            doc: docOf(member),
            type: oneLine(member.type).replace(/ \| undefined$/, ""),
            isOptional: member.questionToken !== undefined
          }
        ]
      : []
  )

const walk = (node: ts.Node, visit: (node: ts.Node) => void): void => {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}

/** The first docstring of a file: what its domain is. */
export const aboutOf = (root: string, domain: string): string => {
  const text = fs.readFileSync(path.join(root, `packages/services/src/${domain}.ts`), "utf8")
  const [, comment = ""] = /^\/\*\*(.*?)\*\//s.exec(text) ?? []
  return comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replace(/@since.*$/s, "")
    .trim()
}

/** The methods of a service. */
export const methodsOf = (root: string, domain: string): ReadonlyArray<Method> => {
  const methods: Array<Method> = []
  walk(parse(root, `packages/services/src/${domain}.ts`), (node) => {
    if (!ts.isInterfaceDeclaration(node) || node.name.text !== "Shape") return
    for (const member of node.members) {
      if (!ts.isPropertySignature(member) || member.type === undefined || !ts.isFunctionTypeNode(member.type)) continue
      methods.push({
        name: member.name.getText(),
        doc: docOf(member),
        parameters: member.type.parameters.map(({ name, type }) => ({
          name: name.getText(),
          type: type === undefined ? "" : oneLine(type),
          members: type !== undefined && ts.isTypeLiteralNode(type) ? membersOf(type.members) : []
        })),
        returns: oneLine(member.type.type)
      })
    }
  })
  return methods
}

/** The types that a file declares. */
export const typesOf = (root: string, file: string): Types => {
  const aliases = new Map<string, string>()
  const interfaces = new Map<string, ReadonlyArray<Member>>()
  walk(parse(root, file), (node) => {
    if (ts.isTypeAliasDeclaration(node)) aliases.set(node.name.text, oneLine(node.type))
    if (ts.isInterfaceDeclaration(node)) interfaces.set(node.name.text, membersOf(node.members))
  })
  return { aliases, interfaces }
}

/** The tags of a union of failures, those of unions in it included. */
export const tagsOf = (root: string, union: string): ReadonlyArray<string> => {
  const { aliases } = typesOf(root, "packages/transport/src/Failure.ts")
  const expand = (name: string): ReadonlyArray<string> => {
    const text = aliases.get(name.trim())
    return text === undefined
      ? [name.trim()]
      : text
          .split("|")
          .filter((part) => part.trim() !== "")
          .flatMap(expand)
  }
  return [...new Set(union.split("|").flatMap((name) => expand(name.replace("Failure.", ""))))]
}

/** What each value of each enumeration means, from the lists in their docblocks. */
export const enumerationsOf = (
  root: string
): ReadonlyMap<string, ReadonlyArray<{ readonly value: string; readonly meaning: string }>> => {
  const found = new Map<string, ReadonlyArray<{ readonly value: string; readonly meaning: string }>>()
  walk(parse(root, "packages/schemas/src/Enumerations.ts"), (node) => {
    if (!ts.isVariableStatement(node)) return
    const [declaration] = node.declarationList.declarations
    const doc = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
    const text = doc === undefined ? "" : (ts.getTextOfJSDocComment(doc.comment) ?? "")
    const values = Array.from(
      text.matchAll(/^- `([^`]*)`: ([\s\S]*?)(?=\n- |\n\n|$(?![\s\S]))/gm),
      ([, value = "", meaning = ""]) => ({
        value,
        meaning: meaning.replaceAll(/\s+/g, " ")
      })
    )
    if (declaration !== undefined && values.length > 0) found.set(declaration.name.getText(), values)
  })
  return found
}
