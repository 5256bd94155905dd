import * as Assets from "@effect-venue/schemas/Assets"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as State from "../State.js"
import type * as Lossless from "./lossless.js"

// Judged as it is in memory. What is not named here is kept as it is, so that a new field asks for nothing.
const listOf = <A, I>(record: Schema.Schema<A, I>) => Schema.Array(Schema.typeSchema(record))

const perCategory = <A, I>(record: Schema.Schema<A, I>) =>
  Schema.Struct({ spot: listOf(record), linear: listOf(record), inverse: listOf(record) })

const decimal = Schema.BigDecimalFromSelf
const wallet = Schema.ReadonlyMapFromSelf({ key: Schema.String, value: decimal })

const order = Schema.extend(
  Schema.typeSchema(Orders.Order),
  Schema.Struct({
    category: Schema.Literal("spot", "linear", "inverse"),
    filter: Schema.Literal("Order", "StopOrder", "tpslOrder"),
    trailingStop: Schema.OptionFromSelf(decimal),
    extreme: Schema.OptionFromSelf(decimal),
    pairedWith: Schema.OptionFromSelf(Schema.String)
  })
)

const maybe = Schema.OptionFromSelf(decimal)

const position = Schema.Struct({
  category: Schema.Literal("linear", "inverse"),
  symbol: Schema.String,
  positionIdx: Schema.Literal(0, 1, 2),
  size: decimal,
  entryValue: decimal,
  entryPrice: decimal,
  openFee: decimal,
  cumRealisedPnl: decimal,
  tradeMode: Schema.Literal("cross", "isolated"),
  leverage: decimal,
  addedMargin: decimal,
  riskId: Schema.Number,
  takeProfit: maybe,
  stopLoss: maybe,
  trailingStop: maybe,
  activePrice: maybe,
  isReduceOnly: Schema.Boolean,
  newRiskLimit: maybe,
  mmrSysUpdatedTime: Schema.OptionFromSelf(Schema.Number),
  status: Schema.Literal("Normal", "Liq", "Adl")
})

const Account = Schema.Struct({
  uid: Schema.String,
  masterUid: Schema.OptionFromSelf(Schema.String),
  unified: Schema.Boolean,
  banned: Schema.Boolean,
  openOrders: Schema.Array(order),
  closedOrders: Schema.Array(order),
  preUpgradeOrders: Schema.Array(order),
  executions: perCategory(Executions.Execution),
  preUpgradeExecutions: perCategory(Executions.PreUpgradeExecution),
  closedPnl: perCategory(Positions.ClosedPnl),
  preUpgradeClosedPnl: perCategory(Positions.ClosedPnl),
  positions: Schema.Array(position),
  wallets: Schema.Struct({ UNIFIED: wallet, FUND: wallet, SPOT: wallet, CONTRACT: wallet }),
  grants: Schema.Array(Schema.Struct({ coin: Schema.String, amount: decimal, at: Schema.Number })),
  coupons: wallet,
  bonusUsage: listOf(Assets.BonusUsage),
  deposits: listOf(Assets.Deposit),
  transfers: listOf(Assets.Transfer),
  subAccountTransfers: listOf(Assets.SubAccountTransfer),
  withdrawals: Schema.Array(Schema.Struct({ withdrawId: Schema.String, coin: Schema.String, amount: decimal })),
  addressBook: Schema.Array(Schema.Struct({ address: Schema.String })),
  customers: Schema.Array(Schema.Struct({ uid: Schema.String, since: Schema.Number })),
  apiLimits: Schema.ReadonlyMapFromSelf({ key: Schema.String, value: Schema.Number })
})

const counts = Schema.Struct({ spot: Schema.Number, linear: Schema.Number, inverse: Schema.Number })

const Seeded = Schema.Struct({
  openOrders: Schema.Array(order),
  positions: Schema.Array(position),
  closedOrders: Schema.Number,
  executions: counts,
  closedPnl: counts
})

const Key = Schema.Struct({
  apiKey: Schema.String,
  apiSecret: Schema.RedactedFromSelf(Schema.String),
  uid: Schema.String,
  readOnly: Schema.Boolean,
  expiresAt: Schema.OptionFromSelf(Schema.Number)
})

const mapOf = Schema.ReadonlyMapFromSelf({ key: Schema.String, value: Schema.Unknown })

const Top = Schema.Struct({
  seed: Schema.Number,
  openedAt: Schema.Number,
  issued: Schema.Number,
  advancedAt: Schema.Number,
  pausedFor: Schema.Number,
  restartedAt: Schema.Number,
  prices: Schema.Literal("moving", "still"),
  drifts: Schema.ReadonlyMapFromSelf({
    key: Schema.String,
    value: Schema.Struct({ opening: Schema.Number, dailyChange: Schema.Number })
  }),
  pinned: wallet,
  pending: Schema.Array(
    Schema.Struct({
      uid: Schema.String,
      transactionId: Schema.String,
      outcome: Schema.Literal("1", "2"),
      at: Schema.Number
    })
  ),
  marketMaker: wallet,
  seeded: mapOf,
  listings: Schema.Array(
    Schema.Struct({
      category: Schema.Literal("spot", "linear", "inverse"),
      instrument: Schema.typeSchema(Instruments.Instrument),
      settleCoin: Schema.String,
      lastPrice: decimal,
      markPrice: decimal,
      indexPrice: decimal,
      riskTiers: Schema.Array(
        Schema.Struct({ riskId: Schema.Number, limit: decimal, maxLeverage: decimal, maintenanceRate: decimal })
      )
    })
  ),
  coins: listOf(Assets.CoinInfo),
  keys: mapOf,
  accounts: mapOf
})

type Judged = Either.Either<unknown, Lossless.Unreadable>

const judgeBy = <A, I>(schema: Schema.Schema<A, I>, ...path: ReadonlyArray<string>) => {
  const validate = ParseResult.validateEither(schema)
  return (value: unknown, ...further: ReadonlyArray<string>): Either.Either<A, Lossless.Unreadable> =>
    Either.mapLeft(validate(value), (issue) => {
      const [first] = ParseResult.ArrayFormatter.formatIssueSync(issue)
      return {
        path: [...path, ...further, ...(first?.path ?? []).map(String)],
        reason: first?.message ?? "is not as it should be"
      }
    })
}

const judgeTop = judgeBy(Top)
// One by one, for a map does not say in which of its values something is off.
const judgeKey = judgeBy(Key, "keys")
const judgeSeeded = judgeBy(Seeded, "seeded")
const judgeAccount = judgeBy(Account, "accounts")

const each = (
  map: ReadonlyMap<string, unknown>,
  judge: (value: unknown, key: string) => Judged
): Either.Either<void, Lossless.Unreadable> => {
  for (const [key, value] of map) {
    const judged = judge(value, key)
    if (Either.isLeft(judged)) return Either.left(judged.left)
  }
  return Either.right(undefined)
}

/** The very value, if it is a state. */
export const judge = (value: unknown): Either.Either<State.State, Lossless.Unreadable> =>
  Either.gen(function* () {
    const { accounts, keys, seeded } = yield* judgeTop(value)
    yield* each(keys, judgeKey)
    yield* each(seeded, judgeSeeded)
    yield* each(accounts, judgeAccount)
    // What the schemas do not name is as `Lossless.encode` found it in a state.
    return value as State.State
  })
