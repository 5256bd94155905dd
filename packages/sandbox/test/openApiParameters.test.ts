/**
 * The parameters of openapi.json, compared with the tables of the interface document: what is required, closed lists, bounds, defaults,
 * lengths and patterns. Written out by hand: what the product says of its endpoints has no say here.
 */
import * as OpenApi from "@effect-venue/schemas/OpenApi"
import { describe, expect, it } from "@effect/vitest"
import * as Rules from "./rules/utils.js"

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is looked at as it is
type Any = any

interface Parameter {
  readonly required?: true
  readonly enum?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly minItems?: number
  readonly maxItems?: number
}

const free: Parameter = {}
const given: Parameter = { required: true }
const decimal: Parameter = { pattern: String.raw`^(0|[1-9]\d*)(\.\d+)?$`, format: "decimal" }
const milliseconds: Parameter = { format: "unix-milliseconds" }
const seconds: Parameter = { format: "unix-seconds" }
const required = (parameter: Parameter): Parameter => ({ ...parameter, required: true })
const oneOf = (...values: ReadonlyArray<unknown>): Parameter => ({ enum: values })
const page = (maximum: number, usual: number): Parameter => ({ minimum: 1, maximum, default: usual })

const category = required(oneOf("spot", "linear", "inverse"))
const contracts = required(oneOf("linear", "inverse"))
const triggerBy = oneOf("LastPrice", "IndexPrice", "MarkPrice")
const mode = oneOf("Full", "Partial")
const orderType = { ...oneOf("Market", "Limit"), default: "Market" }
const commas: Parameter = { pattern: "^[^,]+(,[^,]+)*$", format: "comma-separated" }
const positionIdx = oneOf(0, 1, 2)
const range = { startTime: milliseconds, endTime: milliseconds }
const rangeOfSeconds = { startTime: seconds, endTime: seconds }

const tables: Partial<Readonly<Record<Rules.Operation, Readonly<Record<string, unknown>>>>> = {
  "orders.open": {
    category,
    symbol: free,
    baseCoin: free,
    settleCoin: free,
    orderId: free,
    orderLinkId: free,
    openOnly: { ...oneOf(0, 1), default: 0 },
    orderFilter: oneOf("Order", "StopOrder", "tpslOrder"),
    limit: page(50, 20),
    cursor: free
  },
  "assets.deposits": {
    type: { ...oneOf(0, 1, 2), default: 0 },
    chain: free,
    coin: free,
    txId: free,
    ...rangeOfSeconds,
    pageSize: page(50, 20),
    cursor: free
  },
  "assets.coins": { coin: free },
  "assets.bonusUsage": {
    coin: required(oneOf("USDT")),
    awardType: oneOf(1, 2),
    ...rangeOfSeconds,
    limit: page(50, 10)
  },
  "positions.list": { category, symbol: free, baseCoin: free, settleCoin: free, limit: page(200, 20), cursor: free },
  "positions.addMargin": {
    category,
    symbol: given,
    margin: { required: true, pattern: String.raw`^-?(0|[1-9]\d*)(\.\d{1,4}0*)?$`, format: "decimal" },
    positionIdx
  },
  "positions.setTradingStop": {
    category,
    symbol: given,
    tpslMode: mode,
    takeProfit: decimal,
    stopLoss: decimal,
    trailingStop: decimal,
    tpTriggerBy: triggerBy,
    slTriggerBy: triggerBy,
    activePrice: decimal,
    tpSize: decimal,
    slSize: decimal,
    tpLimitPrice: decimal,
    slLimitPrice: decimal,
    tpOrderType: orderType,
    slOrderType: orderType,
    positionIdx: required(positionIdx)
  },
  "assets.transfers": {
    transferId: free,
    coin: free,
    status: free,
    ...rangeOfSeconds,
    limit: page(50, 10),
    cursor: free
  },
  "executions.list": {
    category,
    symbol: free,
    orderId: free,
    ...range,
    execType: free,
    limit: page(100, 50),
    cursor: free
  },
  "executions.preUpgrade": { category, symbol: free, ...range, execType: free, limit: page(100, 50), cursor: free },
  "instruments.list": {
    category,
    symbol: free,
    status: free,
    baseCoin: free,
    limit: page(1000, 500),
    cursor: free
  },
  // The table requires a symbol that its example omits: nothing is refused for the want of it.
  "positions.preUpgradeClosedPnl": { category: contracts, symbol: free, ...range, limit: page(100, 50), cursor: free },
  "orders.amend": {
    category,
    symbol: given,
    orderId: free,
    orderLinkId: free,
    orderIv: decimal,
    triggerPrice: decimal,
    qty: decimal,
    price: decimal,
    tpslMode: mode,
    takeProfit: decimal,
    stopLoss: decimal,
    tpTriggerBy: triggerBy,
    slTriggerBy: triggerBy,
    triggerBy,
    tpLimitPrice: decimal,
    slLimitPrice: decimal,
    // An order keeps its own where they are left out.
    tpOrderType: oneOf("Market", "Limit"),
    slOrderType: oneOf("Market", "Limit")
  },
  "assets.subAccountTransfers": {
    transfer_id: free,
    coin: free,
    status: free,
    start_time: seconds,
    end_time: seconds,
    direction: expect.anything(),
    limit: { minimum: 1 },
    cursor: { default: "" }
  },
  "assets.withdrawInternal": {
    requestId: { required: true, minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9]*$" },
    coin: given,
    addressType: required(oneOf(1, 2, 3)),
    areaCode: expect.anything(),
    address: given,
    amount: required(decimal),
    remark: { maxLength: 50 }
  },
  "assets.transfer": {
    requestId: { required: true, format: "uuid", minLength: 36, maxLength: 36 },
    coin: given,
    amount: required(decimal),
    fromAccountType: given,
    toAccountType: given
  },
  "assets.fundingAssets": { accountType: required(oneOf("FUND", "SPOT")), coin: free },
  "orders.cancelAll": {
    category,
    symbol: free,
    baseCoin: { minLength: 1, pattern: "^[^a-z]*$" },
    settleCoin: free,
    // The default is that of spot.
    orderFilter: { ...oneOf("Order", "StopOrder", "tpslOrder"), default: "Order" },
    stopOrderType: oneOf("Stop")
  },
  "assets.transferableCoins": { fromAccountType: given, toAccountType: given },
  "broker.customers": { begin: seconds, end: seconds },
  "apiLimits.set": { list: given },
  // The table names it in the singular, the example in the plural.
  "apiLimits.query": { uid: commas, uids: commas },
  "broker.tradeVolume": {
    from: milliseconds,
    to: milliseconds,
    uid: free,
    cursor: free,
    limit: page(50, 20),
    productType: { ...oneOf("ALL", "SPOT", "DERIVATIVES"), default: "ALL" },
    contractType: oneOf("LinearPerpetual", "InversePerpetual", "LinearFutures", "InverseFutures"),
    coin: free
  },
  "account.walletBalance": { accountType: given, coin: commas },
  "positions.setRiskLimit": { category: contracts, symbol: given, riskId: { required: true, minimum: 0 }, positionIdx }
}

const document: Any = OpenApi.make()
const signature = new Set(["api_key", "timestamp", "recv_window", "sign"])

const variantsOf = (schema: Any): ReadonlyArray<Any> =>
  schema.properties !== undefined
    ? [schema]
    : [schema.anyOf, schema.allOf].flatMap((some) => (some ?? []).flatMap(variantsOf))

const sorted = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  values.toSorted((one, other) => String(one).localeCompare(String(other)))

const limitsOf = (schemas: ReadonlyArray<Any>, isRequired: boolean): Readonly<Record<string, unknown>> => {
  const found: Record<string, unknown> = isRequired ? { required: true } : {}
  const fields = [
    "minimum",
    "maximum",
    "default",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems"
  ]
  for (const schema of schemas) {
    for (const field of fields) if (schema[field] !== undefined) found[field] = schema[field]
  }
  const values = Rules.distinct(schemas.flatMap((schema) => schema.enum ?? []))
  if (values.length > 0) found.enum = sorted(values)
  // Text that is not empty says nothing that its being there does not.
  if (found.minLength === 1 && Object.keys(found).every((field) => ["minLength", "required"].includes(field))) {
    delete found.minLength
  }
  return found
}

const parametersOf = (operation: Rules.Operation): Readonly<Record<string, Readonly<Record<string, unknown>>>> => {
  const [method, path] = Rules.operations[operation]
  const described: Any = document.paths[path][method.toLowerCase()]
  const body: Any = described.requestBody?.content["application/json"].schema
  if (body === undefined) {
    const own = described.parameters.filter(({ name }: Any) => name !== undefined && !signature.has(name))
    return Object.fromEntries(own.map((one: Any) => [one.name, limitsOf([one.schema], one.required)]))
  }
  const variants = variantsOf(body).filter(({ properties }) => properties.sign === undefined)
  const names = Rules.distinct(variants.flatMap(({ properties }) => Object.keys(properties)))
  return Object.fromEntries(
    names.map((name) => [
      name,
      limitsOf(
        variants.flatMap(({ properties }) => properties[name] ?? []),
        variants.every((variant) => variant.required?.includes(name) === true)
      )
    ])
  )
}

const expected = (parameter: unknown): unknown =>
  typeof parameter === "object" && parameter !== null && "enum" in parameter && Array.isArray(parameter.enum)
    ? { ...parameter, enum: sorted(parameter.enum) }
    : parameter

describe("the parameters of openapi.json", () => {
  it("are compared for every operation that the document describes", () => {
    const listed = Rules.names.filter((operation) => tables[operation] === undefined)
    expect(Rules.distinct(listed.map((operation) => operation.split(".")[0]))).toEqual([
      "orders",
      "positions",
      "account"
    ])
    expect(Rules.names.length - listed.length).toBe(25)
  })

  for (const [operation, table = {}] of Object.entries(tables)) {
    it(`are those of the document's table: ${operation}`, () => {
      // The keys of `tables` are operations.
      const found = parametersOf(operation as Rules.Operation)
      expect(found).toEqual(Object.fromEntries(Object.entries(table).map(([name, one]) => [name, expected(one)])))
    })
  }
})
