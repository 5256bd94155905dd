/**
 * Reads the docblocks of fields and parameters into the modules `Docblocks` of schemas and sandbox, for the modules that print them. An editor shows the same docblocks.
 *
 *     node --import tsx packages/tools/src/generators/meanings.ts            writes the files that differ
 *     node --import tsx packages/tools/src/generators/meanings.ts --check    lists them, and fails if any differ
 */
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import ts from "typescript"
import { bring, formatFile } from "../repository/repository.js"
import { folderOf, sourceOf } from "../repository/published.js"

/** A package, its modules with schemas, and the records that have no identifier: a name, and the properties that lead to its schema. */
interface Source {
  readonly name: string
  readonly modules: ReadonlyArray<string>
  readonly recordsOf: (
    value: unknown,
    exported: string
  ) => ReadonlyArray<readonly [name: string, path: ReadonlyArray<string>]>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  (typeof value === "object" || typeof value === "function") && value !== null

const identifierOf = (value: unknown): string | undefined =>
  Schema.isSchema(value) ? Option.getOrUndefined(SchemaAST.getIdentifierAnnotation(value.ast)) : undefined

const sources: ReadonlyArray<Source> = [
  {
    name: "schemas",
    modules: ["Account", "ApiLimits", "Assets", "Broker", "Executions", "Instruments", "Orders", "Positions"],
    recordsOf: (value) =>
      isObject(value) && typeof value.name === "string" && "request" in value && "result" in value
        ? ["request", "result"].map((side) => [`${String(value.name)} ${side}`, [side]] as const)
        : []
  },
  {
    name: "sandbox",
    modules: ["Commands", "Control", "Faults", "RequestLog", "StateView"],
    recordsOf: (value, exported) =>
      exported !== "commands" || !isObject(value)
        ? []
        : Object.keys(value).flatMap((command) =>
            ["argument", "result"].map((side) => [`${command} ${side}`, [command, side]] as const)
          )
  }
]

const programOf = (files: ReadonlyArray<string>, name: string): ts.Program => {
  const folder = folderOf(name)
  const config: unknown = ts.readConfigFile(path.join(folder, "tsconfig.src.json"), (file) =>
    ts.sys.readFile(file)
  ).config
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  return ts.createProgram(files, { ...options, noEmit: true, composite: false, incremental: false })
}

/** Joins the docblocks of a field in several variants. They have one unit, which stands at the end. */
const join = (docblocks: ReadonlyArray<string>): string => {
  const unit = /Unit: .*\.$/
  const units = new Set(docblocks.flatMap((docblock) => unit.exec(docblock)?.[0] ?? []))
  return [...docblocks.map((docblock) => docblock.replace(unit, "").trim()), ...units].join(" ")
}

/** Reads the docblocks of the fields in types. */
class Reader {
  readonly found = new Map<string, Map<string, string>>()

  constructor(
    readonly checker: ts.TypeChecker,
    /** The types of the records that have an identifier. */
    readonly records: ReadonlyMap<string, ts.Type>
  ) {}

  /** The type of a property, or undefined if the type has none. */
  typeOf(type: ts.Type, name: string): ts.Type | undefined {
    const property = this.checker.getPropertyOfType(type, name)
    return property && this.checker.getTypeOfSymbol(property)
  }

  /** The records in a type: through unions, lists, options and the right side of an Either. */
  recordsIn(type: ts.Type): ReadonlyArray<ts.Type> {
    if (type.isUnion()) return type.types.flatMap((member) => this.recordsIn(member))
    if (this.checker.isArrayLikeType(type))
      return this.recordsIn(this.checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? type)
    const tag = this.typeOf(type, "_tag")
    if (tag?.isStringLiteral() === true) {
      const inner = this.typeOf(type, tag.value === "Right" ? "right" : "value")
      return inner !== undefined && (tag.value === "Some" || tag.value === "Right") ? this.recordsIn(inner) : []
    }
    return (type.flags & ts.TypeFlags.Object) === 0 || type.isIntersection()
      ? type.isIntersection()
        ? [type]
        : []
      : [type]
  }

  /** Reads the fields of the records in types. Fields of several variants with different docblocks have all of them. */
  read(record: string, types: ReadonlyArray<ts.Type>, prefix = ""): void {
    const found = types.flatMap((type) => this.recordsIn(type)).filter((type) => !this.isNamed(record, type))
    for (const kind of new Set(found.map((type) => this.kindOf(type)))) {
      const members = found.filter((type) => this.kindOf(type) === kind)
      this.readFields(record, members, kind === undefined ? prefix : `${prefix}${kind}:`)
    }
  }

  /** The literal of a variant that has a `kind`. */
  private kindOf(type: ts.Type): string | undefined {
    const kind = this.typeOf(type, "kind")
    return kind?.isStringLiteral() === true ? kind.value : undefined
  }

  private readFields(record: string, members: ReadonlyArray<ts.Type>, prefix: string): void {
    const names = new Set(
      members.flatMap((type) =>
        type
          .getProperties()
          .filter(isOurs)
          .map(({ name }) => name)
      )
    )
    for (const name of names) {
      const properties = members
        .flatMap((type) => this.checker.getPropertyOfType(type, name) ?? [])
        .filter((property) => !this.isAbsent(property))
      const docblocks = new Set(properties.map((property) => this.docblockOf(property)).filter((text) => text !== ""))
      if (docblocks.size > 0) {
        const fields = this.found.get(record) ?? new Map<string, string>()
        this.found.set(record, fields.set(`${prefix}${name}`, join([...docblocks])))
      }
      this.read(
        record,
        properties.map((property) => this.checker.getTypeOfSymbol(property)),
        `${prefix}${name}.`
      )
    }
  }

  /** Whether a record is read under an identifier of its own. */
  private isNamed(record: string, type: ts.Type): boolean {
    // A type without a declaration has no symbol.
    const symbol = type.getSymbol()
    return symbol !== undefined && symbol.name !== record && this.records.get(symbol.name)?.getSymbol() === symbol
  }

  /** Whether a variant of a request cannot have a parameter. */
  private isAbsent(property: ts.Symbol): boolean {
    const type = this.checker.getTypeOfSymbol(property)
    return (type.isUnion() ? type.types : [type]).every(
      (member) => (member.flags & ts.TypeFlags.Undefined) !== 0 || (member.isStringLiteral() && member.value === "")
    )
  }

  private docblockOf(property: ts.Symbol): string {
    return ts.displayPartsToString(property.getDocumentationComment(this.checker)).replaceAll(/\s+/g, " ")
  }
}

const isOurs = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.length > 0 &&
  declarations.every((declaration) => !declaration.getSourceFile().fileName.includes("/node_modules/"))

const docblocksOf = async ({ modules, name, recordsOf }: Source): Promise<string> => {
  const files = modules.map((module) => sourceOf(name, module))
  const program = programOf(files, name)
  const checker = program.getTypeChecker()
  const named = new Map<string, ts.Type>()
  const others: Array<readonly [record: string, type: ts.Type]> = []
  for (const file of files) {
    // A module is a record of its exports.
    const module = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>
    const source = program.getSourceFile(file)
    const symbol = source && checker.getSymbolAtLocation(source)
    const reader = new Reader(checker, named)
    for (const exported of symbol === undefined ? [] : checker.getExportsOfModule(symbol)) {
      const value = module[exported.name]
      if (value === undefined) continue
      const type = checker.getTypeOfSymbol(exported)
      const decodeType = (of: ts.Type, properties: ReadonlyArray<string>) =>
        [...properties, "Type"].reduce<ts.Type | undefined>(
          (from, property) => from && reader.typeOf(from, property),
          of
        )
      const identifier = identifierOf(value)
      const records: ReadonlyArray<readonly [string, ReadonlyArray<string>]> =
        identifier === undefined ? recordsOf(value, exported.name) : [[identifier, []]]
      for (const [record, properties] of records) {
        const found = decodeType(type, properties)
        if (found === undefined) throw new Error(`${file}: ${exported.name} is not a schema`)
        if (identifier !== undefined && reader.recordsIn(found).length > 0) named.set(identifier, found)
        others.push([record, found])
      }
    }
  }
  const reader = new Reader(checker, named)
  for (const [record, type] of others) reader.read(record, [type])
  const sortEntries = <A>(map: ReadonlyMap<string, A>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  const records = sortEntries(reader.found).map(
    ([record, fields]) => [record, Object.fromEntries(sortEntries(fields))] as const
  )
  // Records with the same docblocks are written once.
  const first = new Map(records.toReversed().map(([record, fields]) => [JSON.stringify(fields), record]))
  const originalOf = (fields: object) => first.get(JSON.stringify(fields)) ?? ""
  const distinct = records.filter(([record, fields]) => originalOf(fields) === record)
  const repeated = records.filter(([record, fields]) => originalOf(fields) !== record)
  const access = (name: string) => (/^[A-Za-z]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)
  const copies = repeated.map(([record, fields]) => `${JSON.stringify(record)}: records${access(originalOf(fields))}`)
  const beside = path.posix.relative(path.dirname(sourceOf("schemas", "Docblocks")), sourceOf("schemas", "Meaning"))
  return `/**
 * Generated by \`npm run fix\` from the docblocks of the schemas.
 *
 * @sibling
 */
import type { Docblocks } from "${name === "schemas" ? `./${beside.replace(/ts$/, "js")}` : "@effect-venue/schemas/siblings/Meaning"}"

const records = ${JSON.stringify(Object.fromEntries(distinct), null, 2)} satisfies Docblocks

export const docblocks: Docblocks = { ...records, ${copies.join(", ")} }
`
}

const wanted = new Map<string, string>()
for (const source of sources) {
  const file = sourceOf(source.name, "Docblocks")
  wanted.set(file, await formatFile(file, await docblocksOf(source)))
}
bring(wanted)
