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

/**
 * One deposit. `type`: `"0"` on chain, `"1"` internal transfer (`address` is then the user's UID). `status`: `"0"` in progress,
 * `"1"` successful, `"2"` failed. `txId` only on chain. (rule records/deposit)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Deposit = Naming.snakeCased({
  type: described(
    Absent.withDefault(Enumeration.textOrNumber(Enumerations.DepositType), ""),
    "0 on chain, 1 from another user of the service"
  ),
  chain: described(Absent.emptyable(Id.Chain), "the chain"),
  coin: described(Id.Coin, "the coin"),
  amount: described(Decimal, "amount", "the coin"),
  address: described(
    Absent.emptyable(Schema.String),
    "address of the deposit; of an internal one the UID of the sender"
  ),
  status: described(
    Enumeration.textOrNumber(Enumeration.stated(Enumerations.DepositStatus)),
    "0 in progress, 1 successful, 2 failed"
  ),
  time: described(Instant.SecondsText, "when it was last changed"),
  transactionId: described(Id.TransactionId, "id of the deposit"),
  txId: described(Absent.emptyable(Schema.String), "hash on the chain; absent for an internal one"),
  createTime: described(Instant.SecondsNumber, "when it was created")
}).annotations({ identifier: "Deposit" })

/**
 * @since 0.1.0
 * @category models
 */
export type Deposit = typeof Deposit.Type

/**
 * Parameters of `assets.deposits`. `type`: 0 (the default) on chain, 1 internal transfer, 2 all. Instants are whole seconds.
 * (docs/reference/assets.md#deposits)
 *
 * @since 0.1.0
 * @category schemas
 */
export const DepositsRequest = Rule.all(
  Schema.Struct({
    type: described(Rule.optional(Rule.queryOneOf(0, 1, 2)), "0 on chain, 1 internal transfers, 2 both"),
    chain: described(optionalText, "only deposits on this chain; without it all"),
    coin: described(optionalText, "the coin, as `USDT`; without it all"),
    txId: described(optionalText, "hash of the transaction on the chain"),
    startTime: described(optionalSeconds, "rows from this instant on"),
    endTime: described(optionalSeconds, "rows up to this instant"),
    pageSize: described(Rule.optional(Rule.queryInteger(1, 50)), "the most rows of a page"),
    cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
  }),
  ...Rule.timeRange("startTime", "endTime")
)

/**
 * @since 0.1.0
 * @category models
 */
export type DepositsRequest = typeof DepositsRequest.Type

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
    rows: described(Absent.rows(Deposit), "the rows of this page"),
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

// Coins -------------------------------------------------------------------------------------------------------------

/**
 * A coin and its chains. `accuracy`: decimals at most. Minimums and fees in the coin. (rule records/coin)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CoinInfo = Naming.snakeCased({
  coin: described(Id.Coin, "the coin"),
  coinName: described(Absent.withDefault(Schema.String, ""), "name of the coin"),
  accuracy: described(Absent.omittable(Integer), "decimals at most", "count"),
  depositChains: described(
    Absent.list(
      Naming.snakeCased({
        chain: described(Id.Chain, "the chain"),
        chainName: described(Absent.withDefault(Schema.String, ""), "name of the chain"),
        canDeposit: described(Absent.omittable(FlagNumber), "false while deposits are paused"),
        depositMin: described(Absent.emptyable(Decimal), "smallest deposit", "the coin"),
        depositConfirmation: described(Absent.emptyable(IntegerText), "confirmations before a deposit counts", "count")
      })
    ),
    "chains on which it can be deposited"
  ),
  withdrawChains: described(
    Absent.list(
      Naming.snakeCased({
        chain: described(Id.Chain, "the chain"),
        chainName: described(Absent.withDefault(Schema.String, ""), "name of the chain"),
        canWithdraw: described(Absent.omittable(FlagNumber), "false while withdrawals are paused"),
        withdrawMin: described(Absent.emptyable(Decimal), "smallest withdrawal", "the coin"),
        withdrawFee: described(Absent.emptyable(Decimal), "fee of a withdrawal", "the coin")
      })
    ),
    "chains on which it can be withdrawn"
  )
}).annotations({ identifier: "CoinInfo" })

/**
 * @since 0.1.0
 * @category models
 */
export type CoinInfo = typeof CoinInfo.Type

/**
 * Parameters of `assets.coins`. (docs/reference/assets.md#coins)
 *
 * @since 0.1.0
 * @category schemas
 */
export const CoinsRequest = Schema.Struct({ coin: described(optionalText, "the coin, as `USDT`; without it all") })

/**
 * @since 0.1.0
 * @category models
 */
export type CoinsRequest = typeof CoinsRequest.Type

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
  result: Schema.Struct({ rows: described(Absent.rows(CoinInfo), "the rows of this page") }),
  rateLimit: Endpoint.perSecond(5),
  safety: "read",
  source: "docs/reference/rules.md#3-coins",
  example: { coin: "USDT" },
  probes: [{ request: () => ({}) }]
})

// Bonuses -----------------------------------------------------------------------------------------------------------

/**
 * What a bonus or coupon was used for. `awardType`: 1 bonus, 2 coupon. `type`: 1 trade, 2 trading fee, 3 funding fee.
 * (rule records/bonus.type)
 *
 * @since 0.1.0
 * @category schemas
 */
export const BonusUsage = Naming.snakeCased({
  awardType: described(Absent.omittable(Enumerations.AwardType), "1 bonus, 2 coupon"),
  symbol: described(Absent.emptyable(Id.Symbol), "the instrument that it was used for"),
  time: described(Instant.SecondsNumber, "when it was used"),
  type: described(Absent.omittable(Enumerations.BonusUsageType), "1 trade, 2 trading fee, 3 funding fee"),
  coin: described(Id.Coin, "the coin"),
  amount: described(Decimal, "amount used", "the coin"),
  orderId: described(Absent.emptyable(Id.OrderId), "the order; absent where none belongs to it")
}).annotations({ identifier: "BonusUsage" })

/**
 * @since 0.1.0
 * @category models
 */
export type BonusUsage = typeof BonusUsage.Type

/**
 * Parameters of `assets.bonusUsage`. Only USDT is supported. Records after `startTime` and before `endTime`, whole seconds.
 * (docs/reference/assets.md#bonususage)
 *
 * @since 0.1.0
 * @category schemas
 */
export const BonusUsageRequest = Rule.all(
  Schema.Struct({
    coin: described(Rule.oneOf("USDT"), "the coin; the service knows `USDT` alone"),
    awardType: described(Rule.optional(Rule.queryOneOf(1, 2)), "1 bonuses, 2 coupons; without it both"),
    startTime: described(optionalSeconds, "rows from this instant on"),
    endTime: described(optionalSeconds, "rows up to this instant"),
    limit: described(Rule.optional(Rule.queryInteger(1, 50)), "the most rows of a page")
  }),
  ...Rule.timeRange("startTime", "endTime")
)

/**
 * @since 0.1.0
 * @category models
 */
export type BonusUsageRequest = typeof BonusUsageRequest.Type

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
  result: Schema.Struct({ rows: described(Absent.rows(BonusUsage), "the rows of this page") }),
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

// Transfers ---------------------------------------------------------------------------------------------------------

/**
 * A transfer between account types of one UID. (rule records/transfer)
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transfer = Schema.Struct({
  transferId: described(Id.TransferId, "the caller's id of the transfer"),
  coin: described(Id.Coin, "the coin"),
  amount: described(Decimal, "amount", "the coin"),
  fromAccountType: described(Absent.withDefault(Enumerations.AccountType, ""), "account type that it was taken from"),
  toAccountType: described(Absent.withDefault(Enumerations.AccountType, ""), "account type that received it"),
  status: described(Enumeration.stated(Enumerations.TransferStatus), "SUCCESS once it was made"),
  timestamp: described(Instant.disputedText("s"), "when it was made")
}).annotations({ identifier: "Transfer" })

/**
 * @since 0.1.0
 * @category models
 */
export type Transfer = typeof Transfer.Type

/**
 * Parameters of `assets.transfers`. Instants are whole seconds. (docs/reference/assets.md#transfers)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransfersRequest = Rule.all(
  Schema.Struct({
    transferId: described(optionalText, "the id under which it was made"),
    coin: described(optionalText, "the coin, as `USDT`; without it all"),
    status: described(Rule.optional(Rule.given(Enumerations.TransferStatus)), "only transfers in this status"),
    startTime: described(optionalSeconds, "rows from this instant on"),
    endTime: described(optionalSeconds, "rows up to this instant"),
    limit: described(Rule.optional(Rule.queryInteger(1, 50)), "the most rows of a page"),
    cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
  }),
  ...Rule.timeRange("startTime", "endTime")
)

/**
 * @since 0.1.0
 * @category models
 */
export type TransfersRequest = typeof TransfersRequest.Type

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
    list: described(Absent.rows(Transfer), "the rows of this page"),
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

const UidNumber: Schema.Schema<Id.Uid, string | number> = Schema.transform(
  textOrNumber("must be text or a number", (fc) => fc.integer({ min: 0, max: 2_147_483_647 })),
  Id.Uid,
  { strict: true, decode: String, encode: (uid) => (/^(0|[1-9]\d{0,14})$/.test(String(uid)) ? Number(uid) : uid) }
)

/**
 * A transfer between an account and a sub-account. `type`: IN or OUT. (rule records/sub-account-transfer)
 *
 * @since 0.1.0
 * @category schemas
 */
export const SubAccountTransfer = Naming.snakeCased({
  transferId: described(Id.TransferId, "the caller's id of the transfer"),
  coin: described(Id.Coin, "the coin"),
  amount: described(Decimal, "amount", "the coin"),
  userId: described(UidNumber, "UID of this account"),
  subUserId: described(UidNumber, "UID of the sub-account"),
  timestamp: described(Instant.disputedText("ms"), "when it was made"),
  status: described(Enumeration.stated(Enumerations.TransferStatus), "SUCCESS once it was made"),
  type: described(Enumeration.stated(Enumerations.SubAccountTransferType), "IN or OUT")
}).annotations({ identifier: "SubAccountTransfer" })

/**
 * @since 0.1.0
 * @category models
 */
export type SubAccountTransfer = typeof SubAccountTransfer.Type

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
    transferId: described(optionalText, "the id under which it was made"),
    coin: described(optionalText, "the coin, as `USDT`; without it all"),
    status: described(Rule.optional(Rule.given(Enumerations.TransferStatus)), "only transfers in this status"),
    startTime: described(optionalSeconds, "rows from this instant on"),
    endTime: described(optionalSeconds, "rows up to this instant"),
    direction: described(Rule.optional(direction), "not described by the document"),
    limit: described(Rule.optional(Rule.queryInteger(1)), "the most rows of a page"),
    cursor: described(Page.cursor, "the cursor of the page before, verbatim; the first page without it")
  }),
  ...Rule.timeRange("startTime", "endTime")
)

/**
 * @since 0.1.0
 * @category models
 */
export type SubAccountTransfersRequest = typeof SubAccountTransfersRequest.Type

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
    list: described(Absent.rows(SubAccountTransfer), "the rows of this page"),
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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Parameters of `assets.transfer`. `requestId` is a UUID of the caller's, with dashes: the service makes the
 * transfer once for it, however often it is sent. (docs/reference/assets.md#transfer)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransferRequest = Schema.Struct({
  requestId: described(
    Rule.text(
      "must be a UUID with dashes",
      (id) => uuid.test(id),
      /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
      { format: "uuid", minLength: 36, maxLength: 36 }
    ),
    "the caller's id, under which the service does it once"
  ),
  coin: described(Rule.nonEmpty, "the coin, as `USDT`"),
  amount: described(Rule.positive, "how much", "the coin"),
  fromAccountType: described(Rule.given(Enumerations.AccountType), "the account that it leaves"),
  toAccountType: described(Rule.given(Enumerations.AccountType), "the account that it reaches")
})

/**
 * @since 0.1.0
 * @category models
 */
export type TransferRequest = typeof TransferRequest.Type

/**
 * The id under which the transfer is listed: `transferId`, or `transfer_id` as the document's example has it.
 * (docs/reference/contradictions.md#id-of-a-transfer)
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransferAck = eitherSpelling(
  Schema.Struct({ transferId: described(Id.TransferId, "the caller's id of the transfer") }),
  Naming.snakeCased({ transferId: described(Id.TransferId, "the caller's id of the transfer") })
)

/**
 * @since 0.1.0
 * @category models
 */
export type TransferAck = typeof TransferAck.Type

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
  fromAccountType: described(Rule.given(Enumerations.AccountType), "the account that it leaves"),
  toAccountType: described(Rule.given(Enumerations.AccountType), "the account that it reaches")
})

/**
 * @since 0.1.0
 * @category models
 */
export type TransferableCoinsRequest = typeof TransferableCoinsRequest.Type

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
  result: Schema.Struct({ coins: described(Absent.rows(Id.Coin), "coins that can be moved") }),
  rateLimit: Endpoint.perMinute(60),
  safety: "read",
  source: "docs/reference/rules.md#19-transferable-coins",
  example: { fromAccountType: "FUND", toAccountType: "UNIFIED" },
  probes: [{ request: () => ({ fromAccountType: "UNIFIED", toAccountType: "FUND" }) }]
})

// Withdrawals -------------------------------------------------------------------------------------------------------

const withdrawCommon = {
  requestId: described(
    Rule.text("must be 1 to 64 letters and digits", (id) => /^[A-Za-z0-9]{1,64}$/.test(id), undefined, {
      minLength: 1,
      maxLength: 64,
      pattern: "^[A-Za-z0-9]*$"
    }),
    "the caller's id, under which the service does it once"
  ),
  coin: described(Rule.nonEmpty, "the coin, as `USDT`"),
  address: described(
    Rule.nonEmpty,
    "the recipient: an email address, a phone number or a UID, which is in the address book"
  ),
  amount: described(Rule.positive, "how much", "the coin"),
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
 * Parameters of `assets.withdrawInternal`. `addressType`: 1 e-mail, 2 phone (then `areaCode` is required), 3 UID. The recipient
 * must be in the address book. `requestId`: the service withdraws once for it, however often it is sent.
 * (docs/reference/assets.md#withdrawinternal)
 *
 * @since 0.1.0
 * @category schemas
 */
export const WithdrawInternalRequest = Schema.Union(
  Schema.Struct({
    ...withdrawCommon,
    addressType: described(addressType(1), "what `address` is: 1 email, 2 phone, 3 UID"),
    areaCode: described(ignoredAreaCode, "of a phone number")
  }),
  Schema.Struct({
    ...withdrawCommon,
    addressType: described(addressType(2), "what `address` is: 1 email, 2 phone, 3 UID"),
    areaCode: described(Rule.bodyInteger(1), "of a phone number")
  }),
  Schema.Struct({
    ...withdrawCommon,
    addressType: described(addressType(3), "what `address` is: 1 email, 2 phone, 3 UID"),
    areaCode: described(ignoredAreaCode, "of a phone number")
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type WithdrawInternalRequest = typeof WithdrawInternalRequest.Type

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
  result: Naming.snakeCased({ withdrawId: described(Id.WithdrawId, "id of the withdrawal") }),
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

// Funding account ---------------------------------------------------------------------------------------------------

const FundingAccount = Schema.Struct({
  status: described(
    Absent.withDefault(Enumerations.AssetAccountStatus, ""),
    "ACCOUNT_STATUS_NORMAL, or ACCOUNT_STATUS_UNSPECIFIED for a banned account"
  ),
  assets: described(
    Absent.rows(
      Naming.snakeCased({
        coin: described(Id.Coin, "the coin"),
        free: described(Decimal, "what can be moved", "the coin"),
        totalBalance: described(Decimal, "balance with what is locked", "the coin")
      })
    ),
    "balances by coin"
  )
})

/**
 * The spot and the funding account and their coins; the account type of the request decides which. A status of
 * ACCOUNT_STATUS_UNSPECIFIED means banned. (rule records/funding)
 *
 * @since 0.1.0
 * @category schemas
 */
export const FundingAssets = Schema.Struct({
  spot: described(Absent.omittable(FundingAccount), "the spot account; absent where it was not asked for"),
  fund: described(Absent.omittable(FundingAccount), "the funding account; absent where it was not asked for")
}).annotations({ identifier: "FundingAssets" })

/**
 * @since 0.1.0
 * @category models
 */
export type FundingAssets = typeof FundingAssets.Type

/**
 * Parameters of `assets.fundingAssets`. The document says FUND, its example SPOT: both are accepted.
 * (docs/reference/assets.md#fundingassets; docs/reference/contradictions.md#account-type-of-the-funding-account)
 *
 * @since 0.1.0
 * @category schemas
 */
export const FundingAssetsRequest = Schema.Struct({
  accountType: described(Rule.oneOf("FUND", "SPOT"), "the account; what its values select, the document leaves open"),
  coin: described(optionalText, "the coin, as `USDT`; without it all")
})

/**
 * @since 0.1.0
 * @category models
 */
export type FundingAssetsRequest = typeof FundingAssetsRequest.Type

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
