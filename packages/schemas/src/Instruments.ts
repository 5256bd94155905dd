/** Instruments: the tradable contracts and spot pairs, with the steps and bounds of their prices and quantities. */
import * as Schema from "effect/Schema"
import * as Absent from "./shared/Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumerations from "./Enumerations.js"
import { Flag } from "./internal/flag.js"
import * as Id from "./Id.js"
import * as instants from "./internal/instants.js"
import { Integer, IntegerText } from "./internal/integers.js"
import { base, described, price, quote, share } from "./internal/meaning.js"
import * as Page from "./internal/page.js"
import * as Rule from "./internal/rule.js"

const instrumentSchema = Schema.Struct({
  /** The instrument. */
  symbol: described(Id.Symbol, "the instrument"),
  /** Kind of contract; absent for spot. */
  contractType: described(Absent.omittable(Enumerations.ContractType), "kind of contract; absent for spot"),
  /** Trading if the instrument can be traded. */
  status: described(Absent.withDefault(Enumerations.InstrumentStatus, ""), "Trading if the instrument can be traded"),
  /** The traded coin. */
  baseCoin: described(Id.Coin, "the traded coin"),
  /** The coin of the prices. */
  quoteCoin: described(Id.Coin, "the coin of the prices"),
  /** The coin of margin, fees and profit. */
  settleCoin: described(Absent.omittable(Id.Coin), "the coin of margin, fees and profit"),
  /** Launch time. */
  launchTime: described(Absent.omittable(instants.MillisText, "0"), "launch time"),
  /** Delivery time of a dated contract. */
  deliveryTime: described(
    Absent.undescribed(instants.MillisText, "left out", "0"),
    "delivery time of a dated contract"
  ),
  /** Delivery fee rate. Unit: fraction; 0.0006 is 0.06 %. */
  deliveryFeeRate: described(Absent.undescribed(Decimal, "left out"), "delivery fee rate", share),
  /** Number of decimals of a price. Unit: count. */
  priceScale: described(Absent.omittable(IntegerText), "number of decimals of a price", "count"),
  /** Bounds of the leverage; absent for spot. */
  leverageFilter: described(
    Absent.omittable(
      Schema.Struct({
        /** Minimum leverage. Unit: times. */
        minLeverage: described(Absent.emptyable(Decimal), "minimum leverage", "times"),
        /** Maximum leverage. Unit: times. */
        maxLeverage: described(Absent.emptyable(Decimal), "maximum leverage", "times"),
        /** Step of the leverage. Unit: times. */
        leverageStep: described(Absent.emptyable(Decimal), "step of the leverage", "times")
      })
    ),
    "bounds of the leverage; absent for spot"
  ),
  /** Bounds of the price. */
  priceFilter: described(
    Schema.Struct({
      /** Minimum price. Unit: quote coin per base coin. */
      minPrice: described(Absent.omittable(Decimal), "minimum price", price),
      /** Maximum price. Unit: quote coin per base coin. */
      maxPrice: described(Absent.omittable(Decimal), "maximum price", price),
      /** Step of the price. Unit: quote coin per base coin. */
      tickSize: described(Decimal, "step of the price", price)
    }),
    "bounds of the price"
  ),
  /** Bounds of the quantity. */
  lotSizeFilter: described(
    Schema.Struct({
      /** Minimum quantity. Unit: base coin; for inverse contracts USD. */
      minOrderQty: described(Decimal, "minimum quantity", base),
      /** Maximum quantity of a limit order. Unit: base coin; for inverse contracts USD. */
      maxOrderQty: described(Decimal, "maximum quantity of a limit order", base),
      /** Step of the quantity. Unit: base coin; for inverse contracts USD. */
      qtyStep: described(Absent.omittable(Decimal), "step of the quantity", base),
      /** Maximum quantity of a market order. Unit: base coin; for inverse contracts USD. */
      maxMktOrderQty: described(Absent.omittable(Decimal), "maximum quantity of a market order", base),
      /** Deprecated, use `maxOrderQty`. Unit: base coin; for inverse contracts USD. */
      postOnlyMaxOrderQty: described(Absent.omittable(Decimal), "deprecated, use `maxOrderQty`", base),
      /** Minimum value of an order. Unit: quote coin. */
      minNotionalValue: described(Absent.omittable(Decimal), "minimum value of an order", quote),
      /** Step of a quantity in the base coin; spot. Unit: base coin. */
      basePrecision: described(Absent.omittable(Decimal), "step of a quantity in the base coin; spot", "base coin"),
      /** Step of a quantity in the quote coin; spot. Unit: quote coin. */
      quotePrecision: described(Absent.omittable(Decimal), "step of a quantity in the quote coin; spot", quote),
      /** Minimum value of an order; spot. Unit: quote coin. */
      minOrderAmt: described(Absent.omittable(Decimal), "minimum value of an order; spot", quote),
      /** Maximum value of an order; spot. Unit: quote coin. */
      maxOrderAmt: described(Absent.omittable(Decimal), "maximum value of an order; spot", quote)
    }),
    "bounds of the quantity"
  ),
  /** Maximum distance of a price from the market; spot. */
  riskParameters: described(
    Absent.undescribed(
      Schema.Struct({
        /** Limit orders. Unit: fraction. */
        limitParameter: described(Decimal, "limit orders", "fraction"),
        /** Market orders. Unit: fraction. */
        marketParameter: described(Decimal, "market orders", "fraction")
      }),
      "left out"
    ),
    "maximum distance of a price from the market; spot"
  ),
  /** Whether unified accounts can trade it; not documented by the service. */
  unifiedMarginTrade: described(
    Absent.undescribed(Flag, "left out"),
    "whether unified accounts can trade it; not documented by the service"
  ),
  /** Time between two funding payments. Unit: minutes. */
  fundingInterval: described(Absent.omittable(Integer), "time between two funding payments", "minutes"),
  /** Time at which the instrument goes offline; absent if that is not planned. */
  offlineTime: described(
    Absent.emptyable(instants.disputedText("s"), "0"),
    "time at which the instrument goes offline; absent if that is not planned"
  ),
  /** Tags of the symbol. */
  tags: described(Absent.list(Schema.String), "tags of the symbol")
}).annotations({ identifier: "Instrument" })

/**
 * A contract or spot pair. Fields that only contracts have are `none` for spot, and the reverse: only spot pairs have
 * `lotSizeFilter.basePrecision`, `quotePrecision`, `minOrderAmt` and `maxOrderAmt`. `fundingInterval` is in minutes. `offlineTime` is when
 * the instrument goes offline, `none` if that is not planned; the service sends `""`, `"0"`, seconds or milliseconds, and the unit is
 * recognised by its magnitude. (docs/reference/contradictions.md#formats-in-examples; docs/reference/instruments.md#list)
 */
export const Instrument: Schema.Schema<Instrument, Schema.Schema.Encoded<typeof instrumentSchema>> = instrumentSchema

export interface Instrument extends Schema.Schema.Type<typeof instrumentSchema> {}

const listCommon = {
  /** Only this instrument, such as `BTCUSDT`. */
  symbol: described(Rule.optional(Rule.nonEmpty), "only this instrument, such as `BTCUSDT`"),
  /** Only instruments in this status; contracts are only listed with `Trading`. */
  status: described(
    Rule.optional(Rule.nonEmptyOf(Enumerations.InstrumentStatus)),
    "only instruments in this status; contracts are only listed with `Trading`"
  ),
  /** Maximum number of rows per page. */
  limit: described(Rule.optional(Rule.queryInteger(1, 1000)), "maximum number of rows per page"),
  /** The cursor from the previous page, verbatim; default: the first page. */
  cursor: described(Page.cursor, "the cursor from the previous page, verbatim; default: the first page")
}

const listContract = {
  ...listCommon,
  /** All USDT-linear and inverse contracts with this base coin, in either category. */
  baseCoin: described(
    Rule.optional(Rule.nonEmpty),
    "all USDT-linear and inverse contracts with this base coin, in either category"
  )
}

/** Parameters of `instruments.list` for spot pairs. */
export interface SpotListRequest extends Schema.Struct.Type<typeof listCommon>, Endpoint.NotFor<"spot", "baseCoin"> {
  /** Spot. */
  readonly category: "spot"
}

/** Parameters of `instruments.list` for contracts. */
export interface ContractListRequest extends Schema.Struct.Type<typeof listContract> {
  /** USDT-linear or inverse contracts. */
  readonly category: "linear" | "inverse"
}

/**
 * Parameters of `instruments.list`. With `baseCoin`, the result contains USDT perpetual and inverse symbols in every category. For `linear`
 * and `inverse` the service lists only instruments with status `Trading`; any other status returns an empty list.
 * (docs/reference/instruments.md#list; docs/reference/responses.md#http-statuses)
 */
export const ListRequest = Rule.typed<ListRequest>()(
  Schema.Union(
    Rule.forCategory("spot", listCommon),
    ...Rule.forContracts((category) => Rule.forCategory(category, listContract))
  )
)

export type ListRequest = SpotListRequest | ContractListRequest

/** Instruments with their steps and bounds. Public: the request is not signed. */
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

/** The result of `instruments.list`. */
export interface ListResult extends Schema.Schema.Type<typeof list.result> {}

/** The endpoints of this domain, by method name. */
export const endpoints = { list }
