/** The pages of tables: limits, return codes, enumerations. */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { enumerationsOf } from "./docblocks.js"
import { operationsOf } from "./document.js"
import { linkOf, notice, pageOf, table } from "./markdown.js"

const operations = operationsOf()

const thousands = (count: number): string => count.toLocaleString("en-US")

const perWindow = (count: number, window: Duration.Duration): string =>
  `${thousands(count)} in ${Duration.format(window).replace(/^1s$/, "1 s").replace(/^1m$/, "1 min")}`

/** Links to an operation from a page in the same folder. */
const linkTo = (name: string): string => `[\`${name}\`](${pageOf(name)})`

const levels = (title: string, of: { readonly [level: string]: number }): ReadonlyArray<string> => [
  `**${title}**`,
  "",
  ...table(
    ["Level", "Calls a second"],
    Object.entries(of).map(([level, count]) => [level, thousands(count)])
  )
]

/** The assumed parts of limits. */
export const assumptions: { readonly [A in NonNullable<Endpoint.RateLimit["assumed"]>]: string } = {
  spot: "assumed for spot",
  all: "assumed"
}

const addressLimits = (): ReadonlyArray<string> => [
  "## Of an address",
  "",
  ...table(
    ["What", "Limit"],
    [
      [
        "HTTP requests, over all traffic to the host",
        `${thousands(DocumentedLimits.perIp.count)} in 5 s; then HTTP 403 and a ban of at least 10 minutes`
      ],
      ["New stream connections", `${thousands(DocumentedLimits.perStream.count)} in 5 minutes`],
      ["Open stream connections for market data", thousands(DocumentedLimits.perStream.open)]
    ]
  ),
  "Stream connections are counted separately for spot, linear and inverse: the open ones by the document,",
  "[the new ones by this library's reading of it](contradictions.md#stream-connections-of-each-category).",
  ""
]

const uidLimits = (): ReadonlyArray<string> => [
  "## Of a UID",
  "",
  "Windows are rolling. With _per category_, each category has a separate limit. An operation that is not listed has no documented limit.",
  "_More on request_: one of the levels below can grant more. _Assumed_: the document does not state it, so the library and the sandbox",
  "[use the same limit](contradictions.md#limits-of-spot-and-of-batches).",
  "",
  ...table(
    ["Operation", "Limit", "Per category", "More on request", "Assumed"],
    Endpoints.all.flatMap((endpoint) =>
      Option.match(endpoint.rateLimit, {
        onNone: () => [],
        onSome: ({ assumed, count, scope, upgradable, window }) => [
          [
            linkTo(endpoint.name),
            perWindow(count, window),
            scope === "uid x category" ? "yes" : "",
            upgradable === true ? "yes" : "",
            assumed === undefined ? "" : assumptions[assumed]
          ]
        ]
      })
    )
  )
]

const upperLimits = (): ReadonlyArray<string> => [
  "## Upper limits",
  "",
  'They are granted on request, not automatically. A program names its level: `Limits.accountLevel("VIP 2")`.',
  "",
  ...levels("Of an account, on futures", DocumentedLimits.accountLevels),
  ...levels("Of a UID, on futures and on spot", DocumentedLimits.uidLevels),
  ...levels("Of a master account with its sub-accounts, on futures and on spot", DocumentedLimits.masterLevels)
]

const pageLimits = (): ReadonlyArray<string> => [
  "## Pages and windows",
  "",
  "_Source_ is named if it is not the service's document. Only a unified account reaches back 730 days.",
  "",
  ...table(
    ["Operation", "Rows of a page", "Window of one call", "Kept for", "Source"],
    Endpoints.all.flatMap((endpoint) => {
      const limits = [
        rowsOf(endpoint),
        daysOf(Option.flatMap(endpoint.historyWindow, ({ span }) => span)),
        daysOf(Option.flatMap(endpoint.historyWindow, ({ reachBack }) => reachBack))
      ]
      if (limits.every((limit) => limit === "")) return []
      const source = endpoint.evidence === "documented" ? "" : `[public page](${linkOf(endpoint.source)})`
      return [[linkTo(endpoint.name), ...limits, source]]
    })
  )
]

/** docs/reference/limits.md */
export const limitsPage = (): ReadonlyArray<string> => [
  notice,
  "",
  "# Limits",
  "",
  "The limits of the service. Each is from the service's document, except those that are marked as assumed or as from another source. How the",
  "library enforces them: [Rate limits and bans](../rate-limits.md).",
  "",
  ...addressLimits(),
  ...uidLimits(),
  ...upperLimits(),
  "## Batches",
  "",
  "1 to 20 orders in a call. A batch counts as its number of orders. Beyond the limit, the first orders are executed and the rest are refused one",
  "by one.",
  "",
  ...pageLimits(),
  "## Others",
  "",
  "- `orders.cancelAll` cancels at most 500 orders of contracts in a call, picked at random when there are more.",
  "- `orders.open` with `openOnly: 1` keeps the latest 500 closed orders of each category.",
  "- An amount of margin has at most 4 decimals, a remark of a withdrawal at most 50 characters, a `requestId` 1 to 64."
]

/** The bounds of a page size. A list without a cursor has them too. */
const rowsOf = ({ name, paging }: Endpoint.Any): string => {
  const sizeParameter = Option.match(paging, { onNone: () => "limit", onSome: ({ sizeParameter }) => sizeParameter })
  const parameters = operations.find((operation) => operation.name === name)?.parameters ?? []
  const rules = parameters.find(({ path }) => path === sizeParameter)?.rules.join(", ") ?? ""
  return /^\d+ to \d+, defaults to/.test(rules) ? rules.replace("defaults to", "by default") : ""
}

const daysOf = (duration: Option.Option<Duration.Duration>): string =>
  Option.match(duration, { onNone: () => "", onSome: (length) => `${Duration.toDays(length)} days` })

const failureOf: { readonly [family: string]: string } = {
  auth: "`Unauthorized`",
  permission: "`Unauthorized`",
  timestamp: "`ClockSkew`",
  ipBan: "`Banned`",
  rateLimit: "`RateLimited`",
  unavailable: "`Unavailable`",
  invalidRequest: "`Rejected`, `InvalidRequest`",
  notFound: "`Rejected`, `NotFound`",
  insufficientBalance: "`Rejected`, `InsufficientBalance`",
  duplicate: "`Rejected`, `Duplicate`",
  orderState: "`Rejected`, `OrderState`",
  positionState: "`Rejected`, `PositionState`",
  riskLimit: "`Rejected`, `RiskLimit`",
  unknown: "`Rejected`, `Unknown`"
}

/** docs/reference/return-codes.md */
export const returnCodesPage = (): ReadonlyArray<string> => {
  const codes = Array.from(ReturnCodes.table.values()).sort((a, b) => a.code - b.code)
  const families = [...new Set(codes.map(({ family }) => family))].sort()
  const missing = families.filter((family) => failureOf[family] === undefined)
  if (missing.length > 0) throw new Error(`no failure is known for ${missing.join(", ")}`)
  return [
    notice,
    "",
    "# Return codes",
    "",
    `${codes.length} codes, ${codes.filter(({ onServicePage }) => onServicePage).length} of them on the service's page; the others are known from services with the same interface. Code 0 is success.`,
    "",
    "## Families",
    "",
    "A family is this library's classification. It decides which failure a code becomes. A code that the table lacks is `Rejected` with the",
    "reason `Unknown`.",
    "",
    ...table(
      ["Family", "Codes", "Failure"],
      families.map((family) => [
        `\`${family}\``,
        String(codes.filter((code) => code.family === family).length),
        failureOf[family] ?? ""
      ])
    ),
    "## Codes",
    "",
    "_Executed_: `no` proves that a write was not executed. After `unknown` a write fails with `OutcomeUnknown`, or is looked up.",
    "_No change_: the state that was asked for was in force already.",
    "",
    ...table(
      ["Code", "Meaning", "Family", "Executed", "On the service's page"],
      codes.map(({ code, executed, family, meaning, noChange, onServicePage }) => [
        String(code),
        `${meaning}${noChange ? " (no change)" : ""}`,
        `\`${family}\``,
        executed,
        onServicePage ? "yes" : ""
      ])
    )
  ]
}

const isEnumeration = (value: unknown): value is { readonly known: ReadonlyArray<string | number> } =>
  typeof value === "function" && "known" in value

/** docs/reference/enumerations.md */
export const enumerationsPage = (): ReadonlyArray<string> => {
  const documented = enumerationsOf()
  for (const [name, value] of Object.entries(Enumerations)) {
    const missing = isEnumeration(value)
      ? value.known.filter((known) => !(documented.get(name) ?? []).some((row) => row.value === String(known)))
      : []
    if (missing.length > 0) throw new Error(`${name}: no meaning is documented of ${missing.join(", ")}`)
  }
  return [
    notice,
    "",
    "# Enumerations",
    "",
    `${documented.size} enumerations. All are open: the service can add values, and unknown values are returned verbatim, as branded text: \`isKnown\` tells them apart, and \`Enumerations.Side.make(text)\` makes the type of a text that is known only at run time.`,
    "",
    ...[...documented].flatMap(([name, values]) => [
      `## ${name}`,
      "",
      ...table(
        ["Value", "Meaning"],
        values.map(({ meaning, value }) => [`\`${value}\``, meaning])
      )
    ])
  ]
}
