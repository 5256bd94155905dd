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
import { base, described, price, quote, share } from "./internal/meaning.js"
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
  symbol: described(Id.Symbol, "the instrument"),
  contractType: described(Absent.omittable(Enumerations.ContractType), "kind of contract; absent for spot"),
  status: described(Absent.withDefault(Enumerations.InstrumentStatus, ""), "Trading while it can be traded"),
  baseCoin: described(Id.Coin, "the coin that is traded"),
  quoteCoin: described(Id.Coin, "the coin of its prices"),
  settleCoin: described(Absent.omittable(Id.Coin), "the coin of margin, fees and profit"),
  launchTime: described(Absent.omittable(Instant.MillisText, "0"), "when it was launched"),
  deliveryTime: described(
    Absent.undescribed(Instant.MillisText, "left out", "0"),
    "when a dated contract is delivered"
  ),
  deliveryFeeRate: described(Absent.undescribed(Decimal, "left out"), "rate of the fee of delivery", share),
  priceScale: described(Absent.omittable(IntegerText), "decimals of a price", "count"),
  leverageFilter: described(
    Absent.omittable(
      Schema.Struct({
        minLeverage: described(Absent.emptyable(Decimal), "smallest leverage", "times"),
        maxLeverage: described(Absent.emptyable(Decimal), "largest leverage", "times"),
        leverageStep: described(Absent.emptyable(Decimal), "step of the leverage", "times")
      })
    ),
    "bounds of the leverage; absent for spot"
  ),
  priceFilter: described(
    Schema.Struct({
      minPrice: described(Absent.omittable(Decimal), "smallest price", price),
      maxPrice: described(Absent.omittable(Decimal), "largest price", price),
      tickSize: described(Decimal, "step of the price", price)
    }),
    "bounds of the price"
  ),
  lotSizeFilter: described(
    Schema.Struct({
      minOrderQty: described(Decimal, "smallest quantity", base),
      maxOrderQty: described(Decimal, "largest quantity of a limit order", base),
      qtyStep: described(Absent.omittable(Decimal), "step of the quantity", base),
      maxMktOrderQty: described(Absent.omittable(Decimal), "largest quantity of a market order", base),
      postOnlyMaxOrderQty: described(Absent.omittable(Decimal), "deprecated: `maxOrderQty`", base),
      minNotionalValue: described(Absent.omittable(Decimal), "smallest value of an order", quote),
      basePrecision: described(Absent.omittable(Decimal), "step of a quantity in the base coin; spot", "base coin"),
      quotePrecision: described(Absent.omittable(Decimal), "step of a quantity in the quote coin; spot", quote),
      minOrderAmt: described(Absent.omittable(Decimal), "smallest value of an order; spot", quote),
      maxOrderAmt: described(Absent.omittable(Decimal), "largest value of an order; spot", quote)
    }),
    "bounds of the quantity"
  ),
  riskParameters: described(
    Absent.undescribed(
      Schema.Struct({
        limitParameter: described(Decimal, "of limit orders", "fraction"),
        marketParameter: described(Decimal, "of market orders", "fraction")
      }),
      "left out"
    ),
    "how far a price may be from the market; spot"
  ),
  unifiedMarginTrade: described(
    Absent.undescribed(Flag, "left out"),
    "whether unified accounts can trade it; not described by the document"
  ),
  fundingInterval: described(Absent.omittable(Integer), "time between two funding payments", "minutes"),
  offlineTime: described(
    Absent.emptyable(Instant.disputedText("s"), "0"),
    "when it goes offline; absent while that is not planned"
  ),
  tags: described(Absent.list(Schema.String), "tags of the symbol")
}).annotations({ identifier: "Instrument" })

/**
 * @since 0.1.0
 * @category models
 */
export type Instrument = typeof Instrument.Type

const listCommon = {
  symbol: described(Rule.optional(Rule.nonEmpty), "this instrument alone, as `BTCUSDT`"),
  status: described(
    Rule.optional(Rule.given(Enumerations.InstrumentStatus)),
    "only instruments in this status; of contracts `Trading` alone"
  ),
  limit: described(Rule.optional(Rule.queryInteger(1, 1000)), "the most rows of a page"),
  cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
}

const listContract = {
  ...listCommon,
  baseCoin: described(
    Rule.optional(Rule.nonEmpty),
    "all contracts of this base coin, USDT-linear and inverse ones whatever the category"
  )
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
