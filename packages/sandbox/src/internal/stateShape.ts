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
  Schema.Struct({ category: Schema.Literal("spot", "linear", "inverse"), filter: Schema.String })
)

const position = Schema.Struct({
  category: Schema.Literal("linear", "inverse"),
  symbol: Schema.String,
  positionIdx: Schema.Literal(0, 1, 2),
  size: decimal,
  entryValue: decimal,
  leverage: decimal,
  riskId: Schema.Number
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
  bonusUsage: listOf(Assets.BonusUsage),
  deposits: listOf(Assets.Deposit),
  transfers: listOf(Assets.Transfer),
  subAccountTransfers: listOf(Assets.SubAccountTransfer),
  withdrawals: Schema.Array(Schema.Struct({ withdrawId: Schema.String, coin: Schema.String, amount: decimal })),
  addressBook: Schema.Array(Schema.Struct({ address: Schema.String })),
  customers: Schema.Array(Schema.Struct({ uid: Schema.String, since: Schema.Number })),
  apiLimits: Schema.ReadonlyMapFromSelf({ key: Schema.String, value: Schema.Number })
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
  listings: Schema.Array(
    Schema.Struct({
      category: Schema.Literal("spot", "linear", "inverse"),
      instrument: Schema.typeSchema(Instruments.Instrument),
      settleCoin: Schema.String,
      lastPrice: decimal,
      markPrice: decimal,
      indexPrice: decimal,
      riskTiers: Schema.Array(Schema.Struct({ riskId: Schema.Number, limit: decimal }))
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
    const { accounts, keys } = yield* judgeTop(value)
    yield* each(keys, judgeKey)
    yield* each(accounts, judgeAccount)
    // What the schemas do not name is as `Lossless.encode` found it in a state.
    return value as State.State
  })
