import { specification } from "@effect-venue/testing/Specification"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option, Schema } from "effect"
import type * as Endpoint from "../src/Endpoint.js"
import * as Endpoints from "../src/Endpoints.js"

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
    or(endpoint.rateLimit, ({ count, scope, window }) => {
      const unit = Duration.toMillis(window) === 1000 ? "s" : Duration.toMillis(window) === 60_000 ? "min" : "?"
      return `${count}/${unit}${scope === "uid x category" ? " per category" : ""}`
    }),
    endpoint.safety,
    or(endpoint.paging, ({ size, sizeParameter }) =>
      Option.match(size, {
        onNone: () => sizeParameter,
        onSome: (size) => `${sizeParameter} ${size.min}-${size.max} (${size.default})`
      })
    ),
    or(endpoint.paging, ({ cursor, cursorParameter, items }) => `${cursorParameter} <- ${cursor} of ${items}`),
    or(endpoint.historyWindow, ({ from, reachBack, span, to, unit }) => {
      const bounds = or(span, (span) => ` ${Duration.toDays(span)}d`)
      return `${from}-${to} ${unit}${bounds}${or(reachBack, (back) => ` back ${Duration.toDays(back)}d`)}`
    })
  ]
    .join(" | ")
    .replace(/[ |]+$/, "")

const specified = Object.entries(specification).map(([name, { is, parameters }]) => ({
  name,
  line: `${name} | ${is}`,
  evidence: parameters === undefined ? "listed" : "documented"
}))

const lines = (evidence: Endpoint.Evidence): ReadonlyArray<string> =>
  specified.flatMap((one) => (one.evidence === evidence ? [one.line] : []))

const documented = Endpoints.all.filter(({ evidence }) => evidence === "documented")

describe("the operations", () => {
  it("include the 25 operations that the service's document describes", () => {
    expect(lines("documented")).toHaveLength(25)
    expect([...shown("documented")].sort()).toStrictEqual([...lines("documented")].sort())
  })

  it("include the operations that the document only lists", () => {
    expect([...shown("listed")].sort()).toStrictEqual([...lines("listed")].sort())
    for (const { evidence, source } of Endpoints.all) {
      const page = evidence === "listed" ? "listed-operations" : "rules"
      expect(source).toMatch(new RegExp(`^docs/reference/${page}\\.md(#|$)`))
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

  it("each cite a different section of the rules", () => {
    const order = specified.flatMap(({ evidence, name }) => (evidence === "documented" ? [name] : []))
    const sources = Object.fromEntries(documented.map(({ name, source }) => [name, source]))
    const sections = order.map((name) => /#(\d+)-/.exec(sources[name] ?? "")?.[1])
    expect(sections).toStrictEqual(order.map((_, index) => `${index + 1}`))
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
      expect(send({ [sizeParameter]: min - 1 })).toBe("Left")
      if (Option.isSome(size)) expect(send({ [sizeParameter]: max + 1 })).toBe("Left")
    }
  )
})
