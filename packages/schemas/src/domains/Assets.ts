/** Assets: deposits, coins, bonuses, transfers, internal withdrawals and the funding account. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import { Decimal } from "../scalars/Decimal.js"
import * as Endpoint from "../endpoint/Endpoint.js"
import { narrowType, perMinute, timeRange } from "../endpoint/definition.js"
import * as Enumeration from "../scalars/enumeration.js"
import * as Enumerations from "../scalars/Enumerations.js"
import { FlagNumber } from "../scalars/flag.js"
import * as Id from "../scalars/Id.js"
import * as instants from "../scalars/instants.js"
import * as LookUp from "../endpoint/lookUp.js"
import * as repeated from "../endpoint/repeated.js"
import { Integer, IntegerText } from "../scalars/integer.js"
import { eitherSpelling } from "../fields/eitherSpelling.js"
import { textOrNumber } from "../scalars/codec.js"
import * as Naming from "../rules/naming.js"
import * as Page from "../endpoint/page.js"
import * as Refusals from "../rules/Refusals.js"
import * as Rule from "../rules/rule.js"
import { describeChoice } from "../rules/Words.js"

const optionalText = Rule.optional(Rule.nonEmpty)
const optionalSeconds = Rule.optional(instants.queryInstant("s"))

// Deposits ----------------------------------------------------------------------------------------------------------

const depositSchema = Naming.snakeCased({
  /** 0 on chain, 1 from another user of the service. */
  type: Absent.withDefault(Enumeration.textOrNumber(Enumerations.DepositType), Enumerations.DepositType.make("")),
  /** The chain. */
  chain: Absent.emptyable(Id.Chain),
  /** The coin. */
  coin: Id.Coin,
  /** Amount. Unit: the coin. */
  amount: Decimal,
  /** Deposit address; for an internal transfer the UID of the sender. */
  address: Absent.emptyable(Schema.String),
  /** 0 in progress, 1 successful, 2 failed. */
  status: Enumeration.textOrNumber(Enumeration.requireStated(Enumerations.DepositStatus)),
  /** Time of the last change. */
  time: instants.SecondsText,
  /** Id of the deposit. */
  transactionId: Id.TransactionId,
  /** Transaction hash on the chain; absent for an internal transfer. */
  txId: Absent.emptyable(Schema.String),
  /** Time of creation. */
  createTime: instants.SecondsNumber
}).pipe(Refusals.record("Deposit"))

/**
 * A deposit. `type` is `"0"` on chain or `"1"` for an internal transfer, for which `address` is the UID of the other user. `status` is
 * `"0"` in progress, `"1"` successful or `"2"` failed. Only deposits on chain have a `txId`. (rule records/deposit)
 */
export const Deposit: Schema.Schema<Deposit, Schema.Schema.Encoded<typeof depositSchema>> = depositSchema

export interface Deposit extends Schema.Schema.Type<typeof depositSchema> {}

/**
 * Parameters of `assets.deposits`. `type`: 0 (default) on chain, 1 internal transfers, 2 both. Instants are whole seconds.
 * (docs/reference/assets/deposits.md)
 */
export const DepositsRequest = Rule.request(
  {
    /** 0 on chain, 1 internal transfers, 2 both. */
    type: Rule.optional(Rule.queryOneOf("document", 0, 1, 2)),
    /** Only deposits on this chain; default: all. */
    chain: optionalText,
    /** Only this coin, such as `USDT`; default: all. */
    coin: optionalText,
    /** Only this transaction hash. */
    txId: optionalText,
    /** Only rows at or after this instant. */
    startTime: optionalSeconds,
    /** Only rows at or before this instant. */
    endTime: optionalSeconds,
    /** Maximum number of rows per page. */
    pageSize: Rule.optional(Rule.queryIntegerIn("document", 1, 50)),
    /** The cursor from the previous page, verbatim; default: the first page. */
    cursor: Page.cursor
  },
  ...Rule.timeRange("startTime", "endTime")
)

export interface DepositsRequest extends Schema.Schema.Type<typeof DepositsRequest> {}

/** Deposit records. */
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
    /** The rows of the page. */
    rows: Absent.rows(Deposit),
    /** The `cursor` of the next page; absent on the last page. */
    cursor: Page.next
  }),
  rateLimit: perMinute(300),
  safety: "read",
  paging: Page.ofList(50, 20, { items: "rows", cursor: "cursor", sizeParameter: "pageSize" }),
  historyWindow: timeRange("s"),
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

/** The result of `assets.deposits`. */
export const DepositsResult: Schema.Schema<
  DepositsResult,
  Schema.Schema.Encoded<typeof deposits.result>
> = deposits.result

export interface DepositsResult extends Schema.Schema.Type<typeof deposits.result> {}

// Coins -------------------------------------------------------------------------------------------------------------

const coinInfoRecord = Naming.snakeCased({
  /** The coin. */
  coin: Id.Coin,
  /** Name of the coin. */
  coinName: Absent.withDefault(Schema.String, ""),
  /** Maximum number of decimals. Unit: count. */
  accuracy: Absent.omittable(Integer),
  /** Chains on which the coin can be deposited. */
  depositChains: Absent.list(
    Naming.snakeCased({
      /** The chain. */
      chain: Id.Chain,
      /** Name of the chain. */
      chainName: Absent.withDefault(Schema.String, ""),
      /** False while deposits are paused. */
      canDeposit: Absent.omittable(FlagNumber),
      /** Minimum deposit. Unit: the coin. */
      depositMin: Absent.emptyable(Decimal),
      /** Confirmations required for a deposit. Unit: count. */
      depositConfirmation: Absent.emptyable(IntegerText)
    })
  ),
  /** Chains on which the coin can be withdrawn. */
  withdrawChains: Absent.list(
    Naming.snakeCased({
      /** The chain. */
      chain: Id.Chain,
      /** Name of the chain. */
      chainName: Absent.withDefault(Schema.String, ""),
      /** False while withdrawals are paused. */
      canWithdraw: Absent.omittable(FlagNumber),
      /** Minimum withdrawal. Unit: the coin. */
      withdrawMin: Absent.emptyable(Decimal),
      /** Withdrawal fee. Unit: the coin. */
      withdrawFee: Absent.emptyable(Decimal)
    })
  )
}).pipe(Refusals.record("CoinInfo"))

const coinInfoSchema = Absent.namedLists(coinInfoRecord, "deposit_chains", "withdraw_chains")

/** A coin and its chains. `accuracy` is the maximum number of decimals. Minimums and fees are in the coin. (rule records/coin) */
export const CoinInfo: Schema.Schema<CoinInfo, Schema.Schema.Encoded<typeof coinInfoSchema>> = coinInfoSchema

export interface CoinInfo extends Schema.Schema.Type<typeof coinInfoSchema> {}

/** Parameters of `assets.coins`. (docs/reference/assets/coins.md) */
export const CoinsRequest = Rule.request({
  /** Only this coin, such as `USDT`; default: all. */
  coin: optionalText
})

export interface CoinsRequest extends Schema.Schema.Type<typeof CoinsRequest> {}

/** Coins and their chains. */
export const coins = Endpoint.make({
  name: "assets.coins",
  domain: "Assets",
  summary: "Coins and their chains",
  method: "GET",
  path: "/private/v1/asset/coin/query-info",
  signing: "parameter",
  envelope: "legacy",
  request: CoinsRequest,
  result: Schema.Struct({
    /** The rows of the page. */
    rows: Absent.rows(CoinInfo)
  }),
  rateLimit: Endpoint.perSecond(5),
  safety: "read",
  source: "docs/reference/rules.md#3-coins",
  example: { coin: "USDT" },
  probes: [{ request: () => ({}) }]
})

/** The result of `assets.coins`. */
export const CoinsResult: Schema.Schema<CoinsResult, Schema.Schema.Encoded<typeof coins.result>> = coins.result

export interface CoinsResult extends Schema.Schema.Type<typeof coins.result> {}

// Bonuses -----------------------------------------------------------------------------------------------------------

const bonusUsageSchema = Naming.snakeCased({
  /** 1 bonus, 2 coupon. */
  awardType: Absent.omittable(Enumerations.AwardType),
  /** The instrument that the award was used for. */
  symbol: Absent.emptyable(Id.Symbol),
  /** Time of use. */
  time: instants.SecondsNumber,
  /** 1 trade, 2 trading fee, 3 funding fee. */
  type: Absent.omittable(Enumerations.BonusUsageType),
  /** The coin. */
  coin: Id.Coin,
  /** Amount used. Unit: the coin. */
  amount: Decimal,
  /** The related order; absent if there is no order. */
  orderId: Absent.emptyable(Id.OrderId)
}).pipe(Refusals.record("BonusUsage"))

/** The use of a bonus or coupon. `awardType`: 1 bonus, 2 coupon. `type`: 1 trade, 2 trading fee, 3 funding fee. (rule records/bonus.type) */
export const BonusUsage: Schema.Schema<BonusUsage, Schema.Schema.Encoded<typeof bonusUsageSchema>> = bonusUsageSchema

export interface BonusUsage extends Schema.Schema.Type<typeof bonusUsageSchema> {}

/**
 * Parameters of `assets.bonusUsage`. The service supports only USDT. Records are after `startTime` and before `endTime`, in whole seconds.
 * (docs/reference/assets/bonusUsage.md)
 */
export const BonusUsageRequest = Rule.request(
  {
    /** The coin; the service supports only `USDT`. */
    coin: Rule.oneOf("document", "USDT"),
    /** 1 bonuses, 2 coupons; default: both. */
    awardType: Rule.optional(Rule.queryOneOfKnown("document", Enumerations.AwardType)),
    /** Only rows after this instant. */
    startTime: optionalSeconds,
    /** Only rows before this instant. */
    endTime: optionalSeconds,
    /** Maximum number of rows per page. */
    limit: Rule.optional(Rule.queryIntegerIn("document", 1, 50))
  },
  ...Rule.timeRange("startTime", "endTime")
)

export interface BonusUsageRequest extends Schema.Schema.Type<typeof BonusUsageRequest> {}

/** Bonus and coupon usage: at most `limit` records (default: 10). The list has no cursor. */
export const bonusUsage = Endpoint.make({
  name: "assets.bonusUsage",
  domain: "Assets",
  summary: "Bonus and coupon usage",
  method: "GET",
  path: "/private/v1/asset/bonus/usage",
  signing: "parameter",
  envelope: "legacy",
  request: BonusUsageRequest,
  result: Schema.Struct({
    /** The rows of the page. */
    rows: Absent.rows(BonusUsage)
  }),
  rateLimit: perMinute(60),
  safety: "read",
  historyWindow: {
    from: "startTime",
    to: "endTime",
    unit: "s",
    bounds: "()",
    span: Option.none(),
    reachBack: Option.none()
  },
  source: "docs/reference/rules.md#4-bonus-usage",
  example: { coin: "USDT" },
  probes: [{ request: ({ from, to }) => ({ coin: "USDT" as const, startTime: from, endTime: to, limit: 50 }) }]
})

/** The result of `assets.bonusUsage`. */
export const BonusUsageResult: Schema.Schema<
  BonusUsageResult,
  Schema.Schema.Encoded<typeof bonusUsage.result>
> = bonusUsage.result

export interface BonusUsageResult extends Schema.Schema.Type<typeof bonusUsage.result> {}

// Transfers ---------------------------------------------------------------------------------------------------------

const transferSchema = Schema.Struct({
  /** The transfer's id, chosen by the caller. */
  transferId: Id.TransferId,
  /** The coin. */
  coin: Id.Coin,
  /** Amount. Unit: the coin. */
  amount: Decimal,
  /** Account type that the coins left. */
  fromAccountType: Absent.orEmptyText(Enumerations.AccountType),
  /** Account type that received the coins. */
  toAccountType: Absent.orEmptyText(Enumerations.AccountType),
  /** SUCCESS when the transfer is complete. */
  status: Enumeration.requireStated(Enumerations.TransferStatus),
  /** Time of the transfer. */
  timestamp: instants.disputedText("s")
}).pipe(Refusals.record("Transfer"))

/** A transfer between account types of one UID. (rule records/transfer) */
export const Transfer: Schema.Schema<Transfer, Schema.Schema.Encoded<typeof transferSchema>> = transferSchema

export interface Transfer extends Schema.Schema.Type<typeof transferSchema> {}

const transferSelection = {
  /** The id of the transfer. */
  transferId: optionalText,
  /** Only this coin, such as `USDT`; default: all. */
  coin: optionalText,
  /** Only transfers in this status. */
  status: Rule.optional(Rule.nonEmptyOf(Enumerations.TransferStatus)),
  /** Only rows at or after this instant. */
  startTime: optionalSeconds,
  /** Only rows at or before this instant. */
  endTime: optionalSeconds
}

/** Parameters of `assets.transfers`. Instants are whole seconds. (docs/reference/assets/transfers.md) */
export const TransfersRequest = Rule.request(
  {
    ...transferSelection,
    /** Maximum number of rows per page. */
    limit: Rule.optional(Rule.queryIntegerIn("document", 1, 50)),
    /** The cursor from the previous page, verbatim; default: the first page. */
    cursor: Page.cursor
  },
  ...Rule.timeRange("startTime", "endTime")
)

export interface TransfersRequest extends Schema.Schema.Type<typeof TransfersRequest> {}

/** Transfers between account types of this UID. */
export const transfers = Endpoint.make({
  name: "assets.transfers",
  domain: "Assets",
  summary: "Transfers between account types of this UID",
  method: "GET",
  path: "/private/v1/asset/transfer/list",
  signing: "parameter",
  request: TransfersRequest,
  result: Schema.Struct({
    /** The rows of the page. */
    list: Absent.rows(Transfer),
    /** The `cursor` of the next page; absent on the last page. */
    cursor: Page.next
  }),
  safety: "read",
  paging: Page.ofList(50, 10, { cursor: "cursor" }),
  historyWindow: timeRange("s"),
  source: "docs/reference/rules.md#8-transfers-between-account-types",
  example: { coin: "USDT", limit: 50 },
  probes: [{ request: ({ cursor, from, size, to }) => ({ startTime: from, endTime: to, limit: size, cursor }) }]
})

/** The result of `assets.transfers`. */
export const TransfersResult: Schema.Schema<
  TransfersResult,
  Schema.Schema.Encoded<typeof transfers.result>
> = transfers.result

export interface TransfersResult extends Schema.Schema.Type<typeof transfers.result> {}

const UidNumber: Schema.Schema<Id.Uid, string | number> = Schema.transform(
  textOrNumber("must be text or a number", (fc) => fc.integer({ min: 0, max: 2_147_483_647 })),
  Id.Uid,
  { strict: true, decode: String, encode: (uid) => (/^(0|[1-9]\d{0,14})$/.test(String(uid)) ? Number(uid) : uid) }
)

const subAccountTransferSchema = Naming.snakeCased({
  /** The transfer's id, chosen by the caller. */
  transferId: Id.TransferId,
  /** The coin. */
  coin: Id.Coin,
  /** Amount. Unit: the coin. */
  amount: Decimal,
  /** UID of this account. */
  userId: UidNumber,
  /** UID of the sub-account. */
  subUserId: UidNumber,
  /** Time of the transfer. */
  timestamp: instants.disputedText("ms"),
  /** SUCCESS when the transfer is complete. */
  status: Enumeration.requireStated(Enumerations.TransferStatus),
  /** IN or OUT. */
  type: Enumeration.requireStated(Enumerations.SubAccountTransferType)
}).pipe(Refusals.record("SubAccountTransfer"))

/** A transfer between an account and a sub-account. `type`: IN or OUT. (rule records/sub-account-transfer) */
export const SubAccountTransfer: Schema.Schema<
  SubAccountTransfer,
  Schema.Schema.Encoded<typeof subAccountTransferSchema>
> = subAccountTransferSchema

export interface SubAccountTransfer extends Schema.Schema.Type<typeof subAccountTransferSchema> {}

const direction = Schema.Union(Rule.queryInteger, Rule.nonEmptyOf(Enumerations.PageDirection)).annotations({
  message: () => ({ message: "must be a word or a whole number", override: true })
})

/**
 * Parameters of `assets.subAccountTransfers`. `direction` concerns paging: the service's document has whole numbers, its public pages words
 * (docs/reference/contradictions.md#direction-of-sub-account-transfers). Instants are whole seconds.
 * (docs/reference/assets/subAccountTransfers.md)
 */
export const SubAccountTransfersRequest = Rule.all(
  Naming.snakeCased({
    ...transferSelection,
    /** Not documented by the service. */
    direction: Rule.optional(direction),
    /** Maximum number of rows per page. */
    limit: Rule.optional(Rule.queryInteger),
    /** The cursor from the previous page, verbatim; default: the first page. */
    cursor: Page.cursor
  }),
  ...Rule.timeRange("startTime", "endTime")
)

export interface SubAccountTransfersRequest extends Schema.Schema.Type<typeof SubAccountTransfersRequest> {}

/** Transfers between this account and its sub-accounts. */
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
    /** The rows of the page. */
    list: Absent.rows(SubAccountTransfer),
    /** The `cursor` of the next page; absent on the last page. */
    cursor: Page.next
  }),
  safety: "read",
  paging: {
    items: "list",
    cursor: "cursor",
    cursorParameter: "cursor",
    sizeParameter: "limit",
    size: Option.none()
  },
  historyWindow: timeRange("s"),
  source: "docs/reference/rules.md#14-transfers-with-sub-accounts",
  example: { coin: "USDT", limit: 50 },
  probes: [{ request: ({ cursor, from, size, to }) => ({ startTime: from, endTime: to, limit: size, cursor }) }]
})

/** The result of `assets.subAccountTransfers`. */
export const SubAccountTransfersResult: Schema.Schema<
  SubAccountTransfersResult,
  Schema.Schema.Encoded<typeof subAccountTransfers.result>
> = subAccountTransfers.result

export interface SubAccountTransfersResult extends Schema.Schema.Type<typeof subAccountTransfers.result> {}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Parameters of `assets.transfer`. `requestId` is a UUID with dashes that the caller chooses. The service makes one transfer for it, even
 * if the request is sent again. (docs/reference/assets/transfer.md)
 */
export const TransferRequest = Rule.request({
  /** The caller's id; the service executes each id only once. */
  requestId: Rule.text(
    "document",
    "must be a UUID with dashes",
    (id) => uuid.test(id),
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    { format: "uuid", minLength: 36, maxLength: 36 }
  ),
  /** The coin, such as `USDT`. */
  coin: Rule.nonEmpty,
  /** Amount. Unit: the coin. */
  amount: Rule.positive("ours"),
  /** Account type to take the coins from. */
  fromAccountType: Rule.nonEmptyOf(Enumerations.AccountType),
  /** Account type to move the coins to. */
  toAccountType: Rule.nonEmptyOf(Enumerations.AccountType)
})

export interface TransferRequest extends Schema.Schema.Type<typeof TransferRequest> {}

const transferAckSchema = eitherSpelling(
  Schema.Struct({
    /** The transfer's id, chosen by the caller. */
    transferId: Id.TransferId
  }),
  Naming.snakeCased({
    /** The transfer's id, chosen by the caller. */
    transferId: Id.TransferId
  })
)

/**
 * The id of the transfer. The wire name is `transferId`, or `transfer_id` as in the service's example.
 * (docs/reference/contradictions.md#id-of-a-transfer)
 */
export const TransferAck: Schema.Schema<
  TransferAck,
  Schema.Schema.Encoded<typeof transferAckSchema>
> = transferAckSchema

export interface TransferAck extends Schema.Schema.Type<typeof transferAckSchema> {}

const isMade = ({ status }: Transfer): Endpoint.Finding["executed"] =>
  status === "SUCCESS" ? "yes" : status === "FAILED" ? "no" : "undetermined"

// UUIDs are case-insensitive.
const isOfRequest = ({ transferId }: Transfer, requestId: unknown): boolean =>
  typeof requestId === "string" && transferId.toLowerCase() === requestId.toLowerCase()

const transferred = LookUp.makeFor<Transfer>()(
  {
    requestId: isOfRequest,
    coin: LookUp.exact("coin"),
    amount: LookUp.decimal("amount"),
    fromAccountType: LookUp.exact("fromAccountType"),
    toAccountType: LookUp.exact("toAccountType")
  },
  ({ isShownBy, parameters }, read) =>
    Effect.map(read(transfers, { transferId: LookUp.textOf(parameters, "requestId") ?? "" }), ({ list }) => {
      const evidence = list.filter((transfer) => isOfRequest(transfer, parameters.requestId))
      // A transfer that is not listed can still arrive, and sending it again with the same id is safe. A listed one with other values is a
      // different transfer.
      const made = evidence.map((transfer) => (isShownBy(transfer) ? isMade(transfer) : "undetermined"))
      return LookUp.withResult({ executed: LookUp.joinFindings(made), evidence }, evidence, ({ transferId }) => ({
        transferId
      }))
    })
)

/** Moves coins between account types of this UID. */
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
  lookUp: transferred,
  onceBy: "requestId",
  source: "docs/reference/rules.md#16-making-a-transfer",
  example: {
    requestId: "42c0cfb0-6bca-4242-bc76-4e6df6cbcb16",
    coin: "USDT",
    amount: "25",
    fromAccountType: "FUND",
    toAccountType: "UNIFIED"
  }
})

/** Parameters of `assets.transferableCoins`. (docs/reference/assets/transferableCoins.md) */
export const TransferableCoinsRequest = Rule.request({
  /** Account type to take the coins from. */
  fromAccountType: Rule.nonEmptyOf(Enumerations.AccountType),
  /** Account type to move the coins to. */
  toAccountType: Rule.nonEmptyOf(Enumerations.AccountType)
})

export interface TransferableCoinsRequest extends Schema.Schema.Type<typeof TransferableCoinsRequest> {}

/** Coins that can be moved from one account type to another. */
export const transferableCoins = Endpoint.make({
  name: "assets.transferableCoins",
  domain: "Assets",
  summary: "Coins that can be moved from one account type to another",
  method: "GET",
  path: "/private/v1/asset/transfer/query-coins",
  signing: "parameter",
  envelope: "legacy",
  request: TransferableCoinsRequest,
  result: Schema.Struct({
    /** Coins that can be moved. */
    coins: Absent.rows(Id.Coin)
  }),
  rateLimit: perMinute(60),
  safety: "read",
  source: "docs/reference/rules.md#19-transferable-coins",
  example: { fromAccountType: "FUND", toAccountType: "UNIFIED" },
  probes: [{ request: () => ({ fromAccountType: "UNIFIED" as const, toAccountType: "FUND" as const }) }]
})

/** The result of `assets.transferableCoins`. */
export const TransferableCoinsResult: Schema.Schema<
  TransferableCoinsResult,
  Schema.Schema.Encoded<typeof transferableCoins.result>
> = transferableCoins.result

export interface TransferableCoinsResult extends Schema.Schema.Type<typeof transferableCoins.result> {}

// Withdrawals -------------------------------------------------------------------------------------------------------

const withdrawCommon = {
  /** The caller's id; the service executes each id only once. */
  requestId: Rule.text(
    "document",
    "must be 1 to 64 letters and digits",
    (id) => /^[A-Za-z0-9]{1,64}$/.test(id),
    undefined,
    {
      minLength: 1,
      maxLength: 64,
      pattern: "^[A-Za-z0-9]*$"
    }
  ),
  /** The coin, such as `USDT`. */
  coin: Rule.nonEmpty,
  /** The recipient: an email address, phone number or UID from the address book. */
  address: Rule.nonEmpty,
  /** Amount. Unit: the coin. */
  amount: Rule.positive("ours"),
  /** A remark. */
  remark: Rule.optional(
    Rule.text("document", "must be at most 50 characters", (remark) => Array.from(remark).length <= 50, undefined, {
      maxLength: 50
    })
  )
}

// The service ignores the area code unless the address is a phone number, so no value is refused.
const ignoredAreaCode = Rule.optional(
  textOrNumber("must be a number or text", (fc) => fc.integer({ min: 0, max: 999 }))
)

const withdrawTo = <const Type extends 1 | 2 | 3, AreaCode extends Schema.Struct.Field>(
  type: Type,
  areaCode: AreaCode
) =>
  Schema.Struct({
    ...withdrawCommon,
    /** The kind of `address`: 1 email, 2 phone number, 3 UID. */
    addressType: Schema.Literal(type).annotations({
      jsonSchema: { type: "integer", enum: [type], "x-source": "document" },
      message: ({ actual }) => ({ message: describeChoice([1, 2, 3], actual), override: true })
    }),
    /** Area code of the phone number. */
    areaCode
  })

/** Parameters of `assets.withdrawInternal`, but for `addressType` and `areaCode`. */
interface InternalWithdrawal extends Schema.Struct.Type<typeof withdrawCommon> {}

/** A recipient by phone number, which requires an area code. */
interface PhoneRecipient {
  /** The kind of `address`: 1 email, 2 phone number, 3 UID. */
  readonly addressType: 2
  /** Area code of the phone number. */
  readonly areaCode: number
}

/** A recipient by email address or UID. */
interface OtherRecipient {
  /** The kind of `address`: 1 email, 2 phone number, 3 UID. */
  readonly addressType: 1 | 3
  /** Ignored for an email or a UID. */
  readonly areaCode?: string | number | undefined
}

/**
 * Parameters of `assets.withdrawInternal`. `addressType`: 1 email, 2 phone number (which requires `areaCode`), 3 UID. The recipient must be
 * in the address book. The service makes one withdrawal for a `requestId`, even if the request is sent again.
 * (docs/reference/assets/withdrawInternal.md)
 */
export const WithdrawInternalRequest = narrowType<WithdrawInternalRequest>()(
  Rule.variants(withdrawTo(1, ignoredAreaCode), withdrawTo(2, Rule.bodyInteger), withdrawTo(3, ignoredAreaCode))
)

export type WithdrawInternalRequest = InternalWithdrawal & (PhoneRecipient | OtherRecipient)

/** Withdraws to another user of the service. Requires the API key of a master UID. */
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
    withdrawId: Id.WithdrawId
  }),
  rateLimit: Endpoint.perSecond(1),
  safety: "idempotent",
  movesFunds: true,
  onceBy: "requestId",
  source: "docs/reference/rules.md#15-internal-withdrawal",
  example: {
    requestId: "withdrawal1",
    coin: "USDT",
    amount: "25",
    address: "20000001",
    addressType: 3
  }
})

/** The result of `assets.withdrawInternal`. */
export const WithdrawInternalResult: Schema.Schema<
  WithdrawInternalResult,
  Schema.Schema.Encoded<typeof withdrawInternal.result>
> = withdrawInternal.result

export interface WithdrawInternalResult extends Schema.Schema.Type<typeof withdrawInternal.result> {}

// Funding account ---------------------------------------------------------------------------------------------------

const FundingAccount = Schema.Struct({
  /** ACCOUNT_STATUS_NORMAL, or ACCOUNT_STATUS_UNSPECIFIED for a banned account. */
  status: Absent.orEmptyText(Enumerations.AssetAccountStatus),
  /** Balances by coin. */
  assets: Absent.rows(
    Naming.snakeCased({
      /** The coin. */
      coin: Id.Coin,
      /** Amount that can be moved. Unit: the coin. */
      free: Decimal,
      /** Balance including locked amounts. Unit: the coin. */
      totalBalance: Decimal
    })
  )
})

const fundingAssetsSchema = Schema.Struct({
  /** The spot account; absent if it was not requested. */
  spot: Absent.omittable(FundingAccount),
  /** The funding account; absent if it was not requested. */
  fund: Absent.omittable(FundingAccount)
}).pipe(Refusals.record("FundingAssets"))

/**
 * The spot and the funding account with their coins. The account type of the request selects the accounts. The status
 * ACCOUNT_STATUS_UNSPECIFIED means that the account is banned. (rule records/funding)
 */
export const FundingAssets: Schema.Schema<
  FundingAssets,
  Schema.Schema.Encoded<typeof fundingAssetsSchema>
> = fundingAssetsSchema

export interface FundingAssets extends Schema.Schema.Type<typeof fundingAssetsSchema> {}

/**
 * Parameters of `assets.fundingAssets`. The service's table has FUND, its example SPOT; both are accepted.
 * (docs/reference/assets/fundingAssets.md; docs/reference/contradictions.md#account-type-of-the-funding-account)
 */
export const FundingAssetsRequest = Rule.request({
  /** The account; its values are not documented by the service. */
  accountType: Rule.nonEmptyOf(Enumerations.AccountType),
  /** Only this coin, such as `USDT`; default: all. */
  coin: optionalText
})

export interface FundingAssetsRequest extends Schema.Schema.Type<typeof FundingAssetsRequest> {}

/** The balances of the funding or spot account. The operation has a v3 path and is signed like v1. */
export const fundingAssets = Endpoint.make({
  name: "assets.fundingAssets",
  domain: "Assets",
  summary: "The balances of the funding or spot account",
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

/** The endpoints of this domain, by method name. */
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
