/**
 * Assets: deposits, coins, bonuses, transfers, internal withdrawals, the funding account.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import { Decimal } from "./Decimal.js"
import * as Endpoint from "./Endpoint.js"
import * as Enumeration from "./Enumeration.js"
import * as Enumerations from "./Enumerations.js"
import { FlagNumber } from "./Flag.js"
import * as Id from "./Id.js"
import * as Instant from "./Instant.js"
import { agrees, text } from "./internal/lookUp.js"
import { described } from "./internal/meaning.js"
import * as repeated from "./internal/repeated.js"
import { Integer, IntegerText } from "./Integer.js"
import { eitherSpelling } from "./internal/eitherSpelling.js"
import { textOrNumber } from "./internal/textOrNumber.js"
import * as Naming from "./Naming.js"
import * as Page from "./Page.js"
import * as Rule from "./Rule.js"

const optionalText = Rule.optional(Rule.nonEmpty)
const optionalSeconds = Rule.optional(Instant.queryInstant("s"))

// Deposits ----------------------------------------------------------------------------------------------------------

const depositSchema = Naming.snakeCased({
  /** 0 on chain, 1 from another user of the service. */
  type: described(
    Absent.withDefault(Enumeration.textOrNumber(Enumerations.DepositType), ""),
    "0 on chain, 1 from another user of the service"
  ),
  /** The chain. */
  chain: described(Absent.emptyable(Id.Chain), "the chain"),
  /** The coin. */
  coin: described(Id.Coin, "the coin"),
  /** Amount. Unit: the coin. */
  amount: described(Decimal, "amount", "the coin"),
  /** Address of the deposit; of an internal one the UID of the sender. */
  address: described(
    Absent.emptyable(Schema.String),
    "address of the deposit; of an internal one the UID of the sender"
  ),
  /** 0 in progress, 1 successful, 2 failed. */
  status: described(
    Enumeration.textOrNumber(Enumeration.stated(Enumerations.DepositStatus)),
    "0 in progress, 1 successful, 2 failed"
  ),
  /** When it was last changed. */
  time: described(Instant.SecondsText, "when it was last changed"),
  /** Id of the deposit. */
  transactionId: described(Id.TransactionId, "id of the deposit"),
  /** Hash on the chain; absent for an internal one. */
  txId: described(Absent.emptyable(Schema.String), "hash on the chain; absent for an internal one"),
  /** When it was created. */
  createTime: described(Instant.SecondsNumber, "when it was created")
}).annotations({ identifier: "Deposit" })

/**
 * One deposit. `type`: `"0"` on chain, `"1"` internal transfer (`address` is then the user's UID). `status`: `"0"` in progress,
 * `"1"` successful, `"2"` failed. `txId` only on chain. (rule records/deposit)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Deposit: Schema.Schema<Deposit, Schema.Schema.Encoded<typeof depositSchema>> = depositSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface Deposit extends Schema.Schema.Type<typeof depositSchema> {}

/**
 * Parameters of `assets.deposits`. `type`: 0 (the default) on chain, 1 internal transfer, 2 all. Instants are whole seconds.
 * (docs/reference/assets.md#deposits)
 *
 * @since 0.1.0
 * @category schemas
 */
export const DepositsRequest = Rule.all(
  Schema.Struct({
    /** 0 on chain, 1 internal transfers, 2 both. */
    type: described(Rule.optional(Rule.queryOneOf(0, 1, 2)), "0 on chain, 1 internal transfers, 2 both"),
    /** Only deposits on this chain; without it all. */
    chain: described(optionalText, "only deposits on this chain; without it all"),
    /** The coin, as `USDT`; without it all. */
    coin: described(optionalText, "the coin, as `USDT`; without it all"),
    /** Hash of the transaction on the chain. */
    txId: described(optionalText, "hash of the transaction on the chain"),
    /** Rows from this instant on. */
    startTime: described(optionalSeconds, "rows from this instant on"),
    /** Rows up to this instant. */
    endTime: described(optionalSeconds, "rows up to this instant"),
    /** The most rows of a page. */
    pageSize: described(Rule.optional(Rule.queryInteger(1, 50)), "the most rows of a page"),
    /** The cursor of the page before, verbatim; the first page without it. */
    cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
  }),
  ...Rule.timeRange("startTime", "endTime")
)

/**
 * @since 0.1.0
 * @category models
 */
export interface DepositsRequest extends Schema.Schema.Type<typeof DepositsRequest> {}

/**
 * Deposit records.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const deposits = Endpoint.make({
  name: "assets.deposits",
  domain: "Assets",
  summary: "Deposit records",
  method: "GET",
  path: "/private/v1/asset/deposit/query-record",
  signing: "parameter",
  envelope: "legacy",
  request: DepositsRequest,
  result: Schema.Struct({
    /** The rows of this page. */
    rows: described(Absent.rows(Deposit), "the rows of this page"),
    /** Passed as `cursor` it returns the next page; absent on the last. */
    cursor: described(Page.next, "passed as `cursor` it returns the next page; absent on the last")
  }),
  rateLimit: Endpoint.perMinute(300),
  safety: "read",
  paging: {
    items: "rows",
    cursor: "cursor",
    cursorParameter: "cursor",
    sizeParameter: "pageSize",
    size: Option.some({ min: 1, max: 50, default: 20 })
  },
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "s",
    span: Option.none(),
    reachBack: Option.none()
  },
  source: "docs/reference/rules.md#2-deposits",
  example: { coin: "USDT" },
  probes: [
    {
      request: ({ cursor, from, size, to }) => ({
        type: 2 as const,
        startTime: from,
        endTime: to,
        pageSize: size,
        cursor
      })
    }
  ]
})

/**
 * The result of `assets.deposits`.
 *
 * @since 0.1.0
 * @category models
 */
export interface DepositsResult extends Schema.Schema.Type<typeof deposits.result> {}

// Coins -------------------------------------------------------------------------------------------------------------

const coinInfoSchema = Naming.snakeCased({
  /** The coin. */
  coin: described(Id.Coin, "the coin"),
  /** Name of the coin. */
  coinName: described(Absent.withDefault(Schema.String, ""), "name of the coin"),
  /** Decimals at most. Unit: count. */
  accuracy: described(Absent.omittable(Integer), "decimals at most", "count"),
  /** Chains on which it can be deposited. */
  depositChains: described(
    Absent.list(
      Naming.snakeCased({
        /** The chain. */
        chain: described(Id.Chain, "the chain"),
        /** Name of the chain. */
        chainName: described(Absent.withDefault(Schema.String, ""), "name of the chain"),
        /** False while deposits are paused. */
        canDeposit: described(Absent.omittable(FlagNumber), "false while deposits are paused"),
        /** Smallest deposit. Unit: the coin. */
        depositMin: described(Absent.emptyable(Decimal), "smallest deposit", "the coin"),
        /** Confirmations before a deposit counts. Unit: count. */
        depositConfirmation: described(Absent.emptyable(IntegerText), "confirmations before a deposit counts", "count")
      })
    ),
    "chains on which it can be deposited"
  ),
  /** Chains on which it can be withdrawn. */
  withdrawChains: described(
    Absent.list(
      Naming.snakeCased({
        /** The chain. */
        chain: described(Id.Chain, "the chain"),
        /** Name of the chain. */
        chainName: described(Absent.withDefault(Schema.String, ""), "name of the chain"),
        /** False while withdrawals are paused. */
        canWithdraw: described(Absent.omittable(FlagNumber), "false while withdrawals are paused"),
        /** Smallest withdrawal. Unit: the coin. */
        withdrawMin: described(Absent.emptyable(Decimal), "smallest withdrawal", "the coin"),
        /** Fee of a withdrawal. Unit: the coin. */
        withdrawFee: described(Absent.emptyable(Decimal), "fee of a withdrawal", "the coin")
      })
    ),
    "chains on which it can be withdrawn"
  )
}).annotations({ identifier: "CoinInfo" })

/**
 * A coin and its chains. `accuracy`: decimals at most. Minimums and fees in the coin. (rule records/coin)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CoinInfo: Schema.Schema<CoinInfo, Schema.Schema.Encoded<typeof coinInfoSchema>> = coinInfoSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface CoinInfo extends Schema.Schema.Type<typeof coinInfoSchema> {}

/**
 * Parameters of `assets.coins`. (docs/reference/assets.md#coins)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CoinsRequest = Schema.Struct({
  /** The coin, as `USDT`; without it all. */
  coin: described(optionalText, "the coin, as `USDT`; without it all")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface CoinsRequest extends Schema.Schema.Type<typeof CoinsRequest> {}

/**
 * Coins and their chains.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const coins = Endpoint.make({
  name: "assets.coins",
  domain: "Assets",
  summary: "Coins and the chains they are deposited and withdrawn on",
  method: "GET",
  path: "/private/v1/asset/coin/query-info",
  signing: "parameter",
  envelope: "legacy",
  request: CoinsRequest,
  result: Schema.Struct({
    /** The rows of this page. */
    rows: described(Absent.rows(CoinInfo), "the rows of this page")
  }),
  rateLimit: Endpoint.perSecond(5),
  safety: "read",
  source: "docs/reference/rules.md#3-coins",
  example: { coin: "USDT" },
  probes: [{ request: () => ({}) }]
})

/**
 * The result of `assets.coins`.
 *
 * @since 0.1.0
 * @category models
 */
export interface CoinsResult extends Schema.Schema.Type<typeof coins.result> {}

// Bonuses -----------------------------------------------------------------------------------------------------------

const bonusUsageSchema = Naming.snakeCased({
  /** 1 bonus, 2 coupon. */
  awardType: described(Absent.omittable(Enumerations.AwardType), "1 bonus, 2 coupon"),
  /** The instrument that it was used for. */
  symbol: described(Absent.emptyable(Id.Symbol), "the instrument that it was used for"),
  /** When it was used. */
  time: described(Instant.SecondsNumber, "when it was used"),
  /** 1 trade, 2 trading fee, 3 funding fee. */
  type: described(Absent.omittable(Enumerations.BonusUsageType), "1 trade, 2 trading fee, 3 funding fee"),
  /** The coin. */
  coin: described(Id.Coin, "the coin"),
  /** Amount used. Unit: the coin. */
  amount: described(Decimal, "amount used", "the coin"),
  /** The order; absent where none belongs to it. */
  orderId: described(Absent.emptyable(Id.OrderId), "the order; absent where none belongs to it")
}).annotations({ identifier: "BonusUsage" })

/**
 * What a bonus or coupon was used for. `awardType`: 1 bonus, 2 coupon. `type`: 1 trade, 2 trading fee, 3 funding fee.
 * (rule records/bonus.type)
 *
 * @since 0.1.0
 * @category schemas
 */
export const BonusUsage: Schema.Schema<BonusUsage, Schema.Schema.Encoded<typeof bonusUsageSchema>> = bonusUsageSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface BonusUsage extends Schema.Schema.Type<typeof bonusUsageSchema> {}

/**
 * Parameters of `assets.bonusUsage`. Only USDT is supported. Records after `startTime` and before `endTime`, whole seconds.
 * (docs/reference/assets.md#bonususage)
 *
 * @since 0.1.0
 * @category schemas
 */
export const BonusUsageRequest = Rule.all(
  Schema.Struct({
    /** The coin; the service knows `USDT` alone. */
    coin: described(Rule.oneOf("USDT"), "the coin; the service knows `USDT` alone"),
    /** 1 bonuses, 2 coupons; without it both. */
    awardType: described(Rule.optional(Rule.queryOneOf(1, 2)), "1 bonuses, 2 coupons; without it both"),
    /** Rows from this instant on. */
    startTime: described(optionalSeconds, "rows from this instant on"),
    /** Rows up to this instant. */
    endTime: described(optionalSeconds, "rows up to this instant"),
    /** The most rows of a page. */
    limit: described(Rule.optional(Rule.queryInteger(1, 50)), "the most rows of a page")
  }),
  ...Rule.timeRange("startTime", "endTime")
)

/**
 * @since 0.1.0
 * @category models
 */
export interface BonusUsageRequest extends Schema.Schema.Type<typeof BonusUsageRequest> {}

/**
 * Bonus and coupon usage: at most `limit` records (default 10), without a cursor.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const bonusUsage = Endpoint.make({
  name: "assets.bonusUsage",
  domain: "Assets",
  summary: "What bonuses and coupons were used for",
  method: "GET",
  path: "/private/v1/asset/bonus/usage",
  signing: "parameter",
  envelope: "legacy",
  request: BonusUsageRequest,
  result: Schema.Struct({
    /** The rows of this page. */
    rows: described(Absent.rows(BonusUsage), "the rows of this page")
  }),
  rateLimit: Endpoint.perMinute(60),
  safety: "read",
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "s",
    span: Option.none(),
    reachBack: Option.none()
  },
  source: "docs/reference/rules.md#4-bonus-usage",
  example: { coin: "USDT" },
  probes: [{ request: ({ from, to }) => ({ coin: "USDT" as const, startTime: from, endTime: to, limit: 50 }) }]
})

/**
 * The result of `assets.bonusUsage`.
 *
 * @since 0.1.0
 * @category models
 */
export interface BonusUsageResult extends Schema.Schema.Type<typeof bonusUsage.result> {}

// Transfers ---------------------------------------------------------------------------------------------------------

const transferSchema = Schema.Struct({
  /** The caller's id of the transfer. */
  transferId: described(Id.TransferId, "the caller's id of the transfer"),
  /** The coin. */
  coin: described(Id.Coin, "the coin"),
  /** Amount. Unit: the coin. */
  amount: described(Decimal, "amount", "the coin"),
  /** Account type that it was taken from. */
  fromAccountType: described(Absent.withDefault(Enumerations.AccountType, ""), "account type that it was taken from"),
  /** Account type that received it. */
  toAccountType: described(Absent.withDefault(Enumerations.AccountType, ""), "account type that received it"),
  /** SUCCESS once it was made. */
  status: described(Enumeration.stated(Enumerations.TransferStatus), "SUCCESS once it was made"),
  /** When it was made. */
  timestamp: described(Instant.disputedText("s"), "when it was made")
}).annotations({ identifier: "Transfer" })

/**
 * A transfer between account types of one UID. (rule records/transfer)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transfer: Schema.Schema<Transfer, Schema.Schema.Encoded<typeof transferSchema>> = transferSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface Transfer extends Schema.Schema.Type<typeof transferSchema> {}

/**
 * Parameters of `assets.transfers`. Instants are whole seconds. (docs/reference/assets.md#transfers)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransfersRequest = Rule.all(
  Schema.Struct({
    /** The id under which it was made. */
    transferId: described(optionalText, "the id under which it was made"),
    /** The coin, as `USDT`; without it all. */
    coin: described(optionalText, "the coin, as `USDT`; without it all"),
    /** Only transfers in this status. */
    status: described(Rule.optional(Rule.given(Enumerations.TransferStatus)), "only transfers in this status"),
    /** Rows from this instant on. */
    startTime: described(optionalSeconds, "rows from this instant on"),
    /** Rows up to this instant. */
    endTime: described(optionalSeconds, "rows up to this instant"),
    /** The most rows of a page. */
    limit: described(Rule.optional(Rule.queryInteger(1, 50)), "the most rows of a page"),
    /** The cursor of the page before, verbatim; the first page without it. */
    cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
  }),
  ...Rule.timeRange("startTime", "endTime")
)

/**
 * @since 0.1.0
 * @category models
 */
export interface TransfersRequest extends Schema.Schema.Type<typeof TransfersRequest> {}

/**
 * Transfers between account types of this UID.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const transfers = Endpoint.make({
  name: "assets.transfers",
  domain: "Assets",
  summary: "Transfers between account types of this UID",
  method: "GET",
  path: "/private/v1/asset/transfer/list",
  signing: "parameter",
  request: TransfersRequest,
  result: Schema.Struct({
    /** The rows of this page. */
    list: described(Absent.rows(Transfer), "the rows of this page"),
    /** Passed as `cursor` it returns the next page; absent on the last. */
    cursor: described(Page.next, "passed as `cursor` it returns the next page; absent on the last")
  }),
  safety: "read",
  paging: {
    items: "list",
    cursor: "cursor",
    cursorParameter: "cursor",
    sizeParameter: "limit",
    size: Option.some({ min: 1, max: 50, default: 10 })
  },
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "s",
    span: Option.none(),
    reachBack: Option.none()
  },
  source: "docs/reference/rules.md#8-transfers-between-account-types",
  example: { coin: "USDT", limit: 50 },
  probes: [{ request: ({ cursor, from, size, to }) => ({ startTime: from, endTime: to, limit: size, cursor }) }]
})

/**
 * The result of `assets.transfers`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransfersResult extends Schema.Schema.Type<typeof transfers.result> {}

const UidNumber: Schema.Schema<Id.Uid, string | number> = Schema.transform(
  textOrNumber("must be text or a number", (fc) => fc.integer({ min: 0, max: 2_147_483_647 })),
  Id.Uid,
  { strict: true, decode: String, encode: (uid) => (/^(0|[1-9]\d{0,14})$/.test(String(uid)) ? Number(uid) : uid) }
)

const subAccountTransferSchema = Naming.snakeCased({
  /** The caller's id of the transfer. */
  transferId: described(Id.TransferId, "the caller's id of the transfer"),
  /** The coin. */
  coin: described(Id.Coin, "the coin"),
  /** Amount. Unit: the coin. */
  amount: described(Decimal, "amount", "the coin"),
  /** UID of this account. */
  userId: described(UidNumber, "UID of this account"),
  /** UID of the sub-account. */
  subUserId: described(UidNumber, "UID of the sub-account"),
  /** When it was made. */
  timestamp: described(Instant.disputedText("ms"), "when it was made"),
  /** SUCCESS once it was made. */
  status: described(Enumeration.stated(Enumerations.TransferStatus), "SUCCESS once it was made"),
  /** IN or OUT. */
  type: described(Enumeration.stated(Enumerations.SubAccountTransferType), "IN or OUT")
}).annotations({ identifier: "SubAccountTransfer" })

/**
 * A transfer between an account and a sub-account. `type`: IN or OUT. (rule records/sub-account-transfer)
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubAccountTransfer: Schema.Schema<
  SubAccountTransfer,
  Schema.Schema.Encoded<typeof subAccountTransferSchema>
> = subAccountTransferSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface SubAccountTransfer extends Schema.Schema.Type<typeof subAccountTransferSchema> {}

const direction = Schema.Union(Rule.queryInteger(0), Rule.given(Enumerations.PageDirection)).annotations({
  message: () => ({ message: "must be a word or a whole number", override: true })
})

/**
 * Parameters of `assets.subAccountTransfers`. `direction` is about paging: a whole number by the document, a word by the pages of the
 * service
 * (docs/reference/contradictions.md#direction-of-sub-account-transfers). Instants are whole seconds. (docs/reference/assets.md#subaccounttransfers)
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubAccountTransfersRequest = Rule.all(
  Naming.snakeCased({
    /** The id under which it was made. */
    transferId: described(optionalText, "the id under which it was made"),
    /** The coin, as `USDT`; without it all. */
    coin: described(optionalText, "the coin, as `USDT`; without it all"),
    /** Only transfers in this status. */
    status: described(Rule.optional(Rule.given(Enumerations.TransferStatus)), "only transfers in this status"),
    /** Rows from this instant on. */
    startTime: described(optionalSeconds, "rows from this instant on"),
    /** Rows up to this instant. */
    endTime: described(optionalSeconds, "rows up to this instant"),
    /** Not described by the document. */
    direction: described(Rule.optional(direction), "not described by the document"),
    /** The most rows of a page. */
    limit: described(Rule.optional(Rule.queryInteger(1)), "the most rows of a page"),
    /** The cursor of the page before, verbatim; the first page without it. */
    cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
  }),
  ...Rule.timeRange("startTime", "endTime")
)

/**
 * @since 0.1.0
 * @category models
 */
export interface SubAccountTransfersRequest extends Schema.Schema.Type<typeof SubAccountTransfersRequest> {}

/**
 * Transfers between this account and its sub-accounts.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const subAccountTransfers = Endpoint.make({
  name: "assets.subAccountTransfers",
  domain: "Assets",
  summary: "Transfers between this account and its sub-accounts",
  method: "GET",
  path: "/private/v1/asset/sub-member/transfer/list",
  signing: "parameter",
  envelope: "bare",
  request: SubAccountTransfersRequest,
  result: Schema.Struct({
    /** The rows of this page. */
    list: described(Absent.rows(SubAccountTransfer), "the rows of this page"),
    /** Passed as `cursor` it returns the next page; absent on the last. */
    cursor: described(Page.next, "passed as `cursor` it returns the next page; absent on the last")
  }),
  safety: "read",
  paging: {
    items: "list",
    cursor: "cursor",
    cursorParameter: "cursor",
    sizeParameter: "limit",
    size: Option.none()
  },
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "s",
    span: Option.none(),
    reachBack: Option.none()
  },
  source: "docs/reference/rules.md#14-transfers-with-sub-accounts",
  example: { coin: "USDT", limit: 50 },
  probes: [{ request: ({ cursor, from, size, to }) => ({ startTime: from, endTime: to, limit: size, cursor }) }]
})

/**
 * The result of `assets.subAccountTransfers`.
 *
 * @since 0.1.0
 * @category models
 */
export interface SubAccountTransfersResult extends Schema.Schema.Type<typeof subAccountTransfers.result> {}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Parameters of `assets.transfer`. `requestId` is a UUID of the caller's, with dashes: the service makes the
 * transfer once for it, however often it is sent. (docs/reference/assets.md#transfer)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransferRequest = Schema.Struct({
  /** The caller's id, under which the service does it once. */
  requestId: described(
    Rule.text(
      "must be a UUID with dashes",
      (id) => uuid.test(id),
      /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
      { format: "uuid", minLength: 36, maxLength: 36 }
    ),
    "the caller's id, under which the service does it once"
  ),
  /** The coin, as `USDT`. */
  coin: described(Rule.nonEmpty, "the coin, as `USDT`"),
  /** How much. Unit: the coin. */
  amount: described(Rule.positive, "how much", "the coin"),
  /** The account that it leaves. */
  fromAccountType: described(Rule.given(Enumerations.AccountType), "the account that it leaves"),
  /** The account that it reaches. */
  toAccountType: described(Rule.given(Enumerations.AccountType), "the account that it reaches")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface TransferRequest extends Schema.Schema.Type<typeof TransferRequest> {}

const transferAckSchema = eitherSpelling(
  Schema.Struct({
    /** The caller's id of the transfer. */
    transferId: described(Id.TransferId, "the caller's id of the transfer")
  }),
  Naming.snakeCased({
    /** The caller's id of the transfer. */
    transferId: described(Id.TransferId, "the caller's id of the transfer")
  })
)

/**
 * The id under which the transfer is listed: `transferId`, or `transfer_id` as the document's example has it.
 * (docs/reference/contradictions.md#id-of-a-transfer)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransferAck: Schema.Schema<
  TransferAck,
  Schema.Schema.Encoded<typeof transferAckSchema>
> = transferAckSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface TransferAck extends Schema.Schema.Type<typeof transferAckSchema> {}

const executedBy = ({ status }: Transfer): Endpoint.Finding["executed"] =>
  status === "SUCCESS" ? "yes" : status === "FAILED" ? "no" : "undetermined"

/**
 * Moves coins between account types of this UID.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const transfer = Endpoint.make({
  name: "assets.transfer",
  domain: "Assets",
  summary: "Move coins between account types of this UID",
  method: "POST",
  path: "/private/v1/asset/transfer/single-account-transfer",
  signing: "parameter",
  envelope: "legacy",
  request: TransferRequest,
  result: TransferAck,
  rateLimit: Endpoint.perSecond(1),
  safety: "idempotent",
  movesFunds: true,
  contradicts: repeated.transferId,
  lookUp: (parameters, read) => {
    const transferId = text(parameters, "requestId")
    return Effect.map(read(transfers, { transferId }), ({ list }) => {
      // A UUID is the same in either case.
      const evidence = list.filter((transfer) => transfer.transferId.toLowerCase() === transferId.toLowerCase())
      const [transfer] = evidence
      // If it is not listed, it may still be on its way: sending it again with the same id is safe. One that differs is another transfer.
      return {
        executed:
          transfer !== undefined && agrees(parameters, transfer) === true ? executedBy(transfer) : "undetermined",
        evidence
      }
    })
  },
  source: "docs/reference/rules.md#16-making-a-transfer",
  example: {
    requestId: "42c0cfb0-6bca-4242-bc76-4e6df6cbcb16",
    coin: "USDT",
    amount: "25",
    fromAccountType: "FUND",
    toAccountType: "UNIFIED"
  }
})

/**
 * Parameters of `assets.transferableCoins`. (docs/reference/assets.md#transferablecoins)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransferableCoinsRequest = Schema.Struct({
  /** The account that it leaves. */
  fromAccountType: described(Rule.given(Enumerations.AccountType), "the account that it leaves"),
  /** The account that it reaches. */
  toAccountType: described(Rule.given(Enumerations.AccountType), "the account that it reaches")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface TransferableCoinsRequest extends Schema.Schema.Type<typeof TransferableCoinsRequest> {}

/**
 * Coins that may be moved from one account type to another.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const transferableCoins = Endpoint.make({
  name: "assets.transferableCoins",
  domain: "Assets",
  summary: "Coins that may be moved from one account type to another",
  method: "GET",
  path: "/private/v1/asset/transfer/query-coins",
  signing: "parameter",
  envelope: "legacy",
  request: TransferableCoinsRequest,
  result: Schema.Struct({
    /** Coins that can be moved. */
    coins: described(Absent.rows(Id.Coin), "coins that can be moved")
  }),
  rateLimit: Endpoint.perMinute(60),
  safety: "read",
  source: "docs/reference/rules.md#19-transferable-coins",
  example: { fromAccountType: "FUND", toAccountType: "UNIFIED" },
  probes: [{ request: () => ({ fromAccountType: "UNIFIED", toAccountType: "FUND" }) }]
})

/**
 * The result of `assets.transferableCoins`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransferableCoinsResult extends Schema.Schema.Type<typeof transferableCoins.result> {}

// Withdrawals -------------------------------------------------------------------------------------------------------

const withdrawCommon = {
  /** The caller's id, under which the service does it once. */
  requestId: described(
    Rule.text("must be 1 to 64 letters and digits", (id) => /^[A-Za-z0-9]{1,64}$/.test(id), undefined, {
      minLength: 1,
      maxLength: 64,
      pattern: "^[A-Za-z0-9]*$"
    }),
    "the caller's id, under which the service does it once"
  ),
  /** The coin, as `USDT`. */
  coin: described(Rule.nonEmpty, "the coin, as `USDT`"),
  /** The recipient: an email address, a phone number or a UID, which is in the address book. */
  address: described(
    Rule.nonEmpty,
    "the recipient: an email address, a phone number or a UID, which is in the address book"
  ),
  /** How much. Unit: the coin. */
  amount: described(Rule.positive, "how much", "the coin"),
  /** A text that stays with it. */
  remark: described(
    Rule.optional(
      Rule.text("must be at most 50 characters", (remark) => Array.from(remark).length <= 50, undefined, {
        maxLength: 50
      })
    ),
    "a text that stays with it"
  )
}

const addressType = <const Type extends 1 | 2 | 3>(type: Type) =>
  Schema.Literal(type).annotations({
    message: () => ({ message: "must be one of 1, 2, 3", override: true })
  })

// The service ignores it but for phone numbers: whatever it is, it is no reason to refuse.
const ignoredAreaCode = Rule.optional(
  textOrNumber("must be a number or text", (fc) => fc.integer({ min: 0, max: 999 }))
)

/**
 * Parameters of `assets.withdrawInternal`, but for `addressType` and `areaCode`.
 *
 * @since 0.1.0
 * @category models
 */
export interface InternalWithdrawal extends Schema.Struct.Type<typeof withdrawCommon> {}

/**
 * A recipient by phone number, which requires an area code.
 *
 * @since 0.1.0
 * @category models
 */
export interface PhoneRecipient {
  /** 2: `address` is a phone number. */
  readonly addressType: 2
  /** Of the phone number. */
  readonly areaCode: number
}

/**
 * A recipient by email address or UID.
 *
 * @since 0.1.0
 * @category models
 */
export interface OtherRecipient {
  /** What `address` is: 1 email, 3 UID. */
  readonly addressType: 1 | 3
  /** Ignored. */
  readonly areaCode?: string | number | undefined
}

/**
 * Parameters of `assets.withdrawInternal`. `addressType`: 1 e-mail, 2 phone (then `areaCode` is required), 3 UID. The recipient
 * must be in the address book. `requestId`: the service withdraws once for it, however often it is sent.
 * (docs/reference/assets.md#withdrawinternal)
 *
 * @since 0.1.0
 * @category schemas
 */
export const WithdrawInternalRequest = Rule.typed<WithdrawInternalRequest>()(
  Schema.Union(
    Schema.Struct({
      ...withdrawCommon,
      /** What `address` is: 1 email, 2 phone, 3 UID. */
      addressType: described(addressType(1), "what `address` is: 1 email, 2 phone, 3 UID"),
      /** Of a phone number. */
      areaCode: described(ignoredAreaCode, "of a phone number")
    }),
    Schema.Struct({
      ...withdrawCommon,
      /** What `address` is: 1 email, 2 phone, 3 UID. */
      addressType: described(addressType(2), "what `address` is: 1 email, 2 phone, 3 UID"),
      /** Of a phone number. */
      areaCode: described(Rule.bodyInteger(1), "of a phone number")
    }),
    Schema.Struct({
      ...withdrawCommon,
      /** What `address` is: 1 email, 2 phone, 3 UID. */
      addressType: described(addressType(3), "what `address` is: 1 email, 2 phone, 3 UID"),
      /** Of a phone number. */
      areaCode: described(ignoredAreaCode, "of a phone number")
    })
  )
)

/**
 * @since 0.1.0
 * @category models
 */
export type WithdrawInternalRequest = InternalWithdrawal & (PhoneRecipient | OtherRecipient)

/**
 * Withdraws to another user of the service. Only with the API key of a master UID.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const withdrawInternal = Endpoint.make({
  name: "assets.withdrawInternal",
  domain: "Assets",
  summary: "Withdraw to another user of the service",
  method: "POST",
  path: "/private/v1/asset/withdraw/inner-create",
  signing: "parameter",
  request: WithdrawInternalRequest,
  result: Naming.snakeCased({
    /** Id of the withdrawal. */
    withdrawId: described(Id.WithdrawId, "id of the withdrawal")
  }),
  rateLimit: Endpoint.perSecond(1),
  safety: "idempotent",
  movesFunds: true,
  source: "docs/reference/rules.md#15-internal-withdrawal",
  example: {
    requestId: "withdrawal1",
    coin: "USDT",
    amount: "25",
    address: "20000001",
    addressType: 3
  }
})

/**
 * The result of `assets.withdrawInternal`.
 *
 * @since 0.1.0
 * @category models
 */
export interface WithdrawInternalResult extends Schema.Schema.Type<typeof withdrawInternal.result> {}

// Funding account ---------------------------------------------------------------------------------------------------

const FundingAccount = Schema.Struct({
  /** ACCOUNT_STATUS_NORMAL, or ACCOUNT_STATUS_UNSPECIFIED for a banned account. */
  status: described(
    Absent.withDefault(Enumerations.AssetAccountStatus, ""),
    "ACCOUNT_STATUS_NORMAL, or ACCOUNT_STATUS_UNSPECIFIED for a banned account"
  ),
  /** Balances by coin. */
  assets: described(
    Absent.rows(
      Naming.snakeCased({
        /** The coin. */
        coin: described(Id.Coin, "the coin"),
        /** What can be moved. Unit: the coin. */
        free: described(Decimal, "what can be moved", "the coin"),
        /** Balance with what is locked. Unit: the coin. */
        totalBalance: described(Decimal, "balance with what is locked", "the coin")
      })
    ),
    "balances by coin"
  )
})

const fundingAssetsSchema = Schema.Struct({
  /** The spot account; absent where it was not asked for. */
  spot: described(Absent.omittable(FundingAccount), "the spot account; absent where it was not asked for"),
  /** The funding account; absent where it was not asked for. */
  fund: described(Absent.omittable(FundingAccount), "the funding account; absent where it was not asked for")
}).annotations({ identifier: "FundingAssets" })

/**
 * The spot and the funding account and their coins; the account type of the request decides which. A status of
 * ACCOUNT_STATUS_UNSPECIFIED means banned. (rule records/funding)
 *
 * @since 0.1.0
 * @category schemas
 */
export const FundingAssets: Schema.Schema<
  FundingAssets,
  Schema.Schema.Encoded<typeof fundingAssetsSchema>
> = fundingAssetsSchema

/**
 * @since 0.1.0
 * @category models
 */
export interface FundingAssets extends Schema.Schema.Type<typeof fundingAssetsSchema> {}

/**
 * Parameters of `assets.fundingAssets`. The document says FUND, its example SPOT: both are accepted.
 * (docs/reference/assets.md#fundingassets; docs/reference/contradictions.md#account-type-of-the-funding-account)
 *
 * @since 0.1.0
 * @category schemas
 */
export const FundingAssetsRequest = Schema.Struct({
  /** The account; what its values select, the document leaves open. */
  accountType: described(Rule.oneOf("FUND", "SPOT"), "the account; what its values select, the document leaves open"),
  /** The coin, as `USDT`; without it all. */
  coin: described(optionalText, "the coin, as `USDT`; without it all")
})

/**
 * @since 0.1.0
 * @category models
 */
export interface FundingAssetsRequest extends Schema.Schema.Type<typeof FundingAssetsRequest> {}

/**
 * The balances of the funding or spot account. Its path is of v3 and its signature of v1.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const fundingAssets = Endpoint.make({
  name: "assets.fundingAssets",
  domain: "Assets",
  summary: "What the funding or spot account holds",
  method: "GET",
  path: "/cloud/trade/v3/asset/transfer/query-asset-info",
  signing: "parameter",
  request: FundingAssetsRequest,
  result: FundingAssets,
  safety: "read",
  source: "docs/reference/rules.md#17-funding-account",
  example: { accountType: "FUND" },
  probes: [{ request: () => ({ accountType: "FUND" as const }) }]
})

/**
 * The endpoints of the domain by name, in the order in which they are listed.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = {
  deposits,
  coins,
  bonusUsage,
  transfers,
  subAccountTransfers,
  transfer,
  transferableCoins,
  withdrawInternal,
  fundingAssets
}
