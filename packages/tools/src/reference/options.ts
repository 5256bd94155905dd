/**
 * Writes the tables of options on pages that are written by hand, from the types and docblocks:
 *
 *     <!-- options history/History.RunOptions -->    the fields of an interface
 *     <!-- references transport,signing -->          every `Context.Reference` of the packages
 *     <!-- reasons transport/Failure,history -->     the reasons of every failure of modules or packages
 *
 *     node --import tsx packages/tools/src/reference/options.ts [--check]
 */
import * as fs from "node:fs"
import * as path from "node:path"
import ts from "typescript"
import { pages } from "../repository/markdown.js"
import { modulesOf, names, sourceOf } from "../repository/published.js"
import { bring, formatFile, readJson, root } from "../repository/repository.js"
import { prose, table } from "./markdown.js"

const block = /(?<=<!-- (options|references|reasons) (\S+) -->\n\n)(?:\|.*\n)*/g

const modules = names.flatMap((name) =>
  modulesOf(name).map((module) => ({ name, module: module.name, file: sourceOf(name, module.name) }))
)

/** A docblock as its meaning and its default. */
const split = (doc: string): { readonly meaning: string; readonly usual: string } => {
  const text = prose(doc)
  const { sentence = "", usual = "" } =
    /(?<sentence>(?:Defaults to|Default:) (?<usual>.*?)\.)(?= |$)/.exec(text)?.groups ?? {}
  return { meaning: text.replace(sentence, "").replaceAll("  ", " ").trim(), usual }
}

const docOf = (symbol: ts.Symbol, checker: ts.TypeChecker): string =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker))

/** A type as the compiler prints it, without what the reader can do without. */
const printType = (type: ts.Type, checker: ts.TypeChecker): string =>
  `\`${checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation).replaceAll(/(, never)+>/g, ">")}\``

/** The type of a field as in its source, with its names, or as the compiler prints it if it is a part of another type. */
const typeOf = (field: ts.Symbol, checker: ts.TypeChecker): string => {
  const declaration = field.valueDeclaration ?? field.declarations?.[0]
  const text =
    declaration !== undefined && ts.isPropertySignature(declaration) ? (declaration.type?.getText() ?? "") : ""
  if (text === "" || text.includes('["'))
    return printType(checker.getNonNullableType(checker.getTypeOfSymbol(field)), checker)
  return `\`${text
    .replace(/ \| undefined$/, "")
    .replace(/^\((.*=>.*)\)$/s, "$1")
    .replaceAll(/\s+/g, " ")}\``
}

const declarationIn = (program: ts.Program, file: string, name: string): ts.Declaration => {
  const source = program.getSourceFile(file)
  const found = source?.statements.find(
    (node) => (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) && node.name?.text === name
  )
  if (found === undefined) throw new Error(`${file} has no ${name}`)
  // The condition above.
  return found as ts.InterfaceDeclaration | ts.ClassDeclaration
}

const optionRows = (program: ts.Program, name: string): ReadonlyArray<ReadonlyArray<string>> => {
  const checker = program.getTypeChecker()
  const { member = "", module = "", of = "" } = /^(?<of>\w+)\/(?<module>\w+)\.(?<member>\w+)$/.exec(name)?.groups ?? {}
  const declaration = declarationIn(program, sourceOf(of, module), member)
  return checker.getPropertiesOfType(checker.getTypeAtLocation(declaration)).map((symbol) => {
    const { meaning, usual } = split(docOf(symbol, checker))
    if (meaning === "" && usual === "") throw new Error(`${name}: ${symbol.name} has no docblock`)
    const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0
    return [`\`${symbol.name}\``, typeOf(symbol, checker), meaning, isOptional ? usual : "required"]
  })
}

/** The references that a module declares: `class A extends Context.Reference<A>()(name, { defaultValue: () => value })`. */
const referencesIn = (source: ts.SourceFile): ReadonlyArray<ts.ClassDeclaration> =>
  source.statements
    .filter(ts.isClassDeclaration)
    .filter((node) => node.heritageClauses?.some((clause) => clause.getText().includes("Context.Reference<")) === true)

/** The type of a reference: that of its identifier's second type argument, `TagClassShape<Id, Type, Self>`. */
const valueOf = (reference: ts.ClassDeclaration, checker: ts.TypeChecker): ts.Type | undefined => {
  // The type of a class is an interface to the compiler.
  const [base] = checker.getBaseTypes(checker.getTypeAtLocation(reference) as ts.InterfaceType)
  // A base class with type arguments is a reference to it.
  return base === undefined ? undefined : checker.getTypeArguments(base as ts.TypeReference)[1]
}

const referenceRows = (program: ts.Program, of: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const checker = program.getTypeChecker()
  return modules
    .filter(({ name }) => of.includes(name))
    .flatMap(({ file, module }) =>
      referencesIn(program.getSourceFile(file) ?? ts.createSourceFile(file, "", ts.ScriptTarget.Latest)).map(
        (reference) => {
          const name = reference.name?.text ?? ""
          const symbol = reference.name === undefined ? undefined : checker.getSymbolAtLocation(reference.name)
          const { meaning, usual } = split(symbol === undefined ? "" : docOf(symbol, checker))
          if (usual === "")
            throw new Error(`${module}.${name}: its docblock has no "Defaults to ..." or "Default: ...".`)
          const type = valueOf(reference, checker)
          const shown = type === undefined ? "" : printType(type, checker).replace("`Shape`", `\`${name}.Shape\``)
          return [`\`${module}.${name}\``, shown, meaning, usual]
        }
      )
    )
}

/** The paragraphs of a docblock that explain values, "`Key`: it is unknown. `Signature`: it does not match.", by value. */
const readExplanations = (doc: string): ReadonlyMap<string, string> =>
  new Map(
    doc
      .split(/\n\n+/)
      .filter((paragraph) => paragraph.startsWith("`"))
      .flatMap((paragraph) => prose(paragraph).split(/(?<=\.) (?=(?:`\w+`(?:, )?)+: )/))
      .flatMap((text) => {
        const { meaning = "", names: values = "" } = /^(?<names>[^:]*): (?<meaning>.*)\.$/.exec(text)?.groups ?? {}
        return Array.from(values.matchAll(/`(\w+)`/g), ([, value = ""]) => [value, meaning] as const)
      })
  )

/** The fields of failures that are one of several words. */
const reasonFields = ["reason", "rule", "executed", "proof"]

const reasonRowsOf = (failure: ts.Symbol, checker: ts.TypeChecker): ReadonlyArray<ReadonlyArray<string>> => {
  const meanings = readExplanations(docOf(failure, checker))
  return reasonFields.flatMap((field) => {
    const property = checker.getDeclaredTypeOfSymbol(failure).getProperty(field)
    const type = property === undefined ? undefined : checker.getNonNullableType(checker.getTypeOfSymbol(property))
    const values =
      type?.isUnion() === true ? type.types.flatMap((one) => (one.isStringLiteral() ? [one.value] : [])) : []
    const missing = values.filter((value) => !meanings.has(value))
    if (missing.length > 0) throw new Error(`the docblock of ${failure.name} does not explain ${missing.join(", ")}`)
    // In the order of the docblock: that of the compiler depends on the files that it has read before.
    return [...meanings]
      .filter(([value]) => values.includes(value))
      .map(([value, meaning]) => [`\`${failure.name}\``, `\`${field}\``, `\`${value}\``, meaning])
  })
}

const reasonRows = (program: ts.Program, of: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const checker = program.getTypeChecker()
  const failures = modules
    .filter(({ module, name }) => module !== "index" && (of.includes(name) || of.includes(`${name}/${module}`)))
    .flatMap(({ file }) => {
      const source = program.getSourceFile(file)
      const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
      return module === undefined ? [] : checker.getExportsOfModule(module)
    })
    .map((symbol) => ((symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)))
    .filter((symbol) => (symbol.flags & ts.SymbolFlags.Class) !== 0)
    .filter((symbol) => checker.getDeclaredTypeOfSymbol(symbol).getProperty("stack") !== undefined)
  return [...new Set(failures)].flatMap((failure) => reasonRowsOf(failure, checker))
}

const pagesWithTables = pages()
  .map((page) => path.join(root, page))
  .map((file) => [file, fs.readFileSync(file, "utf8")] as const)
  .filter(([, text]) => text.search(block) !== -1)

// The file has compiler options.
const base = readJson(path.join(root, "tsconfig.base.json")) as { readonly compilerOptions: object }
const { options } = ts.convertCompilerOptionsFromJson({ ...base.compilerOptions, noEmit: true }, root)
const named = pagesWithTables.flatMap(([, text]) => Array.from(text.matchAll(block), ([, , of = ""]) => of)).join(",")
const program = ts.createProgram(
  modules.filter(({ name }) => named.split(/[,/]/).includes(name)).map(({ file }) => file),
  options
)
const tableOf = (kind: string, of: string): ReadonlyArray<string> => {
  if (kind === "options") return table(["Option", "Type", "Meaning", "Default"], optionRows(program, of))
  return kind === "references"
    ? table(["Reference", "Type", "Meaning", "Default"], referenceRows(program, of.split(",")))
    : table(["Failure", "Field", "Value", "Meaning"], reasonRows(program, of.split(",")))
}

const files = new Map<string, string>()
for (const [file, text] of pagesWithTables) {
  const written = text.replaceAll(block, (_, kind: string, of: string) => tableOf(kind, of).join("\n"))
  files.set(file, await formatFile(file, written))
}
bring(files)
