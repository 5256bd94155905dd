/**
 * Writes the reference: a page for each domain and for each of its methods, from the OpenAPI document and the docblocks of the services, and the pages of limits, return codes
 * and enumerations.
 *
 *     node --import tsx packages/tools/src/reference/operations.ts [--check]
 */
import * as Samples from "@effect-venue/testing/Samples"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { bring, formatFile, root } from "../repository/repository.js"
import { controlPage } from "./control.js"
import { aboutOf, interfacesOf, methodsOf } from "./docblocks.js"
import type { Method } from "./docblocks.js"
import { operationsOf } from "./document.js"
import type { Field, Operation, Parameter } from "./document.js"
import { fileOf, linkOf, moveDown, notice, pageOf, prose, table } from "./markdown.js"
import { assumptions, enumerationsPage, limitsPage, returnCodesPage } from "./tables.js"

// Properties of an operation -----------------------------------------------------------------------------------------

const duration = (length: Duration.Duration): string =>
  Duration.format(length).replace(/^(\d+)d$/, (_, days: string) => `${days} day${days === "1" ? "" : "s"}`)

const signings: { readonly [S in Endpoint.Signing]: string } = {
  public: "none: the operation is public",
  header: "[header method](signing.md#header-method)",
  parameter: "[parameter method](signing.md#parameter-method)"
}

const safeties: { readonly [S in Endpoint.Safety]: string } = {
  read: "a read: repeated if that can help",
  idempotent: "a write with a request id, which the service executes once: repeated with the same id",
  write: "a write: repeated only if it is proved that nothing was executed"
}

const limitOf = ({ assumed, count, scope, upgradable, window }: Endpoint.RateLimit): string =>
  [
    `${count} a ${Duration.toSeconds(window) === 1 ? "second" : "minute"} for each user${scope === "uid x category" ? " and category" : ""}`,
    ...(assumed === undefined ? [] : [assumptions[assumed]]),
    ...(upgradable === true ? ["[an account can be granted more](limits.md#upper-limits)"] : [])
  ].join("; ")

const shortLimit = ({ assumed, count, window }: Endpoint.RateLimit): string =>
  `${count}/${Duration.toSeconds(window) === 1 ? "s" : "min"}${assumed === "all" ? " (assumed)" : ""}`

const pagingOf = ({ cursor, cursorParameter, items, size, sizeParameter }: Endpoint.Paging): string =>
  `\`${items}\` of at most \`${sizeParameter}\` rows${Option.match(size, {
    onNone: () => "",
    onSome: ({ default: usual, max, min }) => ` (${min} to ${max}, by default ${usual})`
  })}; \`${cursor}\` of the response is \`${cursorParameter}\` of the next request`

const windowOf = ({ bounds: [open, close], from, reachBack, span, to, unit }: Endpoint.HistoryWindow): string =>
  [
    `${open === "[" ? "at or after" : "after"} \`${from}\` and ${close === "]" ? "at or before" : "before"} \`${to}\`, ${unit === "ms" ? "milliseconds" : "seconds"} on the wire`,
    ...Option.match(span, { onNone: () => [], onSome: (length) => [`at most ${duration(length)} in one request`] }),
    ...Option.match(reachBack, { onNone: () => [], onSome: (length) => [`kept for ${duration(length)}`] })
  ].join("; ")

const evidenceOf = ({ evidence, source }: Endpoint.Any): string =>
  ({
    documented: `documented: [its rules and their tests](${linkOf(source)})`,
    "path documented": `only its path is documented: [source of the payload](${linkOf(source)})`,
    undocumented: `neither its path nor its payload is documented: [their source](${linkOf(source)})`
  })[evidence]

/** The sentences about an endpoint that the docblock of its method must contain, because an editor shows nothing else. */
const sentencesOf = ({ evidence, rateLimit }: Endpoint.Any): ReadonlyArray<string> => [
  Option.match(rateLimit, {
    onNone: () => "Limit: none is documented.",
    onSome: ({ assumed, count, scope, window }) => {
      const per = `${count} call${count === 1 ? "" : "s"} a ${Duration.toSeconds(window) === 1 ? "second" : "minute"}`
      const part = assumed === undefined ? "" : assumed === "spot" ? ", for spot assumed" : ", assumed"
      return `Limit: ${per}${scope === "uid x category" ? " per category" : ""}${part}.`
    }
  }),
  ...{
    documented: [],
    "path documented": ["The service's document contains only the path of this operation."],
    undocumented: ["The service's document contains neither the path nor the payload of this operation."]
  }[evidence]
]

const allSentences = new Set(Endpoints.all.flatMap(sentencesOf))

/** Throws if a docblock lacks a sentence about its endpoint, or has that of another. */
const checkSentences = (endpoint: Endpoint.Any, doc: string): void => {
  const text = doc.replaceAll(/\s+/g, " ")
  const expected = sentencesOf(endpoint)
  for (const sentence of allSentences) {
    if (text.includes(sentence) === expected.includes(sentence)) continue
    const fault = expected.includes(sentence) ? "lacks" : "must not contain"
    throw new Error(`services/src/${endpoint.domain}.ts: the docblock of ${endpoint.name} ${fault}: ${sentence}`)
  }
}

const optionRow = <A>(name: string, option: Option.Option<A>, show: (value: A) => string) =>
  Option.match(option, { onNone: () => [], onSome: (value) => [[name, show(value)] as const] })

// Tables --------------------------------------------------------------------------------------------------------------

/** An id that the service's document leaves optional, and the method of the library requires. */
const describeRequired = ({ path, required }: Parameter, { onceBy }: Endpoint.Any): string =>
  required === "" && path.split(".").at(-1) === onceBy ? "by the method" : required

const parameterTable = ({ parameters }: Operation, endpoint: Endpoint.Any): ReadonlyArray<string> =>
  parameters.length === 0
    ? ["It takes no parameters.", ""]
    : [
        "## Parameters",
        "",
        ...table(
          ["Name", "Required", "Type", "Unit", "Meaning", "Rule", "Source"],
          parameters.map((parameter) => [
            `\`${parameter.path}\``,
            describeRequired(parameter, endpoint),
            parameter.type,
            parameter.unit,
            parameter.meaning,
            parameter.rules.join("; "),
            parameter.sources.join(", ")
          ])
        )
      ]

const fieldTable = (fields: ReadonlyArray<Field>, prefix = ""): ReadonlyArray<string> =>
  table(
    ["Field", "Type", "Unit", "Meaning"],
    fields.map(({ meaning, path, type, unit }) => [`\`${prefix}${path}\``, type, unit, meaning])
  )

const failures = { read: "those of [every read](../failures.md)", write: "those of [every write](../failures.md)" }

// An operation --------------------------------------------------------------------------------------------------------

const noResult = "None. Success means that the service accepted the write."

/** Describes the result of an operation. A batch has the result of the single operation for each order. */
const resultLines = (operation: Operation, all: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const single = all.find(({ name }) => `${name}Batch` === operation.name)
  if (single !== undefined) {
    return [
      "## Result",
      "",
      `A list in the order of the request, with an \`Either\` for each entry: the fields below, or the failure of that entry.`,
      "",
      ...fieldTable(single.result, "[].")
    ]
  }
  return ["## Result", "", ...(operation.result.length === 0 ? [noResult, ""] : fieldTable(operation.result))]
}

/** Formats a request as TypeScript. Its keys need no quotes. */
const codeOf = (request: object): string => JSON.stringify(request).replaceAll(/([{,])"([A-Za-z]\w*)":/g, "$1 $2: ")

const exampleOf = ({ domain, name }: Operation, method: string): ReadonlyArray<string> => {
  const sample = Samples.all.find((candidate) => candidate.name === name)
  if (sample === undefined) throw new Error(`${name} has no example`)
  return [
    "```ts",
    `import * as ${domain} from "@effect-venue/services/${domain}"`,
    'import { Effect } from "effect"',
    "",
    `export const ${method}Example = Effect.flatMap(${domain}.${domain}, (service) =>`,
    `  service.${method}(${codeOf(sample.request)})`,
    ")",
    "```",
    ""
  ]
}

/** The link to a page of the guide from a page of the reference, with its heading. */
const guideLink = (_path: string, page: string): string =>
  `[${/^# (.*)$/m.exec(fs.readFileSync(path.join(root, "docs", page), "utf8"))?.[1] ?? page}](../${page})`

/** A docblock on the page that it cites. */
const docText = (doc: string): string =>
  prose(
    doc
      .replaceAll(/ ?\((?:docs\/reference\/[^);]*(?:; )?)+(?:docs\/[^)]*)?\)/g, "")
      .replaceAll(/(?<=\()docs\/([\w-]+\.md)(?=\))/g, guideLink)
  )

/** The names of a type in the signature of a method: those of the schemas, and those of the service's module. */
const linkType = (type: string, domain: string): string =>
  type
    .replace(/^ReadonlyArray<(.*)>$/, "$1")
    .replace(/^(?:Endpoints\.)?(\w+)$/, `\`${domain}.$1\``)
    .replace("`" + domain + ".void`", "nothing")

/** The names of the types of a method: its request, its result, and the rows of its stream. */
const typesOf = (domain: string, method: Method, stream: Method | undefined): string => {
  const [, request] = /request\??: ([\w.]+)/.exec(method.signature) ?? []
  const [, result = ""] = /Effect\.Effect<\s*([^,]+),/.exec(method.signature) ?? []
  const [, row] = /Stream\.Stream<\s*([^,]+),/.exec(stream?.signature ?? "") ?? []
  return [
    ...(request === undefined ? [] : [`request ${linkType(request, domain)}`]),
    `result ${result.startsWith("ReadonlyArray<") ? "a list of " : ""}${linkType(result, domain)}`,
    ...(row === undefined ? [] : [`row ${linkType(row, domain)}`])
  ].join(", ")
}

const lowerInitial = (text: string): string => text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())

/** Returns the name of a method as that of an operation: `orders.cancelEverything`. */
const methodOf = (domain: string, method: string): string =>
  `${domain.replace(/^[A-Z]/, (letter) => letter.toLowerCase())}.${method}`

const isStreamOf = (method: Method, operation: string): boolean => method.name === `${operation}Stream`

/** Names the parameters that prevent a look-up from deciding. */
const lookUpOf = ({ uses }: Endpoint.LookUp): string => {
  const unseen = Object.entries<Endpoint.ParameterUse>(uses).flatMap(([name, use]) =>
    use === "unseen" ? [`\`${name}\``] : []
  )
  return unseen.length === 0
    ? "`failure.lookUp` finds out"
    : `\`failure.lookUp\` finds out, unless the request has ${unseen.join(", ")}, which no record shows`
}

const enumerationLines = ({ parameters, result }: Operation): ReadonlyArray<string> => {
  const names = new Set([...parameters, ...result].flatMap(({ enumerations }) => enumerations))
  return names.size === 0
    ? []
    : [
        "## Enumerations",
        "",
        `The values of ${[...names]
          .sort()
          .map((name) => `[\`${name}\`](enumerations.md#${name.toLowerCase()})`)
          .join(", ")}. Other values are accepted and returned verbatim, because the service can add some.`,
        ""
      ]
}

const operationLines = (
  operation: Operation,
  all: ReadonlyArray<Operation>,
  methods: ReadonlyArray<Method>
): ReadonlyArray<string> => {
  const endpoint = Endpoints.all.find(({ name }) => name === operation.name)
  const method = operation.name.split(".")[1] ?? ""
  const own = methods.find(({ name }) => name === method)
  if (endpoint === undefined || own === undefined) throw new Error(`${operation.name}: there is no method ${method}`)
  checkSentences(endpoint, own.doc)
  const stream = methods.find((one) => isStreamOf(one, method))
  const properties: ReadonlyArray<readonly [string, string]> = [
    ["Types", typesOf(operation.domain, own, stream)],
    ["Call", `\`${operation.method} ${operation.path}\``],
    ["Signature", signings[endpoint.signing]],
    ["Response", `[envelope](responses.md#envelopes) \`${endpoint.envelope}\``],
    [
      "Limit",
      Option.match(endpoint.rateLimit, {
        onNone: () => "none is documented beside that of the address",
        onSome: limitOf
      })
    ],
    ["Safety", safeties[endpoint.safety]],
    ...(endpoint.lookUp === undefined ? [] : [["After an unknown outcome", lookUpOf(endpoint.lookUp)] as const]),
    ...optionRow("Pages", endpoint.paging, pagingOf),
    ...optionRow("Time", endpoint.historyWindow, windowOf),
    ["Failures", failures[endpoint.safety === "read" ? "read" : "write"]],
    ["Evidence", evidenceOf(endpoint)]
  ]
  return [
    `# ${operation.name}: ${lowerInitial(prose(operation.summary))}`,
    "",
    ...(operation.deprecated ? ["Deprecated.", ""] : []),
    docText(own.doc),
    "",
    ...exampleOf(operation, method),
    ...methods
      .filter((candidate) => isStreamOf(candidate, method))
      .map(({ doc, name }) => `- \`${name}\`: ${docText(doc)}`),
    ...properties.map(([name, text]) => `- **${name}**: ${text}`),
    "",
    ...parameterTable(operation, endpoint),
    ...operation.rules.map(({ field, rule }) => `- \`${field}\`: ${rule}`),
    "",
    ...resultLines(operation, all),
    ...enumerationLines(operation)
  ]
}

/** Describes a method that combines operations: its docblock, its signature and the interfaces in it. */
const methodLines = ({ doc, name, signature }: Method, domain: string): ReadonlyArray<string> => {
  const named = interfacesOf(domain).filter((candidate) => new RegExp(`\\b${candidate.name}\\b`).test(signature))
  const code = [`${name}: ${signature}`, ...named.map(({ text }) => `\n${text}`)]
  return [`# ${methodOf(domain, name)}`, "", docText(doc), "", "```typescript", ...code, "```", ""]
}

// Pages ---------------------------------------------------------------------------------------------------------------

const overviewRow = (endpoint: Endpoint.Any, link: string, summary: string): ReadonlyArray<string> => [
  link,
  summary,
  Option.match(endpoint.rateLimit, { onNone: () => "", onSome: shortLimit }),
  endpoint.safety,
  endpoint.evidence
]

/** Returns the methods of a domain that combine operations. */
const combinationsOf = (domain: string): ReadonlyArray<Method> => {
  const names = Endpoints.all
    .filter((endpoint) => endpoint.domain === domain)
    .map(({ name }) => name.split(".")[1] ?? "")
  return methodsOf(domain).filter(
    (method) => !names.includes(method.name) && !names.some((operation) => isStreamOf(method, operation))
  )
}

const conventions = [
  "An instant is a `DateTime`, a `Date`, ISO text or milliseconds; a decimal is a `BigDecimal` or text. A field that can be absent is an `Option`. Amounts are never negative unless stated.",
  "",
  "The source of a parameter's bounds, closed list and rules is the service's `document`, its `public` pages, or `ours`: beyond a bound of ours a request would not be the one that it reads as. Lists that are not shown are open.",
  ""
]

const domainPage = (domain: string): ReadonlyArray<string> => [
  notice,
  "",
  `# ${domain === "ApiLimits" ? "API limits" : domain}`,
  "",
  `${prose(aboutOf("services", domain))} The service is \`${domain}.${domain}\` of \`@effect-venue/services/${domain}\`; the schemas and types of requests and records stand beside it, the endpoints are in \`@effect-venue/schemas/${domain}\`.`,
  "",
  ...table(
    ["Operation", "Description", "Limit", "Safety", "Evidence"],
    [
      ...Endpoints.all
        .filter((endpoint) => endpoint.domain === domain)
        .map((endpoint) =>
          overviewRow(endpoint, `[${endpoint.name.split(".")[1] ?? ""}](${pageOf(endpoint.name)})`, endpoint.summary)
        ),
      ...combinationsOf(domain).map(({ doc, name }) => [
        `[${name}](${pageOf(methodOf(domain, name))})`,
        docText(doc)
          .split(/(?<=[^.]\.)\s/)[0]
          ?.replace(/\.$/, "") ?? "",
        "",
        "",
        ""
      ])
    ]
  ),
  ...conventions
]

/** Returns the page of every method of a domain. */
const methodPages = (
  domain: string,
  all: ReadonlyArray<Operation>
): ReadonlyArray<readonly [file: string, lines: ReadonlyArray<string>]> => [
  ...all
    .filter((operation) => operation.domain === domain)
    .map((operation) => [pageOf(operation.name), operationLines(operation, all, methodsOf(domain))] as const),
  ...combinationsOf(domain).map(
    (method) => [pageOf(methodOf(domain, method.name)), methodLines(method, domain)] as const
  )
]

const beside: ReadonlyArray<readonly [string, string]> = [
  ["Limits", "limits.md"],
  ["Return codes", "return-codes.md"],
  ["Enumerations", "enumerations.md"],
  ["Signing", "signing.md"],
  ["Responses and errors", "responses.md"],
  ["Contradictions", "contradictions.md"],
  ["Listed operations", "listed-operations.md"],
  ["Rules and their tests", "rules.md"],
  ["Other clients", "clients.md"],
  ["Control commands of the sandbox", "control.md"]
]

const countOf = (which: Endpoint.Evidence): number => Endpoints.all.filter(({ evidence }) => evidence === which).length

const overview = (): ReadonlyArray<string> => [
  notice,
  "",
  "# The operations",
  "",
  `${Endpoints.all.length} operations. The service's document describes ${countOf("documented")} of them, contains only the path of ${countOf("path documented")}, and [neither path nor payload](listed-operations.md) of ${countOf("undocumented")}. Every address can make 600 calls in 5 seconds; the limits here apply additionally.`,
  "",
  ...table(
    ["Operation", "Description", "Limit", "Safety", "Evidence"],
    Endpoints.all.map((endpoint) =>
      overviewRow(
        endpoint,
        `[${endpoint.name}](${pageOf(endpoint.name)})`,
        `${endpoint.summary}<br>\`${endpoint.method} ${endpoint.path}\``
      )
    )
  ),
  "## Beside the operations",
  "",
  ...beside.map(([title, file]) => `- [${title}](${file})`)
]

/** The number of operations on hand-written pages. */
const counts: ReadonlyArray<readonly [page: string, pattern: RegExp]> = [
  ["README.md", /(?<=\| )\d+(?= operations: )/],
  ["docs/reference/listed-operations.md", /(?<=^\d+ of the )\d+(?= operations )/m]
]

const all = operationsOf()
const domains = [...new Set(all.map(({ domain }) => domain))]
const reference = path.join(root, "docs", "reference")
const pages: ReadonlyArray<readonly [file: string, lines: ReadonlyArray<string>]> = [
  ["README.md", overview()],
  ...domains.flatMap((domain) => [
    [fileOf(domain), domainPage(domain)] as const,
    ...methodPages(domain, all).map(([file, lines]) => [file, [notice, "", ...moveDown(lines)]] as const)
  ]),
  ["limits.md", limitsPage()],
  ["return-codes.md", returnCodesPage()],
  ["enumerations.md", enumerationsPage()],
  ["control.md", controlPage()]
]
const files = new Map<string, string>()
for (const [page, pattern] of counts) {
  const file = path.join(root, page)
  files.set(file, fs.readFileSync(file, "utf8").replace(pattern, `${Endpoints.all.length}`))
}
for (const [name, lines] of pages) {
  const file = path.join(reference, name)
  files.set(file, await formatFile(file, lines.join("\n")))
}
const folders = domains.map((domain) => path.join(reference, fileOf(domain).replace(/\.md$/, "")))
for (const folder of folders) fs.mkdirSync(folder, { recursive: true })
const stale = folders
  .flatMap((folder) => fs.readdirSync(folder).map((name) => path.join(folder, name)))
  .filter((file) => !files.has(file))
if (stale.length > 0) throw new Error(`these pages describe no operation, delete them:\n${stale.join("\n")}`)
bring(files)
