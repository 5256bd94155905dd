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

const instrumentSchema = Schema.Struct({
  /** The instrument. */
  symbol: described(Id.Symbol, "the instrument"),
  /** Kind of contract; absent for spot. */
  contractType: described(Absent.omittable(Enumerations.ContractType), "kind of contract; absent for spot"),
  /** Trading while it can be traded. */
  status: described(Absent.withDefault(Enumerations.InstrumentStatus, ""), "Trading while it can be traded"),
  /** The coin that is traded. */
  baseCoin: described(Id.Coin, "the coin that is traded"),
  /** The coin of its prices. */
  quoteCoin: described(Id.Coin, "the coin of its prices"),
  /** The coin of margin, fees and profit. */
  settleCoin: described(Absent.omittable(Id.Coin), "the coin of margin, fees and profit"),
  /** When it was launched. */
  launchTime: described(Absent.omittable(Instant.MillisText, "0"), "when it was launched"),
  /** When a dated contract is delivered. */
  deliveryTime: described(
    Absent.undescribed(Instant.MillisText, "left out", "0"),
    "when a dated contract is delivered"
  ),
  /** Rate of the fee of delivery. Unit: fraction; 0.0006 is 0.06 %. */
  deliveryFeeRate: described(Absent.undescribed(Decimal, "left out"), "rate of the fee of delivery", share),
  /** Decimals of a price. Unit: count. */
  priceScale: described(Absent.omittable(IntegerText), "decimals of a price", "count"),
  /** Bounds of the leverage; absent for spot. */
  leverageFilter: described(
    Absent.omittable(
      Schema.Struct({
        /** Smallest leverage. Unit: times. */
        minLeverage: described(Absent.emptyable(Decimal), "smallest leverage", "times"),
        /** Largest leverage. Unit: times. */
        maxLeverage: described(Absent.emptyable(Decimal), "largest leverage", "times"),
        /** Step of the leverage. Unit: times. */
        leverageStep: described(Absent.emptyable(Decimal), "step of the leverage", "times")
      })
    ),
    "bounds of the leverage; absent for spot"
  ),
  /** Bounds of the price. */
  priceFilter: described(
    Schema.Struct({
      /** Smallest price. Unit: quote coin per base coin. */
      minPrice: described(Absent.omittable(Decimal), "smallest price", price),
      /** Largest price. Unit: quote coin per base coin. */
      maxPrice: described(Absent.omittable(Decimal), "largest price", price),
      /** Step of the price. Unit: quote coin per base coin. */
      tickSize: described(Decimal, "step of the price", price)
    }),
    "bounds of the price"
  ),
  /** Bounds of the quantity. */
  lotSizeFilter: described(
    Schema.Struct({
      /** Smallest quantity. Unit: base coin; of inverse contracts USD. */
      minOrderQty: described(Decimal, "smallest quantity", base),
      /** Largest quantity of a limit order. Unit: base coin; of inverse contracts USD. */
      maxOrderQty: described(Decimal, "largest quantity of a limit order", base),
      /** Step of the quantity. Unit: base coin; of inverse contracts USD. */
      qtyStep: described(Absent.omittable(Decimal), "step of the quantity", base),
      /** Largest quantity of a market order. Unit: base coin; of inverse contracts USD. */
      maxMktOrderQty: described(Absent.omittable(Decimal), "largest quantity of a market order", base),
      /** Deprecated: `maxOrderQty`. Unit: base coin; of inverse contracts USD. */
      postOnlyMaxOrderQty: described(Absent.omittable(Decimal), "deprecated: `maxOrderQty`", base),
      /** Smallest value of an order. Unit: quote coin. */
      minNotionalValue: described(Absent.omittable(Decimal), "smallest value of an order", quote),
      /** Step of a quantity in the base coin; spot. Unit: base coin. */
      basePrecision: described(Absent.omittable(Decimal), "step of a quantity in the base coin; spot", "base coin"),
      /** Step of a quantity in the quote coin; spot. Unit: quote coin. */
      quotePrecision: described(Absent.omittable(Decimal), "step of a quantity in the quote coin; spot", quote),
      /** Smallest value of an order; spot. Unit: quote coin. */
      minOrderAmt: described(Absent.omittable(Decimal), "smallest value of an order; spot", quote),
      /** Largest value of an order; spot. Unit: quote coin. */
      maxOrderAmt: described(Absent.omittable(Decimal), "largest value of an order; spot", quote)
    }),
    "bounds of the quantity"
  ),
  /** How far a price may be from the market; spot. */
  riskParameters: described(
    Absent.undescribed(
      Schema.Struct({
        /** Of limit orders. Unit: fraction. */
        limitParameter: described(Decimal, "of limit orders", "fraction"),
        /** Of market orders. Unit: fraction. */
        marketParameter: described(Decimal, "of market orders", "fraction")
      }),
      "left out"
    ),
    "how far a price may be from the market; spot"
  ),
  /** Whether unified accounts can trade it; not described by the document. */
  unifiedMarginTrade: described(
    Absent.undescribed(Flag, "left out"),
    "whether unified accounts can trade it; not described by the document"
  ),
  /** Time between two funding payments. Unit: minutes. */
  fundingInterval: described(Absent.omittable(Integer), "time between two funding payments", "minutes"),
  /** When it goes offline; absent while that is not planned. */
  offlineTime: described(
    Absent.emptyable(Instant.disputedText("s"), "0"),
    "when it goes offline; absent while that is not planned"
  ),
  /** Tags of the symbol. */
  tags: described(Absent.list(Schema.String), "tags of the symbol")
}).annotations({ identifier: "Instrument" })

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
export const Instrument: Schema.Schema<Instrument, Schema.Schema.Encoded<typeof instrumentSchema>> = instrumentSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface Instrument extends Schema.Schema.Type<typeof instrumentSchema> {}

const listCommon = {
  /** This instrument alone, as `BTCUSDT`. */
  symbol: described(Rule.optional(Rule.nonEmpty), "this instrument alone, as `BTCUSDT`"),
  /** Only instruments in this status; of contracts `Trading` alone. */
  status: described(
    Rule.optional(Rule.given(Enumerations.InstrumentStatus)),
    "only instruments in this status; of contracts `Trading` alone"
  ),
  /** The most rows of a page. */
  limit: described(Rule.optional(Rule.queryInteger(1, 1000)), "the most rows of a page"),
  /** The cursor of the page before, verbatim; the first page without it. */
  cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
}

const listContract = {
  ...listCommon,
  /** All contracts of this base coin, USDT-linear and inverse ones whatever the category. */
  baseCoin: described(
    Rule.optional(Rule.nonEmpty),
    "all contracts of this base coin, USDT-linear and inverse ones whatever the category"
  )
}

/**
 * Parameters of `instruments.list` for spot pairs.
 *
 * @since 0.1.0
 * @category models
 */
export interface SpotListRequest extends Schema.Struct.Type<typeof listCommon>, Rule.NotFor<"spot", "baseCoin"> {
  /** Spot. */
  readonly category: "spot"
}

/**
 * Parameters of `instruments.list` for contracts.
 *
 * @since 0.1.0
 * @category models
 */
export interface ContractListRequest extends Schema.Struct.Type<typeof listContract> {
  /** USDT-linear or inverse contracts. */
  readonly category: "linear" | "inverse"
}

/**
 * Parameters of `instruments.list`. With `baseCoin` the result has both USDT perpetual and inverse symbols, whatever the
 * category. Of `linear` and `inverse` the service has only instruments with status `Trading`: any other status gives an empty list.
 * (docs/reference/instruments.md#list; docs/reference/responses.md#http-statuses)
 *
 * @since 0.1.0
 * @category schemas
 */
export const ListRequest = Rule.typed<ListRequest>()(
  Schema.Union(
    Rule.forCategory("spot", listCommon),
    ...Rule.forContracts((category) => Rule.forCategory(category, listContract))
  )
)

/**
 * @since 0.1.0
 * @category models
 */
export type ListRequest = SpotListRequest | ContractListRequest

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
 * The result of `instruments.list`.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListResult extends Schema.Schema.Type<typeof list.result> {}

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { list }
