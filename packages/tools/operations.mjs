/**
 * The reference of the operations: a page per domain in docs/reference, from the Endpoint values, what their schemas say, and the
 * docstrings of the services.
 *
 *     node packages/tools/operations.mjs            writes the pages
 *     node packages/tools/operations.mjs --check    only says what is wrong, and fails if anything is
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { format, resolveConfig } from "prettier"
import { register } from "tsx/esm/api"
import ts from "typescript"
import { requests } from "./examples.mjs"

register()
const Endpoints = await import("@effect-venue/schemas/Endpoints")
const Enumerations = await import("@effect-venue/schemas/Enumerations")
const Rule = await import("@effect-venue/schemas/Rule")
const Duration = await import("effect/Duration")
const Option = await import("effect/Option")
const AST = await import("effect/SchemaAST")

/** Where a value that may be absent keeps the schema of what it is if it is there. */
const wire = Symbol.for("@effect-venue/schemas/Wire")

const root = path.resolve(fileURLToPath(import.meta.url), "../../..")
const folder = "docs/reference"

const domains = {
  Orders: "orders",
  Positions: "positions",
  Executions: "executions",
  Instruments: "instruments",
  Account: "account",
  Assets: "assets",
  Broker: "broker",
  ApiLimits: "api-limits"
}

const titles = { ApiLimits: "API limits" }

// What the docstrings say ---------------------------------------------------------------------------------------------

const parse = (file) =>
  ts.createSourceFile(file, fs.readFileSync(path.join(root, file), "utf8"), ts.ScriptTarget.Latest, true)

const docOf = (node) => {
  const doc = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
  return doc === undefined ? "" : (ts.getTextOfJSDocComment(doc.comment) ?? "")
}

/** The first docstring of a file: what its domain is. */
const aboutOf = (domain) => {
  const text = fs.readFileSync(path.join(root, `packages/services/src/${domain}.ts`), "utf8")
  const [, comment = ""] = /^\/\*\*(.*?)\*\//s.exec(text) ?? []
  return comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replace(/@since.*$/s, "")
    .trim()
}

/** The methods of a service, each with what it says of itself. */
const methodsOf = (domain) => {
  const methods = new Map()
  const visit = (node) => {
    if (ts.isInterfaceDeclaration(node) && node.name.text === "Shape") {
      for (const member of node.members) {
        if (ts.isPropertySignature(member)) methods.set(member.name.getText(), docOf(member))
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(parse(`packages/services/src/${domain}.ts`))
  return methods
}

/** The tags of a union of failures. */
const tagsOf = (name) => {
  const tags = []
  const visit = (node) => {
    if (ts.isTypeAliasDeclaration(node) && node.name.text === name && ts.isUnionTypeNode(node.type)) {
      tags.push(...node.type.types.map((type) => type.getText()))
    }
    ts.forEachChild(node, visit)
  }
  visit(parse("packages/transport/src/Failure.ts"))
  return tags
}

// What the schemas say ------------------------------------------------------------------------------------------------

const identifier = (ast) => Option.getOrUndefined(AST.getIdentifierAnnotation(ast))

/** The words in which a field is refused; of some it depends on the value. */
const wordsOf = (ast) =>
  Option.getOrUndefined(
    Option.flatMap(AST.getMessageAnnotation(ast), (message) => {
      try {
        const words = message({})
        return Option.some(typeof words === "string" ? words : words.message)
      } catch {
        return Option.none()
      }
    })
  )

const withoutUndefined = (ast) => {
  if (!AST.isUnion(ast)) return ast
  const types = ast.types.filter((type) => !AST.isUndefinedKeyword(type))
  return types.length === 1 ? types[0] : types.length === ast.types.length ? ast : AST.Union.make(types)
}

/** Every rule on the way from the outside of a field to its value. */
const ruleOf = (given) => {
  const ast = withoutUndefined(given)
  const words = wordsOf(ast)
  if (AST.isTransformation(ast)) return words ?? ruleOf(ast.to)
  if (AST.isRefinement(ast)) return words ?? ruleOf(ast.from)
  return words
}

const knownValues = (name) => Enumerations[name]?.known

/** What a field is that may be absent, or a list that may be left out. */
const presentOf = (given) => {
  const ast = AST.isTransformation(given) ? given.from : given
  const codec = AST.isDeclaration(ast) ? Option.getOrUndefined(AST.getAnnotation(wire)(ast))?.() : undefined
  if (codec === undefined) return undefined
  return identifier(ast) === "OrNothing" ? { value: codec.ast.types[0] } : { plain: codec.ast }
}

/** The type of a value on the domain side. `seen` gathers the enumerations on the way. */
const typeOf = (given, seen) => {
  const ast = withoutUndefined(given)
  const present = presentOf(ast)
  if (present !== undefined) {
    return present.plain === undefined ? `${typeOf(present.value, seen)}, if there` : typeOf(present.plain, seen)
  }
  const name = identifier(ast)
  if (name !== undefined && knownValues(name) !== undefined) {
    seen.add(name)
    return `\`${name}\``
  }
  if (AST.isTransformation(ast)) return typeOf(ast.to, seen)
  if (AST.isRefinement(ast)) {
    return name !== undefined && !name.includes("(") ? `\`${name}\`` : typeOf(ast.from, seen)
  }
  if (AST.isLiteral(ast)) return `\`${JSON.stringify(ast.literal)}\``
  if (AST.isUnion(ast)) return ast.types.map((type) => typeOf(type, seen)).join(" or ")
  if (AST.isTupleType(ast)) return `list of ${ast.rest.map(({ type }) => typeOf(type, seen)).join(", ")}`
  if (AST.isTypeLiteral(ast)) return ast.indexSignatures.length > 0 ? "record by name" : "record"
  if (AST.isStringKeyword(ast)) return "text"
  if (AST.isNumberKeyword(ast)) return "number"
  if (AST.isBooleanKeyword(ast)) return "boolean"
  if (AST.isUnknownKeyword(ast)) return "anything"
  if (AST.isUndefinedKeyword(ast)) return "nothing"
  if (AST.isSuspend(ast)) return typeOf(ast.f(), seen)
  if (AST.isDeclaration(ast)) {
    const inner = ast.typeParameters.map((type) => typeOf(type, seen))
    if (name === "Option") return `${inner[0] ?? "value"}, if there`
    if (name === "BigDecimalFromSelf") return "`BigDecimal`"
    if (name === "DecimalInput") return "`BigDecimal` or decimal text"
    if (name === "DateTimeUtcFromSelf") return "`DateTime.Utc`"
    if (name?.startsWith("Instant(")) return "instant"
    if (name === "List") return `list of ${inner[0] ?? "values"}`
    return name === undefined ? "value" : name === "Nothing" ? "nothing" : `\`${name}\``
  }
  return ast._tag
}

const isHandedOn = (ast) =>
  AST.isDeclaration(ast) && ast.typeParameters.length === 1 && !["Option", "List"].includes(identifier(ast))

/** The records that a schema may be, each with the rules over all of it. */
const recordsOf = (given) => {
  const ast = withoutUndefined(given)
  if (AST.isTransformation(ast)) {
    // The wire side says more than the domain side, which has no schema of what an option holds.
    const renamed = new Map(
      (ast.transformation.propertySignatureTransformations ?? []).map(({ from, to }) => [String(to), String(from)])
    )
    const before = AST.isTypeLiteral(ast.from)
      ? new Map(ast.from.propertySignatures.map(({ name, type }) => [String(name), type]))
      : new Map()
    return recordsOf(ast.to).map((record) => ({
      ...record,
      typeOf: (name) => before.get(renamed.get(name) ?? name)
    }))
  }
  if (AST.isSuspend(ast)) return recordsOf(ast.f())
  // A declaration that hands a value on as it is, such as one of two spellings.
  if (isHandedOn(ast)) return recordsOf(ast.typeParameters[0])
  if (AST.isUnion(ast)) return ast.types.flatMap(recordsOf)
  if (AST.isTypeLiteral(ast)) return ast.propertySignatures.length === 0 ? [] : [{ ast, rules: [] }]
  if (!AST.isRefinement(ast)) return []
  const own = Option.getOrElse(AST.getAnnotation(Rule.AnnotationId)(ast), () => [])
  return recordsOf(ast.from).map((record) => ({ ...record, rules: [...own, ...record.rules] }))
}

/** What a list or an optional value is of. */
const insideOf = (given) => {
  const ast = withoutUndefined(given)
  const present = presentOf(ast)
  if (present !== undefined) return insideOf(present.plain ?? present.value)
  if (AST.isTransformation(ast)) return AST.isTypeLiteral(ast.to) ? { inside: ast, path: "" } : insideOf(ast.to)
  if (AST.isRefinement(ast)) return insideOf(ast.from)
  if (AST.isTupleType(ast)) return { inside: ast.rest[0]?.type, path: "[]" }
  if (AST.isDeclaration(ast) && ast.typeParameters.length === 1) {
    return { inside: ast.typeParameters[0], path: identifier(ast) === "List" ? "[]" : "" }
  }
  return { inside: ast, path: "" }
}

const literalsOf = (type) =>
  type === undefined
    ? []
    : AST.isLiteral(type)
      ? [type.literal]
      : AST.isUnion(type) && type.types.every(AST.isLiteral)
        ? type.types.map(({ literal }) => literal)
        : []

/** The field that distinguishes the records of a union, and its value in each. */
const kindsOf = (records) => {
  const values = (record, name) => literalsOf(record.ast.propertySignatures.find((one) => one.name === name)?.type)
  const names = (records[0]?.ast.propertySignatures ?? []).map(({ name }) => name)
  const key = names.find(
    (name) =>
      records.every((record) => values(record, name).length > 0) &&
      new Set(records.map((record) => values(record, name).join())).size > 1
  )
  return (record) =>
    key === undefined
      ? []
      : values(record, key).map((value) => (key === "category" ? value : `${String(key)} ${value}`))
}

/** The fields of a schema, those of nested records by their way: `list[].symbol`. */
const fieldsOf = (given, seen, way = "") => {
  const records = recordsOf(given)
  const kindOf = kindsOf(records)
  const fields = new Map()
  for (const record of records) {
    const kinds = kindOf(record)
    for (const signature of record.ast.propertySignatures) {
      const name = `${way}${String(signature.name)}`
      const field = fields.get(name) ?? {
        name,
        in: [],
        required: [],
        types: new Set(),
        rules: new Set(),
        nested: new Map()
      }
      fields.set(name, field)
      field.in.push(...kinds)
      const isOptional =
        signature.isOptional || (AST.isUnion(signature.type) && signature.type.types.some(AST.isUndefinedKeyword))
      if (!isOptional) field.required.push(record)
      const type = record.typeOf?.(String(signature.name)) ?? signature.type
      field.types.add(typeOf(type, seen))
      const words = ruleOf(signature.type)
      if (words !== undefined) field.rules.add(words)
      for (const rule of record.rules) if (rule.field === String(signature.name)) field.rules.add(rule.rule)
      const { inside, path } = insideOf(type)
      if (inside !== undefined) {
        for (const one of fieldsOf(inside, seen, `${name}${path}.`)) field.nested.set(one.name, one)
      }
    }
  }
  const all = new Set(records.flatMap(kindOf))
  return [...fields.values()].flatMap(({ nested, ...field }) => [
    {
      ...field,
      only: field.in.length > 0 && new Set(field.in).size < all.size ? [...new Set(field.in)] : [],
      isRequired: field.required.length === records.length,
      requiredFor: [...new Set(field.required.flatMap(kindOf))]
    },
    ...nested.values()
  ])
}

// The pages -----------------------------------------------------------------------------------------------------------

const cell = (text) =>
  text
    .replaceAll("|", "\\|")
    .replaceAll(/<(?!br>)/g, "&lt;")
    .replaceAll("\n", " ")

/** Text of a docstring on a page: what would be a tag there is none here. */
const prose = (text) => text.replaceAll(/\s+/g, " ").replaceAll("<", "&lt;").trim()

const table = (header, rows) => [
  `| ${header.join(" | ")} |`,
  `| ${header.map(() => "---").join(" | ")} |`,
  ...rows.map((row) => `| ${row.map(cell).join(" | ")} |`),
  ""
]

const isValues = (type) => type.split(" or ").every((one) => /^`("[^"]*"|\d+)`$/.test(one))

/** What an instant may be given as is said once, at the head of the page. */
const withoutSpelling = (rule) => rule.replace(" (DateTime, Date, ISO text or milliseconds)", "")

const parameterRow = ({ isRequired, name, only, requiredFor, rules, types }) => [
  `\`${name}\``,
  name === "requestId"
    ? "generated by default"
    : isRequired
      ? "yes"
      : requiredFor.length > 0 && only.length === 0
        ? `for ${requiredFor.join(", ")}`
        : only.length > 0 && requiredFor.length > 0
          ? "yes"
          : "",
  // The variants of a request may take some of the same values.
  [...new Set([...types].flatMap((type) => type.split(" or ")))].join(" or "),
  [
    ...(only.length > 0 ? [`only ${only.join(", ")}`] : []),
    ...[...rules]
      .map(withoutSpelling)
      .filter((rule) => rule !== "must be an instant" && !(rule.startsWith("must be ") && [...types].every(isValues)))
  ].join("; ")
]

const duration = (length) =>
  Duration.format(length).replace(/^(\d+)d$/, (_, days) => `${days} day${days === "1" ? "" : "s"}`)

const signings = {
  public: "none: the operation is public",
  header: "over the text that is sent, in headers",
  parameter: "over the sorted parameters, among them"
}

const safeties = {
  read: "a read: repeated where that may help",
  idempotent: "a write with an id of its own, which the service honours once: repeated with the same id",
  write: "a write: repeated only where it is proved that nothing was executed"
}

const limitOf = ({ count, scope, upgradable, window }) =>
  `${count} a ${Duration.toSeconds(window) === 1 ? "second" : "minute"} for each user${scope === "uid x category" ? " and category" : ""}${upgradable === true ? "; an account may be granted more" : ""}`

const shortLimit = ({ count, window }) => `${count}/${Duration.toSeconds(window) === 1 ? "s" : "min"}`

const pagingOf = ({ cursor, cursorParameter, items, size, sizeParameter }) =>
  `\`${items}\` of at most \`${sizeParameter}\` rows${Option.match(size, {
    onNone: () => "",
    onSome: ({ default: usual, max, min }) => ` (${min} to ${max}, default ${usual})`
  })}; \`${cursor}\` of the answer is \`${cursorParameter}\` of the next request`

const windowOf = ({ from, reachBack, span, to, unit }) =>
  [
    `\`${from}\` to \`${to}\`, ${unit === "ms" ? "milliseconds" : "seconds"} on the wire`,
    ...Option.match(span, { onNone: () => [], onSome: (length) => [`at most ${duration(length)} in one request`] }),
    ...Option.match(reachBack, { onNone: () => [], onSome: (length) => [`back to ${duration(length)}`] })
  ].join("; ")

const evidences = {
  documented: "documented",
  listed: "only listed in the document; the payload is taken from what is known elsewhere"
}

const optionRow = (name, option, show) =>
  Option.match(option, { onNone: () => [], onSome: (value) => [[name, show(value)]] })

const failures = { read: tagsOf("ReadFailure"), write: tagsOf("WriteFailure") }

/** The name of the record that a result is made of. */
const recordNameOf = (ast) => {
  const plain = presentOf(ast)?.plain
  if (plain !== undefined) return recordNameOf(plain)
  if (AST.isTransformation(ast)) {
    const name = identifier(ast)
    return name !== undefined && AST.isTypeLiteral(ast.to) ? name : (recordNameOf(ast.from) ?? recordNameOf(ast.to))
  }
  if (AST.isRefinement(ast)) return recordNameOf(ast.from)
  if (AST.isTupleType(ast)) return ast.rest.map(({ type }) => recordNameOf(type)).find((name) => name !== undefined)
  if (AST.isTypeLiteral(ast)) {
    return (
      identifier(ast) ?? ast.propertySignatures.map(({ type }) => recordNameOf(type)).find((name) => name !== undefined)
    )
  }
  return undefined
}

const exampleOf = (domain, method, request) => [
  "```ts",
  `import * as ${domain} from "@effect-venue/services/${domain}"`,
  'import { Effect } from "effect"',
  "",
  `export const ${method}Example = Effect.flatMap(${domain}.${domain}, (service) =>`,
  `  service.${method}(${request})`,
  ")",
  "```",
  ""
]

/** A result without fields, and the text that says so. Any other result that shows no fields is an error of this generator. */
const isNothing = ({ ast }) => AST.isTransformation(ast) && AST.isVoidKeyword(ast.to)

const noResult = "**Result**: none. Success means that the service accepted the write."

/** Types that `typeOf` has no words for. */
const isOpaque = (type) => /^value|^[A-Z][A-Za-z]*(Keyword|Literal|Symbol)\b/.test(type)

/**
 * The result of an operation, line by line. A batch has the result of the single operation for each of its orders. Throws where the
 * fields cannot be derived from the schema.
 */
export const resultOf = (endpoint, seen, all = Endpoints.all) => {
  if (isNothing(endpoint.result)) return [noResult, ""]
  const isBatch = endpoint.extended === true
  const of = isBatch ? all.find(({ name }) => `${name}Batch` === endpoint.name) : endpoint
  const fields = of === undefined ? [] : fieldsOf(of.result.ast, seen)
  if (fields.length === 0)
    throw new Error(`${endpoint.name}: its result has no fields to show, and is not Page.nothing`)
  const opaque = fields.find(({ types }) => [...types].some(isOpaque))
  if (opaque !== undefined) throw new Error(`${endpoint.name}: the type of ${opaque.name} cannot be derived`)
  const record = recordNameOf(of.result.ast)
  return [
    isBatch
      ? `**Result**: a list in the order of the request, with an \`Either\` for each entry: the fields of \`${record ?? of.name}\`, or the failure of that entry`
      : `**Result**${record === undefined ? "" : `, of \`${record}\``}`,
    "",
    ...table(
      ["Field", "Type"],
      fields.map(({ name, types }) => [`\`${isBatch ? "[]." : ""}${name}\``, [...types].join(" or ")])
    )
  ]
}

const parametersOf = (endpoint, seen) => {
  const fields = fieldsOf(endpoint.request.ast, seen)
  const isEmpty = AST.isTypeLiteral(endpoint.request.ast) && endpoint.request.ast.propertySignatures.length === 0
  if (fields.length === 0 && !isEmpty) throw new Error(`${endpoint.name}: its parameters cannot be derived`)
  return fields
}

const operation = (endpoint, methods, seen) => {
  const [, method] = endpoint.name.split(".")
  const beside = [...methods.keys()].filter(
    (name) => name !== method && name.startsWith(method) && /^(Stream|History|Between)/.test(name.slice(method.length))
  )
  const parameters = parametersOf(endpoint, seen)
  const rules = Rule.ofSchema(endpoint.request).filter(({ field }) => !parameters.some(({ name }) => name === field))
  return [
    `## ${method}`,
    "",
    `\`${endpoint.name}\`${endpoint.deprecated ? ", deprecated" : ""}: ${prose(endpoint.summary)}.`,
    "",
    ...(methods.has(method) ? [prose(methods.get(method)), ""] : []),
    ...beside.flatMap((name) => [`- \`${name}\`: ${prose(methods.get(name))}`]),
    ...[
      ["Call", `\`${endpoint.method} ${endpoint.path}\``],
      ["Signature", signings[endpoint.signing]],
      ["Answer", `envelope ${endpoint.envelope}`],
      [
        "Limit",
        Option.match(endpoint.rateLimit, {
          onNone: () => "none is documented beside that of the address",
          onSome: limitOf
        })
      ],
      ["Safety", safeties[endpoint.safety]],
      ...(endpoint.lookUp === undefined ? [] : [["After an unknown outcome", "`failure.lookUp` finds out"]]),
      ...optionRow("Pages", endpoint.paging, pagingOf),
      ...optionRow("Time", endpoint.historyWindow, windowOf),
      ["Evidence", `${evidences[endpoint.evidence]} (${endpoint.source})`]
    ].map(([name, text]) => `- **${name}**: ${text}`),
    "",
    ...(parameters.length === 0
      ? ["It takes no parameters.", ""]
      : ["**Parameters**", "", ...table(["Name", "Required", "Type", "Rule"], parameters.map(parameterRow))]),
    ...rules.map(({ field, rule }) => `- \`${field}\`: ${rule}`),
    ...resultOf(endpoint, seen),
    `**Failures**: ${(endpoint.safety === "read" ? failures.read : failures.write).map((tag) => `\`${tag}\``).join(", ")}. What to do about each is in [Failures](../failures.md).`,
    "",
    ...exampleOf(endpoint.domain, method, requests[endpoint.name] ?? "")
  ]
}

const notice = "<!-- Generated by `pnpm codegen` from the endpoints and their docstrings: change those, not this. -->"

const pageOf = (domain) => {
  const endpoints = Endpoints.all.filter((one) => one.domain === domain)
  const methods = methodsOf(domain)
  const seen = new Set()
  const operations = endpoints.flatMap((endpoint) => operation(endpoint, methods, seen))
  const shown = operations.join("\n")
  const others = [...methods.keys()].filter((name) => !new RegExp(`(^## |^- \`)${name}\\b`, "m").test(shown))
  return [
    notice,
    "",
    `# ${titles[domain] ?? domain}`,
    "",
    `${prose(aboutOf(domain))} The service is \`${domain}.${domain}\` of \`@effect-venue/services/${domain}\`.`,
    "",
    "Instants are given as `DateTime`, `Date`, ISO text or milliseconds, decimals as `BigDecimal` or text. What is _if there_ is an `Option`.",
    "",
    ...table(
      ["Operation", "What it does", "Limit", "Safety"],
      endpoints.map((endpoint) => {
        const [, method] = endpoint.name.split(".")
        return [
          `[${method}](#${method.toLowerCase()})`,
          endpoint.summary,
          Option.match(endpoint.rateLimit, { onNone: () => "", onSome: shortLimit }),
          endpoint.safety
        ]
      })
    ),
    ...(others.length === 0
      ? []
      : ["And, made of these:", "", ...others.map((name) => `- \`${name}\`: ${prose(methods.get(name))}`), ""]),
    ...operations,
    ...(seen.size === 0
      ? []
      : [
          "## Values",
          "",
          "Other values than these are accepted too, and returned verbatim: the service may add some.",
          "",
          ...table(
            ["Type", "Known values"],
            [...seen].sort().map((name) => [
              `\`${name}\``,
              knownValues(name)
                .map((value) => `\`${value}\``)
                .join(", ")
            ])
          )
        ])
  ]
}

const overview = () => [
  notice,
  "",
  "# The operations",
  "",
  `${Endpoints.all.length} operations: ${Endpoints.all.filter(({ evidence }) => evidence === "documented").length} documented, and ${Endpoints.all.filter(({ evidence }) => evidence === "listed").length} of which the document has only the path. Every address may call 600 times in 5 seconds, whatever it calls; the limits here come on top.`,
  "",
  ...table(
    ["Operation", "What it does", "Limit", "Safety"],
    Endpoints.all.map((endpoint) => {
      const [, method] = endpoint.name.split(".")
      return [
        `[${endpoint.name}](${domains[endpoint.domain]}.md#${method.toLowerCase()})`,
        `${endpoint.summary}<br>\`${endpoint.method} ${endpoint.path}\``,
        Option.match(endpoint.rateLimit, { onNone: () => "", onSome: shortLimit }),
        endpoint.safety
      ]
    })
  ),
  "What every rule of the interface is shown by is in [the rules and their tests](rules.md)."
]

/** Brings the pages up to date, or with `check` does not; says what is wrong. */
export const run = async (check) => {
  const wrong = Endpoints.all
    .filter(({ name }) => !Object.hasOwn(requests, name))
    .map(({ name }) => `${name} has no example in packages/tools/examples.mjs`)
  const names = new Set(Endpoints.all.map(({ name }) => name))
  for (const name of Object.keys(requests)) if (!names.has(name)) wrong.push(`there is no ${name} to have an example`)
  for (const { domain, name } of Endpoints.all) {
    if (!Object.hasOwn(domains, domain)) wrong.push(`${name}: there is no page for ${domain}`)
  }
  const pages = [
    ["README.md", overview()],
    ...Object.entries(domains).map(([domain, name]) => [`${name}.md`, pageOf(domain)])
  ]
  for (const [name, lines] of pages) {
    const page = `${folder}/${name}`
    const file = path.join(root, page)
    const wanted = await format(lines.join("\n"), { ...(await resolveConfig(file)), filepath: file })
    if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === wanted) continue
    if (check) wrong.push(`${page} is not what codegen writes`)
    else fs.writeFileSync(file, wanted)
  }
  return { wrong, pages: pages.length }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { pages, wrong } = await run(process.argv.includes("--check"))
  for (const one of wrong) console.log(one)
  console.log(`${Endpoints.all.length} operations on ${pages} pages`)
  if (wrong.length > 0) process.exitCode = 1
}
