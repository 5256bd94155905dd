import { evidenceOf, namesOf, specification } from "@effect-venue/testing/Specification"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option, Schema } from "effect"
import { readFileSync } from "node:fs"
import type * as Endpoint from "../src/endpoint/Endpoint.js"
import * as Endpoints from "../src/document/Endpoints.js"
import * as OpenApi from "../src/document/OpenApi.js"

interface Parameter {
  readonly name: string
  readonly description?: string
  readonly schema?: { readonly format?: unknown }
}

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: object
}

const operations = Object.values(
  OpenApi.make({ inline: true }).paths as Record<string, Record<string, Operation>>
).flatMap((path) => Object.values(path))

const documentOf = (name: string): Operation => {
  const operation = operations.find(({ operationId }) => operationId === name)
  if (operation === undefined) throw new Error(`${name} is not in the OpenAPI document`)
  return operation
}

const or = <A>(option: Option.Option<A>, show: (value: A) => string): string =>
  Option.match(option, { onNone: () => "", onSome: show })

const shown = (evidence: Endpoint.Evidence): ReadonlyArray<string> =>
  Endpoints.all.filter((endpoint) => endpoint.evidence === evidence).map(show)

const show = (endpoint: Endpoint.Any): string =>
  [
    endpoint.name,
    `${endpoint.method} ${endpoint.path}`,
    endpoint.signing,
    endpoint.envelope,
    or(endpoint.rateLimit, ({ assumed, count, scope, window }) => {
      const unit = Duration.toMillis(window) === 1000 ? "s" : Duration.toMillis(window) === 60_000 ? "min" : "?"
      const part = assumed === undefined ? "" : assumed === "spot" ? ", spot assumed" : ", assumed"
      return `${count}/${unit}${scope === "uid x category" ? " per category" : ""}${part}`
    }),
    endpoint.safety,
    or(endpoint.paging, ({ size, sizeParameter }) =>
      Option.match(size, {
        onNone: () => sizeParameter,
        onSome: (size) => `${sizeParameter} ${size.min}-${size.max} (${size.default})`
      })
    ),
    or(endpoint.paging, ({ cursor, cursorParameter, items }) => `${cursorParameter} <- ${cursor} of ${items}`),
    or(endpoint.historyWindow, ({ bounds: [open, close], from, reachBack, span, to, unit }) => {
      const longest = or(span, (span) => ` ${Duration.toDays(span)}d`)
      return `${open}${from}, ${to}${close} ${unit}${longest}${or(reachBack, (back) => ` back ${Duration.toDays(back)}d`)}`
    })
  ]
    .join(" | ")
    .replace(/[ |]+$/, "")

const specified = Object.entries(specification).map(([name, operation]) => ({
  name,
  line: `${name} | ${operation.is}`,
  evidence: evidenceOf(operation)
}))

const lines = (evidence: Endpoint.Evidence): ReadonlyArray<string> =>
  specified.flatMap((one) => (one.evidence === evidence ? [one.line] : []))

/** The sections of docs/reference/rules.md. */
const rules = JSON.parse(readFileSync(new URL("../../sandbox/test/rules/rules.json", import.meta.url), "utf8")) as {
  readonly sections: ReadonlyArray<{ readonly title: string; readonly rules: object }>
}

const sectionOf = (name: string): string => {
  const section = rules.sections.find(({ rules }) => Object.keys(rules).some((rule) => rule.startsWith(`${name}/`)))
  const heading = (section?.title ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-")
  return `docs/reference/rules.md#${heading}`
}

const documented = Endpoints.all.filter(({ evidence }) => evidence === "documented")

describe("the operations", () => {
  it("include those that the service's document describes", () => {
    expect([...shown("documented")].sort()).toStrictEqual([...lines("documented")].sort())
  })

  it("include the operations of which the document contains only the path, or neither path nor payload", () => {
    for (const evidence of ["path documented", "undocumented"] as const) {
      expect([...shown(evidence)].sort()).toStrictEqual([...lines(evidence)].sort())
    }
    for (const { evidence, source } of Endpoints.all) {
      const page = evidence === "documented" ? "rules" : "listed-operations"
      expect(source).toMatch(new RegExp(`^docs/reference/${page}\\.md(#|$)`))
    }
  })

  it("have no documented limit for spot, and none at all without a documented path", () => {
    for (const { evidence, name, rateLimit } of Endpoints.all) {
      const { parameters, requestBody } = documentOf(name)
      const acceptsSpot = JSON.stringify([parameters, requestBody]).includes('"spot"')
      const assumed = Option.map(rateLimit, (limit) => limit.assumed)
      const expected = Option.map(rateLimit, ({ scope }) =>
        evidence === "undocumented" ? "all" : scope === "uid x category" && acceptsSpot ? "spot" : undefined
      )
      expect({ name, assumed }).toStrictEqual({ name, assumed: expected })
    }
  })

  it("are upgradable, urgent and extended according to the document", () => {
    const named = (which: (endpoint: Endpoint.Any) => boolean) =>
      Endpoints.all
        .filter(which)
        .map(({ name }) => name)
        .sort()
    const batches = ["orders.amendBatch", "orders.cancelBatch", "orders.createBatch"]
    expect(named(({ rateLimit }) => Option.exists(rateLimit, ({ upgradable }) => upgradable === true))).toStrictEqual(
      ["orders.amend", "orders.cancel", "orders.create", ...batches].sort()
    )
    expect(named(({ urgent }) => urgent === true)).toStrictEqual([
      "orders.amend",
      "orders.amendBatch",
      "orders.cancel",
      "orders.cancelAll",
      "orders.cancelBatch"
    ])
    expect(named(({ extended }) => extended === true)).toStrictEqual(batches)
    expect(named(({ cost }) => cost !== undefined)).toStrictEqual(batches)
  })

  it("include one deprecated operation", () => {
    expect(Endpoints.all.filter(({ deprecated }) => deprecated).map(({ name }) => name)).toStrictEqual([
      "positions.setRiskLimit"
    ])
  })

  it("each cite the section of the rules that describes them", () => {
    const sections = namesOf("documented").map((name) => [name, sectionOf(name)])
    expect(documented.map(({ name, source }) => [name, source]).sort()).toStrictEqual(sections.sort())
  })

  it("have names that begin with their domain", () => {
    for (const { domain, name } of Endpoints.all) {
      expect(name).toMatch(new RegExp(`^${domain.charAt(0).toLowerCase()}${domain.slice(1)}\\.[a-z][A-Za-z]*$`))
    }
    expect(new Set(Endpoints.all.map(({ domain }) => domain)).size).toBe(8)
  })

  it("have a summary of one line", () => {
    expect(new Set(Endpoints.all.map(({ summary }) => summary)).size).toBe(Endpoints.all.length)
    for (const { summary } of Endpoints.all) expect(summary).toMatch(/^[A-Z][^\n]*[^.\n]$/)
  })
})

describe("a time range", () => {
  const ranged = Endpoints.all.flatMap((endpoint) =>
    Option.match(endpoint.historyWindow, { onNone: () => [], onSome: (window) => [{ ...window, name: endpoint.name }] })
  )
  /** The query parameters of an operation that are instants, except that of the signature. */
  const instantsOf = (name: string) =>
    (documentOf(name).parameters ?? []).filter(
      ({ name, schema }) => name !== "timestamp" && String(schema?.format).startsWith("unix-")
    )

  it("belongs to every operation with an instant among its parameters", () => {
    const having = Endpoints.all.filter(({ name }) => instantsOf(name).length > 0)
    expect(having.map(({ name }) => name)).toStrictEqual(ranged.map(({ name }) => name))
  })

  it.each(ranged)("of $name is described by its parameters as $bounds", ({ bounds, from, name, to }) => {
    const [open, close] = bounds
    const parameters = instantsOf(name)
    const inCamel = parameters.map((parameter) => parameter.name.replace("_t", "T"))
    expect(inCamel).toStrictEqual([from, to])
    const [first = "", last = ""] = parameters.map(({ description }) => description)
    expect(first).toMatch(open === "[" ? /\bat or after this instant\b/ : /^(?!.*at or).*\bafter this instant\b/)
    expect(last).toMatch(close === "]" ? /\bat or before this instant\b/ : /^(?!.*at or).*\bbefore this instant\b/)
  })
})

describe("a page", () => {
  const category = (name: string) =>
    /^(orders|positions|executions|instruments)\./.test(name) ? { category: "spot" } : {}
  const contract = (name: string) =>
    name === "positions.preUpgradeClosedPnl" || name === "positions.closedPnl" ? { category: "linear" } : category(name)
  const paged = Endpoints.all.flatMap((endpoint) =>
    Option.match(endpoint.paging, { onNone: () => [], onSome: (paging) => [{ endpoint, paging }] })
  )

  it.each(paged.map(({ endpoint, paging }) => [endpoint.name, endpoint, paging] as const))(
    "of %s has the cursor and size parameters of its paging, within its bounds",
    (name, { request }, { cursorParameter, size, sizeParameter }) => {
      const send = (parameters: object) =>
        Schema.encodeUnknownEither(request, { onExcessProperty: "error" })({ ...contract(name), ...parameters })._tag
      const { max, min } = Option.getOrElse(size, () => ({ min: 1, max: 1_000_000 }))
      expect(send({ [cursorParameter]: "c", [sizeParameter]: min })).toBe("Right")
      expect(send({ [sizeParameter]: max })).toBe("Right")
      // A size without documented bounds has none.
      const beyond = Option.isSome(size) ? "Left" : "Right"
      expect(send({ [sizeParameter]: min - 1 })).toBe(beyond)
      expect(send({ [sizeParameter]: max + 1 })).toBe(beyond)
    }
  )
})
