/**
 * The reference: a page per domain in docs/reference, rendered from the OpenAPI document and the docstrings of the services, and the pages of
 * what the library knows as tables.
 *
 *     node --import tsx packages/tools/src/reference/operations.ts            writes the pages
 *     node --import tsx packages/tools/src/reference/operations.ts --check    only says what is wrong, and fails if anything is
 */
import * as Samples from "@effect-venue/testing/Samples"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "../repository.js"
import { aboutOf, methodsOf, tagsOf, typesOf } from "./docblocks.js"
import type { Member, Method, Types } from "./docblocks.js"
import { operationsOf } from "./document.js"
import type { Field, Operation, Parameter } from "./document.js"
import { bring, notice, prose, table } from "./markdown.js"
import { domains, fileOf, pageOf, titleOf } from "./names.js"
import { enumerationsPage, limitsPage, returnCodesPage } from "./tables.js"

const folder = "docs/reference"

// What a page says of the properties of an operation ------------------------------------------------------------------

const duration = (length: Duration.Duration): string =>
  Duration.format(length).replace(/^(\d+)d$/, (_, days: string) => `${days} day${days === "1" ? "" : "s"}`)

const signings: { readonly [S in Endpoint.Signing]: string } = {
  public: "none: the operation is public",
  header: "[header method](signing.md#header-method)",
  parameter: "[parameter method](signing.md#parameter-method)"
}

const safeties: { readonly [S in Endpoint.Safety]: string } = {
  read: "a read: repeated where that may help",
  idempotent: "a write with an id of its own, which the service honours once: repeated with the same id",
  write: "a write: repeated only where it is proved that nothing was executed"
}

const limitOf = ({ count, scope, upgradable, window }: Endpoint.RateLimit): string =>
  `${count} a ${Duration.toSeconds(window) === 1 ? "second" : "minute"} for each user${scope === "uid x category" ? " and category" : ""}${upgradable === true ? "; [an account may be granted more](limits.md#upper-limits)" : ""}`

const shortLimit = ({ count, window }: Endpoint.RateLimit): string =>
  `${count}/${Duration.toSeconds(window) === 1 ? "s" : "min"}`

const pagingOf = ({ cursor, cursorParameter, items, size, sizeParameter }: Endpoint.Paging): string =>
  `\`${items}\` of at most \`${sizeParameter}\` rows${Option.match(size, {
    onNone: () => "",
    onSome: ({ default: usual, max, min }) => ` (${min} to ${max}, by default ${usual})`
  })}; \`${cursor}\` of the response is \`${cursorParameter}\` of the next request`

const windowOf = ({ from, reachBack, span, to, unit }: Endpoint.HistoryWindow): string =>
  [
    `\`${from}\` to \`${to}\`, ${unit === "ms" ? "milliseconds" : "seconds"} on the wire`,
    ...Option.match(span, { onNone: () => [], onSome: (length) => [`at most ${duration(length)} in one request`] }),
    ...Option.match(reachBack, { onNone: () => [], onSome: (length) => [`kept for ${duration(length)}`] })
  ].join("; ")

const here = (citation: string): string => citation.replace(/^docs\/reference\//, "")

const evidenceOf = ({ evidence, source }: Endpoint.Any): string =>
  evidence === "documented"
    ? `documented: [its rules and their tests](${here(source)})`
    : `only its path is documented: [where the payload is known from](${here(source)})`

const optionRow = <A>(name: string, option: Option.Option<A>, show: (value: A) => string) =>
  Option.match(option, { onNone: () => [], onSome: (value) => [[name, show(value)] as const] })

// Tables --------------------------------------------------------------------------------------------------------------

const parameterTable = (parameters: ReadonlyArray<Parameter>): ReadonlyArray<string> =>
  parameters.length === 0
    ? ["It takes no parameters.", ""]
    : [
        "**Parameters**",
        "",
        ...table(
          ["Name", "Required", "Type", "Unit", "Meaning", "Rule"],
          parameters.map(({ meaning, path, required, rules, type, unit }) => [
            `\`${path}\``,
            required,
            type,
            unit,
            meaning,
            rules.join("; ")
          ])
        )
      ]

const fieldTable = (fields: ReadonlyArray<Field>, prefix = ""): ReadonlyArray<string> =>
  table(
    ["Field", "Type", "Unit", "Meaning"],
    fields.map(({ meaning, path, type, unit }) => [`\`${prefix}${path}\``, type, unit, meaning])
  )

const memberTable = (members: ReadonlyArray<Member>): ReadonlyArray<string> =>
  table(
    ["Field", "Type", "Meaning"],
    members.map(({ doc, isOptional, name, type }) => {
      if (doc === "") throw new Error(`the docstrings do not say what ${name} is`)
      return [`\`${name}\`${isOptional ? ", optional" : ""}`, `\`${type}\``, doc]
    })
  )

const failuresOf = (tags: ReadonlyArray<string>): string =>
  `**Failures**: ${tags.map((tag) => `\`${tag}\``).join(", ")}. What to do about each is in [Failures](../failures.md).`

// An operation --------------------------------------------------------------------------------------------------------

const noResult = "**Result**: none. Success means that the service accepted the write."

/** The result of an operation. A batch has the result of the single operation for each of its orders. */
const resultLines = (operation: Operation, all: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const single = all.find(({ name }) => `${name}Batch` === operation.name)
  if (single !== undefined) {
    return [
      `**Result**: a list in the order of the request, with an \`Either\` for each entry: the fields below, or the failure of that entry.`,
      "",
      ...fieldTable(single.result, "[].")
    ]
  }
  return operation.result.length === 0 ? [noResult, ""] : ["**Result**", "", ...fieldTable(operation.result)]
}

/** A request as TypeScript. Its keys need no quotes, and the methods generate a request id: a copied one would be honoured once. */
const codeOf = (request: object): string =>
  JSON.stringify(request, (key, value: unknown) => (key === "requestId" ? undefined : value)).replaceAll(
    /([{,])"([A-Za-z]\w*)":/g,
    "$1 $2: "
  )

const exampleOf = ({ domain, name }: Operation, method: string): ReadonlyArray<string> => {
  const sample = Samples.all.find((one) => one.name === name)
  if (sample === undefined) throw new Error(`${name} has no request in packages/testing/src/Samples.ts`)
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

/** A docstring on the page that it cites. */
const docText = (doc: string): string =>
  prose(doc.replaceAll(/ ?\((?:docs\/reference\/[^);]*(?:; )?)+(?:docs\/[^)]*)?\)/g, ""))

const isStreamOf = (method: Method, operation: string): boolean => method.name === `${operation}Stream`

interface Context {
  readonly root: string
  readonly all: ReadonlyArray<Operation>
  readonly methods: ReadonlyArray<Method>
}

const operationLines = (operation: Operation, { all, methods, root }: Context): ReadonlyArray<string> => {
  const endpoint = Endpoints.all.find(({ name }) => name === operation.name)
  const method = operation.name.split(".")[1] ?? ""
  const own = methods.find(({ name }) => name === method)
  if (endpoint === undefined || own === undefined) throw new Error(`${operation.name}: there is no method ${method}`)
  const properties: ReadonlyArray<readonly [string, string]> = [
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
    ...(endpoint.lookUp === undefined ? [] : [["After an unknown outcome", "`failure.lookUp` finds out"] as const]),
    ...optionRow("Pages", endpoint.paging, pagingOf),
    ...optionRow("Time", endpoint.historyWindow, windowOf),
    ["Evidence", evidenceOf(endpoint)]
  ]
  return [
    `## ${method}`,
    "",
    `\`${operation.name}\`${operation.deprecated ? ", deprecated" : ""}: ${prose(operation.summary)}.`,
    "",
    docText(own.doc),
    "",
    ...methods.filter((other) => isStreamOf(other, method)).map(({ doc, name }) => `- \`${name}\`: ${docText(doc)}`),
    ...properties.map(([name, text]) => `- **${name}**: ${text}`),
    "",
    ...parameterTable(operation.parameters),
    ...operation.rules.map(({ field, rule }) => `- \`${field}\`: ${rule}`),
    "",
    ...resultLines(operation, all),
    failuresOf(tagsOf(root, endpoint.safety === "read" ? "ReadFailure" : "WriteFailure")),
    "",
    ...exampleOf(operation, method)
  ]
}

// A method that is made of operations ---------------------------------------------------------------------------------

/** What a history takes instead of the times of one call. */
const rangeMembers = (root: string): ReadonlyArray<Member> =>
  typesOf(root, "packages/transport/src/Windows.ts").interfaces.get("HistoryRange") ?? []

/** The operation whose parameters a type is: `HistoryRequest` of `HistoryOf<Endpoints.ListRequest>` is that of `list`. */
const operationOfType = (type: string, operations: ReadonlyArray<Operation>): Operation | undefined => {
  const name = type.replace(/^Endpoints\./, "").replace(/Request$/, "")
  return operations.find((operation) => operation.name.split(".")[1]?.toLowerCase() === name.toLowerCase())
}

/** The parameters of the list that a history reads. */
const insideOf = (type: string, aliases: Types["aliases"]): string | undefined =>
  /^HistoryOf<(.*)>$/.exec(aliases.get(type) ?? "")?.[1]

const takesLines = (
  method: Method,
  operations: ReadonlyArray<Operation>,
  { aliases }: Types,
  root: string
): ReadonlyArray<string> =>
  method.parameters.flatMap(({ members, name, type }) => {
    if (members.length > 0) return [`**Options** (\`${name}\`)`, "", ...memberTable(members)]
    const inside = insideOf(type, aliases)
    const operation = operationOfType(inside ?? type, operations)
    if (operation === undefined) throw new Error(`${method.name}: it is not known what ${type} is`)
    const link = `[\`${operation.name}\`](${pageOf(operation.name)})`
    if (inside === undefined) return [`**Parameters**: those of ${link}.`, ""]
    const kept = operation.parameters.filter(({ path }) => !["startTime", "endTime", "cursor"].includes(path))
    return [
      `**Parameters**: ${kept.map(({ path }) => `\`${path}\``).join(", ")} as of ${link}, and the range:`,
      "",
      ...memberTable(rangeMembers(root))
    ]
  })

const emitsLines = (
  method: Method,
  operations: ReadonlyArray<Operation>,
  { aliases, interfaces }: Types
): ReadonlyArray<string> => {
  const emitted = /^Stream\.Stream<([^,]*), (.*)>$/.exec(method.returns)
  if (emitted === null) throw new Error(`${method.name}: it is not known what ${method.returns} is`)
  const [, row = ""] = emitted
  const members = interfaces.get(row)
  if (members !== undefined) return [`**Emits**, each a \`${row}\``, "", ...memberTable(members)]
  const [source] = method.parameters.flatMap(
    ({ type }) => operationOfType(insideOf(type, aliases) ?? type, operations) ?? []
  )
  if (source === undefined) throw new Error(`${method.name}: it is not known what ${row} is`)
  return [
    `**Emits**: rows of [\`${source.name}\`](${pageOf(source.name)}), as \`${row.replace("Endpoints.", "")}\`.`,
    ""
  ]
}

const methodLines = (method: Method, domain: string, operations: ReadonlyArray<Operation>, root: string) => {
  const types = typesOf(root, `packages/services/src/${domain}.ts`)
  const failures = /^Stream\.Stream<[^,]*, (.*)>$/.exec(method.returns)?.[1] ?? ""
  return [
    `## ${method.name}`,
    "",
    docText(method.doc),
    "",
    ...takesLines(method, operations, types, root),
    ...emitsLines(method, operations, types),
    failuresOf(tagsOf(root, failures)),
    ""
  ]
}

// Pages ---------------------------------------------------------------------------------------------------------------

const overviewRow = (endpoint: Endpoint.Any, link: string, summary: string): ReadonlyArray<string> => [
  link,
  summary,
  Option.match(endpoint.rateLimit, { onNone: () => "", onSome: shortLimit }),
  endpoint.safety
]

const enumerationLines = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const names = new Set(
    operations.flatMap(({ parameters, result }) =>
      [...parameters, ...result].flatMap(({ enumerations }) => enumerations)
    )
  )
  return names.size === 0
    ? []
    : [
        "## Enumerations",
        "",
        `The values of ${[...names]
          .sort()
          .map((name) => `[\`${name}\`](enumerations.md#${name.toLowerCase()})`)
          .join(", ")}. Other values are accepted too and returned verbatim: the service may add some.`,
        ""
      ]
}

const domainPage = (domain: string, all: ReadonlyArray<Operation>, root: string): ReadonlyArray<string> => {
  const operations = all.filter((operation) => operation.domain === domain)
  const endpoints = Endpoints.all.filter((endpoint) => endpoint.domain === domain)
  const methods = methodsOf(root, domain)
  const names = new Set(endpoints.map(({ name }) => name.split(".")[1] ?? ""))
  const made = methods.filter(
    (method) => !names.has(method.name) && ![...names].some((operation) => isStreamOf(method, operation))
  )
  return [
    notice,
    "",
    `# ${titleOf(domain)}`,
    "",
    `${prose(aboutOf(root, domain))} The service is \`${domain}.${domain}\` of \`@effect-venue/services/${domain}\`.`,
    "",
    "An instant is a `DateTime`, a `Date`, ISO text or milliseconds, a decimal `BigDecimal` or text. A field that may be absent is an `Option`. Amounts are never negative where the text does not say so.",
    "",
    ...table(
      ["Operation", "What it does", "Limit", "Safety"],
      [
        ...endpoints.map((endpoint) => {
          const method = endpoint.name.split(".")[1] ?? ""
          return overviewRow(endpoint, `[${method}](#${method.toLowerCase()})`, endpoint.summary)
        }),
        ...made.map(({ doc, name }) => [
          `[${name}](#${name.toLowerCase()})`,
          docText(doc)
            .split(/(?<=[^.]\.)\s/)[0]
            ?.replace(/\.$/, "") ?? "",
          "",
          ""
        ])
      ]
    ),
    ...operations.flatMap((operation) => operationLines(operation, { all, methods, root })),
    ...made.flatMap((method) => methodLines(method, domain, operations, root)),
    ...enumerationLines(operations)
  ]
}

const beside: ReadonlyArray<readonly [string, string]> = [
  ["Limits", "limits.md"],
  ["Return codes", "return-codes.md"],
  ["Enumerations", "enumerations.md"],
  ["Signing", "signing.md"],
  ["Responses and errors", "responses.md"],
  ["Contradictions", "contradictions.md"],
  ["Listed operations", "listed-operations.md"],
  ["Rules and their tests", "rules.md"],
  ["Other clients", "clients.md"]
]

const overview = (): ReadonlyArray<string> => [
  notice,
  "",
  "# The operations",
  "",
  `${Endpoints.all.length} operations: ${Endpoints.all.filter(({ evidence }) => evidence === "documented").length} documented, and ${Endpoints.all.filter(({ evidence }) => evidence === "listed").length} of which the document has [only the path](listed-operations.md). Every address may call 600 times in 5 seconds, whatever it calls; the limits here come on top.`,
  "",
  ...table(
    ["Operation", "What it does", "Limit", "Safety"],
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

/** Pages written by hand that say how many operations there are. */
const counts: ReadonlyArray<readonly [page: string, pattern: RegExp]> = [
  ["README.md", /(?<=\| )\d+(?= operations: )/],
  ["docs/reference/listed-operations.md", /(?<=^\d+ of the )\d+(?= operations )/m]
]

/** Brings the counts up to date, or with `check` does not; returns what is wrong. */
const bringCounts = (root: string, check: boolean): ReadonlyArray<string> =>
  counts.flatMap(([page, pattern]) => {
    const file = path.join(root, page)
    const text = fs.readFileSync(file, "utf8")
    if (!pattern.test(text)) return [`${page} does not say how many operations there are`]
    const wanted = text.replace(pattern, `${Endpoints.all.length}`)
    if (wanted === text) return []
    if (check) return [`${page} says another number of operations than ${Endpoints.all.length}`]
    fs.writeFileSync(file, wanted)
    return []
  })

/** Brings the pages up to date, or with `check` does not; returns what is wrong. */
export const run = async (
  root: string,
  check: boolean
): Promise<{ readonly wrong: ReadonlyArray<string>; readonly pages: number }> => {
  const all = operationsOf()
  const pages: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["README.md", overview()],
    ...domains.map((domain) => [fileOf(domain), domainPage(domain, all, root)] as const),
    ["limits.md", limitsPage()],
    ["return-codes.md", returnCodesPage()],
    ["enumerations.md", enumerationsPage(root)]
  ]
  const wrong = [...bringCounts(root, check)]
  for (const [name, lines] of pages) wrong.push(...(await bring(root, `${folder}/${name}`, lines, check)))
  return { wrong, pages: pages.length }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { pages, wrong } = await run(root, process.argv.includes("--check"))
  for (const problem of wrong) console.log(problem)
  console.log(`${Endpoints.all.length} operations on ${pages} pages`)
  if (wrong.length > 0) process.exitCode = 1
}
