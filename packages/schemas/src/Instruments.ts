/**
 * Instruments: what can be traded, and in which steps.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumerations from "./Enumerations.js"
import { Flag } from "./Flag.js"
import * as Id from "./Id.js"
import * as Instant from "./Instant.js"
import { Integer, IntegerText } from "./Integer.js"
import * as Page from "./Page.js"
import * as Rule from "./Rule.js"

/**
 * One instrument, contract or spot pair. What only contracts have is `none` for spot, and the other way round: spot pairs have
 * `lotSizeFilter.basePrecision`, `quotePrecision`, `minOrderAmt` and `maxOrderAmt`. `fundingInterval` is in minutes.
 * `offlineTime` is when the instrument goes offline, `none` while that is not planned: the service sends `""`, `"0"`, seconds or
 * milliseconds, the unit being recognized by its magnitude.
 * (docs/reference/contradictions.md#formats-in-examples; docs/reference/instruments.md#list)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Instrument = Schema.Struct({
  symbol: Id.Symbol,
  contractType: Absent.omittable(Enumerations.ContractType),
  status: Absent.withDefault(Enumerations.InstrumentStatus, ""),
  baseCoin: Id.Coin,
  quoteCoin: Id.Coin,
  settleCoin: Absent.omittable(Id.Coin),
  launchTime: Absent.omittable(Instant.MillisText, "0"),
  deliveryTime: Absent.undescribed(Instant.MillisText, "left out", "0"),
  deliveryFeeRate: Absent.undescribed(Decimal, "left out"),
  priceScale: Absent.omittable(IntegerText),
  leverageFilter: Absent.omittable(
    Schema.Struct({
      minLeverage: Absent.emptyable(Decimal),
      maxLeverage: Absent.emptyable(Decimal),
      leverageStep: Absent.emptyable(Decimal)
    })
  ),
  priceFilter: Schema.Struct({
    minPrice: Absent.omittable(Decimal),
    maxPrice: Absent.omittable(Decimal),
    tickSize: Decimal
  }),
  lotSizeFilter: Schema.Struct({
    minOrderQty: Decimal,
    maxOrderQty: Decimal,
    qtyStep: Absent.omittable(Decimal),
    maxMktOrderQty: Absent.omittable(Decimal),
    postOnlyMaxOrderQty: Absent.omittable(Decimal),
    minNotionalValue: Absent.omittable(Decimal),
    basePrecision: Absent.omittable(Decimal),
    quotePrecision: Absent.omittable(Decimal),
    minOrderAmt: Absent.omittable(Decimal),
    maxOrderAmt: Absent.omittable(Decimal)
  }),
  riskParameters: Absent.undescribed(
    Schema.Struct({
      limitParameter: Decimal,
      marketParameter: Decimal
    }),
    "left out"
  ),
  unifiedMarginTrade: Absent.undescribed(Flag, "left out"),
  fundingInterval: Absent.omittable(Integer),
  offlineTime: Absent.emptyable(Instant.disputedText("s"), "0"),
  tags: Absent.list(Schema.String)
}).annotations({ identifier: "Instrument" })

/**
 * @since 0.1.0
 * @category models
 */
export type Instrument = typeof Instrument.Type

const listCommon = {
  symbol: Rule.optional(Rule.nonEmpty),
  status: Rule.optional(Rule.given(Enumerations.InstrumentStatus)),
  limit: Rule.optional(Rule.queryInteger(1, 1000)),
  cursor: Page.cursor
}

const listContract = {
  ...listCommon,
  baseCoin: Rule.optional(Rule.nonEmpty)
}

/**
 * Parameters of `instruments.list`. With `baseCoin` the result has both USDT perpetual and inverse symbols, whatever the
 * category. Of `linear` and `inverse` the service has only instruments with status `Trading`: any other status gives an empty list.
 * (docs/reference/instruments.md#list; docs/reference/responses.md#http-statuses)
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListRequest = Schema.Union(
  Rule.forCategory("spot", listCommon),
  Rule.forCategory("linear", listContract),
  Rule.forCategory("inverse", listContract)
)

/**
 * @since 0.1.0
 * @category models
 */
export type ListRequest = typeof ListRequest.Type

/**
 * Instruments and their steps and bounds. Public: it is not signed.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const list = Endpoint.make({
  name: "instruments.list",
  domain: "Instruments",
  summary: "Instruments and their steps and bounds",
  method: "GET",
  path: "/cloud/trade/v3/market/instruments-info",
  signing: "public",
  request: ListRequest,
  result: Page.categorised(Instrument),
  safety: "read",
  paging: Page.ofList(1000, 500),
  source: "docs/reference/rules.md#11-instruments",
  example: { category: "linear", symbol: "BTCUSDT" },
  probes: [
    { variant: "spot", unpaged: true, request: ({ cursor }) => ({ category: "spot" as const, cursor }) },
    { variant: "linear", request: ({ cursor }) => ({ category: "linear" as const, cursor }) },
    { variant: "inverse", request: ({ cursor }) => ({ category: "inverse" as const, cursor }) }
  ]
})

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { list }
