/** The direct customers of a broker and their trading volume. */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import { Decimal } from "../scalars/Decimal.js"
import * as Endpoint from "../endpoint/Endpoint.js"
import * as Enumerations from "../scalars/Enumerations.js"
import * as Id from "../scalars/Id.js"
import * as instants from "../scalars/instants.js"
import * as Naming from "../rules/naming.js"
import * as Page from "../endpoint/page.js"
import * as Refusals from "../rules/Refusals.js"
import * as Rule from "../rules/rule.js"

/**
 * Parameters of `broker.customers`. The bounds apply to the instant at which a user became a direct customer, in whole seconds.
 * (docs/reference/broker/customers.md)
 */
export const CustomersRequest = Rule.request(
  {
    /** Only customers who became direct customers at or after this instant. */
    begin: Rule.optional(instants.queryInstant("s")),
    /** Only customers who became direct customers at or before this instant. */
    end: Rule.optional(instants.queryInstant("s"))
  },
  ...Rule.timeRange("begin", "end")
)

export interface CustomersRequest extends Schema.Schema.Type<typeof CustomersRequest> {}

/** The direct customers of the broker. */
export const customers = Endpoint.make({
  name: "broker.customers",
  domain: "Broker",
  summary: "The direct customers of the broker",
  method: "GET",
  path: "/private/v1/broker/query-direct-user-list",
  signing: "parameter",
  envelope: "legacy",
  request: CustomersRequest,
  result: Naming.snakeCased({
    /** UIDs of the direct customers. */
    userList: Absent.rows(Id.Uid)
  }),
  rateLimit: Endpoint.perSecond(5),
  safety: "read",
  historyWindow: { from: "begin", to: "end", unit: "s", bounds: "[]", span: Option.none(), reachBack: Option.none() },
  source: "docs/reference/rules.md#20-direct-customers",
  example: { begin: "2026-01-01T00:00:00Z", end: "2026-01-08T00:00:00Z" },
  probes: [{ request: () => ({}) }]
})

/** The result of `broker.customers`. */
export const CustomersResult: Schema.Schema<
  CustomersResult,
  Schema.Schema.Encoded<typeof customers.result>
> = customers.result

export interface CustomersResult extends Schema.Schema.Type<typeof customers.result> {}

const volumeSchema = Naming.snakeCased({
  /** UID of the customer. */
  userId: Id.Uid,
  /** The volume of each coin. */
  coins: Absent.rows(
    Naming.snakeCased({
      /** The coin. */
      coin: Id.Coin,
      /** Filled volume as maker and taker: for contracts the value, for spot the traded amount. Unit: the coin. */
      tradeVolume: Decimal,
      /** Fees, 0 if none were charged. Unit: the coin. */
      fee: Decimal
    })
  )
}).pipe(Refusals.record("Volume"))

/** The trading volume of a customer: for each coin, the filled volume as maker and taker and the fee. (rule records/volume) */
export const Volume: Schema.Schema<Volume, Schema.Schema.Encoded<typeof volumeSchema>> = volumeSchema

export interface Volume extends Schema.Schema.Type<typeof volumeSchema> {}

/**
 * Parameters of `broker.tradeVolume`. `from` is inclusive, `to` exclusive. `contractType` is for contracts only.
 * (docs/reference/broker/tradeVolume.md)
 */
export const TradeVolumeRequest = Rule.request(
  {
    /** Volume at or after this instant. */
    from: Rule.optional(instants.queryInstant("ms")),
    /** Volume before this instant. */
    to: Rule.optional(instants.queryInstant("ms")),
    /** Only this direct customer; default: all, in pages ordered by UID. */
    uid: Rule.optional(Rule.nonEmpty),
    /** The cursor from the previous page, verbatim; default: the first page. */
    cursor: Page.cursor,
    /** Maximum number of UIDs per page. */
    limit: Rule.optional(Rule.queryIntegerIn("document", 1, 50)),
    /** Spot, contracts or both. */
    productType: Rule.optional(Rule.oneOfKnown("document", Enumerations.ProductType)),
    /** Only contracts of this type; default: all. */
    contractType: Rule.optional(Rule.oneOfKnown("document", Enumerations.ContractType)),
    /** Only volume in this coin; default: all coins. */
    coin: Rule.optional(Rule.nonEmpty)
  },
  ...Rule.timeRange("from", "to"),
  Rule.onlyWhen(
    "document",
    "contractType",
    "contract trades, not with productType=SPOT",
    (request) => request.productType !== "SPOT"
  )
)

export interface TradeVolumeRequest extends Schema.Schema.Type<typeof TradeVolumeRequest> {}

/** The trading volume of the direct customers, in pages ordered by UID. */
export const tradeVolume = Endpoint.make({
  name: "broker.tradeVolume",
  domain: "Broker",
  summary: "The trading volume of the direct customers, in pages ordered by UID",
  method: "GET",
  path: "/private/v1/broker/trade-volume",
  signing: "parameter",
  envelope: "legacy",
  request: TradeVolumeRequest,
  result: Naming.snakeCased({
    /** The rows of the page. */
    list: Absent.rows(Volume),
    /** The `cursor` of the next page; absent on the last page. */
    nextCursor: Absent.emptyable(Id.Cursor)
  }),
  rateLimit: Endpoint.perSecond(5),
  safety: "read",
  paging: Page.ofList(50, 20, { cursor: "nextCursor" }),
  historyWindow: { from: "from", to: "to", unit: "ms", bounds: "[)", span: Option.none(), reachBack: Option.none() },
  source: "docs/reference/rules.md#23-customers-trade-volume",
  example: { coin: "USDT", limit: 50 },
  probes: [{ request: ({ cursor, from, size, to }) => ({ from, to, limit: size, cursor }), cursor: "next_cursor" }]
})

/** The result of `broker.tradeVolume`. */
export const TradeVolumeResult: Schema.Schema<
  TradeVolumeResult,
  Schema.Schema.Encoded<typeof tradeVolume.result>
> = tradeVolume.result

export interface TradeVolumeResult extends Schema.Schema.Type<typeof tradeVolume.result> {}

/** The endpoints of this domain, by method name. */
export const endpoints = { customers, tradeVolume }
