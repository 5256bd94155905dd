/** Instruments: the tradable contracts and spot pairs, with the steps and bounds of their prices and quantities. */
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import { Decimal } from "../scalars/Decimal.js"
import * as Endpoint from "../endpoint/Endpoint.js"
import { narrowType } from "../endpoint/definition.js"
import * as Enumerations from "../scalars/Enumerations.js"
import { Flag } from "../scalars/flag.js"
import * as Id from "../scalars/Id.js"
import * as instants from "../scalars/instants.js"
import { Integer, IntegerText } from "../scalars/integer.js"
import * as Page from "../endpoint/page.js"
import * as Refusals from "../rules/Refusals.js"
import * as Rule from "../rules/rule.js"

const instrumentRecord = Schema.Struct({
  /** The instrument. */
  symbol: Id.Symbol,
  /** Kind of contract; absent for spot. */
  contractType: Absent.omittable(Enumerations.ContractType),
  /** Trading if the instrument can be traded. */
  status: Absent.orEmptyText(Enumerations.InstrumentStatus),
  /** The traded coin. */
  baseCoin: Id.Coin,
  /** The coin of the prices. */
  quoteCoin: Id.Coin,
  /** The coin of margin, fees and profit. */
  settleCoin: Absent.omittable(Id.Coin),
  /** Launch time. */
  launchTime: Absent.omittable(instants.MillisText, "0"),
  /** Delivery time of a dated contract. */
  deliveryTime: Absent.undescribed(instants.MillisText, "0", "0"),
  /** Delivery fee rate. Unit: fraction; 0.0006 is 0.06 %. */
  deliveryFeeRate: Absent.undescribed(Decimal, "empty"),
  /** Number of decimals of a price. Unit: count. */
  priceScale: Absent.omittable(IntegerText),
  /** Bounds of the leverage; absent for spot. */
  leverageFilter: Absent.omittable(
    Schema.Struct({
      /** Minimum leverage. Unit: times. */
      minLeverage: Absent.emptyable(Decimal),
      /** Maximum leverage. Unit: times. */
      maxLeverage: Absent.emptyable(Decimal),
      /** Step of the leverage. Unit: times. */
      leverageStep: Absent.emptyable(Decimal)
    })
  ),
  /** Bounds of the price. */
  priceFilter: Schema.Struct({
    /** Minimum price. Unit: quote coin per base coin. */
    minPrice: Absent.omittable(Decimal),
    /** Maximum price. Unit: quote coin per base coin. */
    maxPrice: Absent.omittable(Decimal),
    /** Step of the price. Unit: quote coin per base coin. */
    tickSize: Decimal
  }),
  /** Bounds of the quantity. */
  lotSizeFilter: Schema.Struct({
    /** Minimum quantity. Unit: base coin; for inverse contracts USD. */
    minOrderQty: Decimal,
    /** Maximum quantity of a limit order. Unit: base coin; for inverse contracts USD. */
    maxOrderQty: Decimal,
    /** Step of the quantity. Unit: base coin; for inverse contracts USD. */
    qtyStep: Absent.omittable(Decimal),
    /** Maximum quantity of a market order. Unit: base coin; for inverse contracts USD. */
    maxMktOrderQty: Absent.omittable(Decimal),
    /** Deprecated, use `maxOrderQty`. Unit: base coin; for inverse contracts USD. */
    postOnlyMaxOrderQty: Absent.omittable(Decimal),
    /** Minimum value of an order. Unit: quote coin. */
    minNotionalValue: Absent.omittable(Decimal),
    /** Step of a quantity in the base coin; spot. Unit: base coin. */
    basePrecision: Absent.omittable(Decimal),
    /** Step of a quantity in the quote coin; spot. Unit: quote coin. */
    quotePrecision: Absent.omittable(Decimal),
    /** Minimum value of an order; spot. Unit: quote coin. */
    minOrderAmt: Absent.omittable(Decimal),
    /** Maximum value of an order; spot. Unit: quote coin. */
    maxOrderAmt: Absent.omittable(Decimal)
  }),
  /** Maximum distance of a price from the market; spot. */
  riskParameters: Absent.undescribed(
    Schema.Struct({
      /** Limit orders. Unit: fraction. */
      limitParameter: Decimal,
      /** Market orders. Unit: fraction. */
      marketParameter: Decimal
    }),
    "left out"
  ),
  /** Whether unified accounts can trade it; not documented by the service. */
  unifiedMarginTrade: Absent.undescribed(Flag, "left out"),
  /** Time between two funding payments. Unit: minutes. */
  fundingInterval: Absent.omittable(Integer),
  /** Time at which the instrument goes offline; absent if that is not planned. */
  offlineTime: Absent.emptyable(instants.disputedText("s"), "0"),
  /** Tags of the symbol. */
  tags: Absent.list(Schema.String)
}).pipe(Refusals.record("Instrument"))

const instrumentSchema = Absent.namedLists(instrumentRecord, "tags")

/**
 * A contract or spot pair. Fields that only contracts have are `none` for spot, and the reverse: only spot pairs have
 * `lotSizeFilter.basePrecision`, `quotePrecision`, `minOrderAmt` and `maxOrderAmt`. `fundingInterval` is in minutes. `offlineTime` is when
 * the instrument goes offline, `none` if that is not planned; the service sends `""`, `"0"`, seconds or milliseconds, and the unit is
 * recognised by its magnitude. (docs/reference/contradictions.md#formats-in-examples; docs/reference/instruments/list.md)
 */
export const Instrument: Schema.Schema<Instrument, Schema.Schema.Encoded<typeof instrumentSchema>> = instrumentSchema

export interface Instrument extends Schema.Schema.Type<typeof instrumentSchema> {}

const listCommon = {
  /** Only this instrument, such as `BTCUSDT`. */
  symbol: Rule.optional(Rule.nonEmpty),
  /** Only instruments in this status; contracts are only listed with `Trading`. */
  status: Rule.optional(Rule.nonEmptyOf(Enumerations.InstrumentStatus)),
  /** Maximum number of rows per page. */
  limit: Rule.optional(Rule.queryIntegerIn("document", 1, 1000)),
  /** The cursor from the previous page, verbatim; default: the first page. */
  cursor: Page.cursor
}

const listContract = {
  ...listCommon,
  /** All USDT-linear and inverse contracts with this base coin, in either category. */
  baseCoin: Rule.optional(Rule.nonEmpty)
}

/** Parameters of `instruments.list` for any category. */
interface AnyListRequest
  extends
    Schema.Struct.Type<typeof listCommon>,
    Endpoint.OnlyFor<"contracts", "baseCoin">,
    Endpoint.ForCategory<Endpoint.Category> {}

/** Parameters of `instruments.list` for contracts. */
interface ContractListRequest
  extends Schema.Struct.Type<typeof listContract>, Endpoint.ForCategory<"linear" | "inverse"> {}

/**
 * Parameters of `instruments.list`. With `baseCoin`, the result contains USDT perpetual and inverse symbols in every category. For `linear`
 * and `inverse` the service lists only instruments with status `Trading`; any other status returns an empty list.
 * (docs/reference/instruments/list.md; docs/reference/responses.md#http-statuses)
 */
export const ListRequest = narrowType<ListRequest>()(
  Rule.variants(
    Rule.forCategory("spot", listCommon),
    ...Rule.forContracts((category) => Rule.forCategory(category, listContract))
  )
)

export type ListRequest = AnyListRequest | ContractListRequest

/** Instruments with their steps and bounds. Public: the request is not signed. */
export const list = Endpoint.make({
  name: "instruments.list",
  domain: "Instruments",
  summary: "Instruments and their steps and bounds",
  method: "GET",
  path: "/cloud/trade/v3/market/instruments-info",
  signing: "public",
  request: ListRequest,
  result: Page.pageOf(Instrument),
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
export const ListResult: Schema.Schema<ListResult, Schema.Schema.Encoded<typeof list.result>> = list.result

export interface ListResult extends Schema.Schema.Type<typeof list.result> {}

/** The endpoints of this domain, by method name. */
export const endpoints = { list }
