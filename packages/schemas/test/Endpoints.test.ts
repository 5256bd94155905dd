import { describe, expect, it } from "@effect/vitest"
import { Duration, Option, Schema } from "effect"
import type * as Endpoint from "../src/Endpoint.js"
import * as Endpoints from "../src/Endpoints.js"

// Written by hand from the service's document, one line per operation:
// name | method path | signing | envelope | limit | safety | page size and its parameter | cursor | history window
const specification = `
orders.open                   | GET /cloud/trade/v3/order/realtime                           | header    | standard | 10/s per category | read       | limit 1-50 (20)      | cursor <- nextPageCursor of list  |
assets.deposits               | GET /private/v1/asset/deposit/query-record                   | parameter | legacy   | 300/min           | read       | pageSize 1-50 (20)   | cursor <- cursor of rows          | startTime-endTime s
assets.coins                  | GET /private/v1/asset/coin/query-info                        | parameter | legacy   | 5/s               | read       |                      |                                   |
assets.bonusUsage             | GET /private/v1/asset/bonus/usage                            | parameter | legacy   | 60/min            | read       |                      |                                   | startTime-endTime s
positions.list                | GET /cloud/trade/v3/position/list                            | header    | standard | 10/s per category | read       | limit 1-200 (20)     | cursor <- nextPageCursor of list  |
positions.addMargin           | POST /cloud/trade/v3/position/add-margin                     | header    | standard |                   | write      |                      |                                   |
positions.setTradingStop      | POST /cloud/trade/v3/position/trading-stop                   | header    | standard | 10/s per category | write      |                      |                                   |
assets.transfers              | GET /private/v1/asset/transfer/list                          | parameter | standard |                   | read       | limit 1-50 (10)      | cursor <- cursor of list          | startTime-endTime s
executions.list               | GET /cloud/trade/v3/execution/list                           | header    | standard | 10/s per category | read       | limit 1-100 (50)     | cursor <- nextPageCursor of list  | startTime-endTime ms 7d back 730d
executions.preUpgrade         | GET /cloud/trade/v3/pre-upgrade/execution/list               | header    | standard |                   | read       | limit 1-100 (50)     | cursor <- nextPageCursor of list  | startTime-endTime ms 7d
instruments.list              | GET /cloud/trade/v3/market/instruments-info                  | public    | standard |                   | read       | limit 1-1000 (500)   | cursor <- nextPageCursor of list  |
positions.preUpgradeClosedPnl | GET /cloud/trade/v3/pre-upgrade/position/closed-pnl          | header    | standard |                   | read       | limit 1-100 (50)     | cursor <- nextPageCursor of list  | startTime-endTime ms 7d
orders.amend                  | POST /cloud/trade/v3/order/amend                             | header    | standard | 10/s per category | write      |                      |                                   |
assets.subAccountTransfers    | GET /private/v1/asset/sub-member/transfer/list               | parameter | bare |                   | read       | limit                | cursor <- cursor of list          | startTime-endTime s
assets.withdrawInternal       | POST /private/v1/asset/withdraw/inner-create                 | parameter | standard | 1/s               | idempotent |                      |                                   |
assets.transfer               | POST /private/v1/asset/transfer/single-account-transfer      | parameter | legacy   | 1/s               | idempotent |                      |                                   |
assets.fundingAssets          | GET /cloud/trade/v3/asset/transfer/query-asset-info          | parameter | standard |                   | read       |                      |                                   |
orders.cancelAll              | POST /cloud/trade/v3/order/cancel-all                        | header    | standard | 10/s per category | write      |                      |                                   |
assets.transferableCoins      | GET /private/v1/asset/transfer/query-coins                   | parameter | legacy   | 60/min            | read       |                      |                                   |
broker.customers              | GET /private/v1/broker/query-direct-user-list                | parameter | legacy   | 5/s               | read       |                      |                                   |
apiLimits.set                 | POST /cloud/trade/v3/apilimit/set                            | header    | standard | 50/s              | write      |                      |                                   |
apiLimits.query               | GET /cloud/trade/v3/apilimit/query                           | header    | standard | 50/s              | read       |                      |                                   |
broker.tradeVolume            | GET /private/v1/broker/trade-volume                          | parameter | legacy   | 5/s               | read       | limit 1-50 (20)      | cursor <- nextCursor of list      | from-to ms
account.walletBalance         | GET /cloud/trade/v3/account/wallet-balance                   | header    | standard | 10/s              | read       |                      |                                   |
positions.setRiskLimit        | POST /cloud/trade/v3/position/set-risk-limit                 | header    | standard | 10/s per category | write      |                      |                                   |
`

// The same for those of which the document has the path alone (docs/reference/listed-operations.md).
const listed = `
orders.create                 | POST /cloud/trade/v3/order/create                            | header    | standard | 10/s per category | write      |                      |                                   |
orders.cancel                 | POST /cloud/trade/v3/order/cancel                            | header    | standard | 10/s per category | write      |                      |                                   |
orders.history                | GET /cloud/trade/v3/order/history                            | header    | standard | 10/s per category | read       | limit 1-50 (20)      | cursor <- nextPageCursor of list  | startTime-endTime ms 7d back 730d
positions.setLeverage         | POST /cloud/trade/v3/position/set-leverage                   | header    | standard | 10/s per category | write      |                      |                                   |
positions.setTpslMode         | POST /cloud/trade/v3/position/set-tpsl-mode                  | header    | standard | 10/s per category | write      |                      |                                   |
positions.closedPnl           | GET /cloud/trade/v3/position/closed-pnl                      | header    | standard | 10/s per category | read       | limit 1-100 (50)     | cursor <- nextPageCursor of list  | startTime-endTime ms 7d back 730d
positions.confirmNewRiskLimit | POST /cloud/trade/v3/position/confirm-pending-mmr            | header    | standard |                   | write      |                      |                                   |
account.feeRate               | GET /cloud/trade/v3/account/fee-rate                         | header    | standard | 10/s              | read       |                      |                                   |
orders.createBatch            | POST /cloud/trade/v3/order/create-batch                      | header    | standard | 10/s per category | write      |                      |                                   |
orders.amendBatch             | POST /cloud/trade/v3/order/amend-batch                       | header    | standard | 10/s per category | write      |                      |                                   |
orders.cancelBatch            | POST /cloud/trade/v3/order/cancel-batch                      | header    | standard | 10/s per category | write      |                      |                                   |
`

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
  ].join(" | ")

const lines = (table: string): ReadonlyArray<string> =>
  table
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .join(" | ")
    )

const documented = Endpoints.all.filter(({ evidence }) => evidence === "documented")

describe("the operations", () => {
  it("are the 25 of the service's document", () => {
    expect(lines(specification)).toHaveLength(25)
    expect([...shown("documented")].sort()).toStrictEqual([...lines(specification)].sort())
  })

  it("and those that it only lists", () => {
    expect([...shown("listed")].sort()).toStrictEqual([...lines(listed)].sort())
    expect(Endpoints.all).toHaveLength(25 + lines(listed).length)
    for (const { evidence, source } of Endpoints.all) {
      const page = evidence === "listed" ? "listed-operations" : "rules"
      expect(source.startsWith(`docs/reference/${page}.md#`)).toBe(true)
    }
  })

  it("may be granted more calls, go first and bring their ext info where the document says so", () => {
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

  it("one of them is deprecated", () => {
    expect(Endpoints.all.filter(({ deprecated }) => deprecated).map(({ name }) => name)).toStrictEqual([
      "positions.setRiskLimit"
    ])
  })

  it("point at the section of the rules that they come from, one each", () => {
    const order = lines(specification).map((line) => line.split(" | ")[0])
    const sources = Object.fromEntries(documented.map(({ name, source }) => [name, source]))
    const sections = order.map((name) => /#(\d+)-/.exec(sources[name ?? ""] ?? "")?.[1])
    expect(sections).toStrictEqual(order.map((_, index) => `${index + 1}`))
  })

  it("are named after their domain", () => {
    for (const { domain, name } of Endpoints.all) {
      expect(name).toMatch(new RegExp(`^${domain.charAt(0).toLowerCase()}${domain.slice(1)}\\.[a-z][A-Za-z]*$`))
    }
    expect(new Set(Endpoints.all.map(({ domain }) => domain)).size).toBe(8)
  })

  it("say in a line what they do", () => {
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
    "of %s is asked for by the parameters that its paging names, within the bounds that it names",
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
