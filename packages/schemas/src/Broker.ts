/**
 * A broker's direct customers and what they traded.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumerations from "./Enumerations.js"
import * as Id from "./Id.js"
import * as Instant from "./Instant.js"
import { described } from "./internal/meaning.js"
import * as Naming from "./Naming.js"
import * as Page from "./Page.js"
import * as Rule from "./Rule.js"

/**
 * Parameters of `broker.customers`: bounds on the instant of becoming a direct customer, whole seconds.
 * (docs/reference/broker.md#customers)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CustomersRequest = Rule.all(
  Schema.Struct({
    /** Customers who became direct ones from this instant on. */
    begin: described(Rule.optional(Instant.queryInstant("s")), "customers who became direct ones from this instant on"),
    /** Customers who became direct ones up to this instant. */
    end: described(Rule.optional(Instant.queryInstant("s")), "customers who became direct ones up to this instant")
  }),
  ...Rule.timeRange("begin", "end")
)

/**
 * @since 0.1.0
 * @category models
 */
export interface CustomersRequest extends Schema.Schema.Type<typeof CustomersRequest> {}

/**
 * The direct customers.
 *
 * @since 0.1.0
 * @category endpoints
 */
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
    userList: described(Absent.rows(Id.Uid), "UIDs of the direct customers")
  }),
  rateLimit: Endpoint.perSecond(5),
  safety: "read",
  source: "docs/reference/rules.md#20-direct-customers",
  example: { begin: "2026-01-01T00:00:00Z", end: "2026-01-08T00:00:00Z" },
  probes: [{ request: () => ({}) }]
})

/**
 * The result of `broker.customers`.
 *
 * @since 0.1.0
 * @category models
 */
export interface CustomersResult extends Schema.Schema.Type<typeof customers.result> {}

const volumeSchema = Naming.snakeCased({
  /** UID of the customer. */
  userId: described(Id.Uid, "UID of the customer"),
  /** Volume by coin. */
  coins: described(
    Absent.rows(
      Naming.snakeCased({
        /** The coin. */
        coin: described(Id.Coin, "the coin"),
        /** Filled volume of maker and taker: of contracts their value, of spot the traded amount. Unit: the coin. */
        tradeVolume: described(
          Decimal,
          "filled volume of maker and taker: of contracts their value, of spot the traded amount",
          "the coin"
        ),
        /** Fees, 0 without any. Unit: the coin. */
        fee: described(Decimal, "fees, 0 without any", "the coin")
      })
    ),
    "volume by coin"
  )
}).annotations({ identifier: "Volume" })

/**
 * What one customer traded: per coin the filled volume of maker and taker in that coin, and the fee.
 * (rule records/volume)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Volume: Schema.Schema<Volume, Schema.Schema.Encoded<typeof volumeSchema>> = volumeSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface Volume extends Schema.Schema.Type<typeof volumeSchema> {}

/**
 * Parameters of `broker.tradeVolume`. `from` is inclusive, `to` exclusive. `contractType` is for contracts only.
 * (docs/reference/broker.md#tradevolume)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TradeVolumeRequest = Rule.all(
  Schema.Struct({
    /** Volume from this instant on. */
    from: described(Rule.optional(Instant.queryInstant("ms")), "volume from this instant on"),
    /** Volume before this instant. */
    to: described(Rule.optional(Instant.queryInstant("ms")), "volume before this instant"),
    /** This direct customer alone; without it all, in pages by UID. */
    uid: described(Rule.optional(Rule.nonEmpty), "this direct customer alone; without it all, in pages by UID"),
    /** The cursor of the page before, verbatim; the first page without it. */
    cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it"),
    /** The most UIDs of a page. */
    limit: described(Rule.optional(Rule.queryInteger(1, 50)), "the most UIDs of a page"),
    /** Spot, contracts or both. */
    productType: described(Rule.optional(Rule.oneOf("ALL", "SPOT", "DERIVATIVES")), "spot, contracts or both"),
    /** Only contracts of this type; without it all. */
    contractType: described(
      Rule.optional(Rule.known(Enumerations.ContractType)),
      "only contracts of this type; without it all"
    ),
    /** Volume in this coin alone; without it in all. */
    coin: described(Rule.optional(Rule.nonEmpty), "volume in this coin alone; without it in all")
  }),
  ...Rule.timeRange("from", "to"),
  Rule.onlyWhen(
    "contractType",
    "contract trades, not with productType=SPOT",
    (request) => request.productType !== "SPOT"
  )
)

/**
 * @since 0.1.0
 * @category models
 */
export interface TradeVolumeRequest extends Schema.Schema.Type<typeof TradeVolumeRequest> {}

/**
 * What the direct customers traded, paged by UID.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const tradeVolume = Endpoint.make({
  name: "broker.tradeVolume",
  domain: "Broker",
  summary: "What the direct customers traded, paged by UID",
  method: "GET",
  path: "/private/v1/broker/trade-volume",
  signing: "parameter",
  envelope: "legacy",
  request: TradeVolumeRequest,
  result: Naming.snakeCased({
    /** The rows of this page. */
    list: described(Absent.rows(Volume), "the rows of this page"),
    /** Passed as `cursor` it returns the next page; absent on the last. */
    nextCursor: described(
      Absent.emptyable(Id.Cursor),
      "passed as `cursor` it returns the next page; absent on the last"
    )
  }),
  rateLimit: Endpoint.perSecond(5),
  safety: "read",
  paging: {
    items: "list",
    cursor: "nextCursor",
    cursorParameter: "cursor",
    sizeParameter: "limit",
    size: Option.some({ min: 1, max: 50, default: 20 })
  },
  historyWindow: { from: "from", to: "to", unit: "ms", span: Option.none(), reachBack: Option.none() },
  source: "docs/reference/rules.md#23-customers-trade-volume",
  example: { coin: "USDT", limit: 50 },
  probes: [{ request: ({ cursor, from, size, to }) => ({ from, to, limit: size, cursor }), cursor: "next_cursor" }]
})

/**
 * The result of `broker.tradeVolume`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TradeVolumeResult extends Schema.Schema.Type<typeof tradeVolume.result> {}

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { customers, tradeVolume }
