import * as Decimal from "@effect-venue/schemas/Decimal"
import type * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Manifest from "@effect-venue/history/Manifest"
import { zero } from "./fields.js"

/** The balance of a coin in a wallet. The bonus is a part of it. */
export interface Balance {
  readonly wallet: BigDecimal.BigDecimal
  readonly bonus: BigDecimal.BigDecimal
}

export type Balances = ReadonlyMap<string, Balance>

const amount = (value: unknown): Option.Option<BigDecimal.BigDecimal> =>
  typeof value === "string" ? Decimal.parse(value) : Option.none()

/** The balances of a snapshot by coin, or why they cannot be read. */
export const balances = ({ because, list }: Manifest.Wallet): Either.Either<Balances, string> => {
  if (because !== null) return Either.left(`the wallet could not be read: ${because}`)
  const found = new Map<string, Balance>()
  for (const record of list) {
    const coins = Predicate.isRecord(record) ? record.coin : undefined
    if (!Array.isArray(coins)) return Either.left("the wallet has a record without coins")
    // Of an array nothing is known but that it is one.
    for (const balance of coins as ReadonlyArray<unknown>) {
      const coin = Predicate.isRecord(balance) && Predicate.isString(balance.coin) ? balance.coin : undefined
      const wallet = Predicate.isRecord(balance) ? amount(balance.walletBalance) : Option.none()
      if (coin === undefined || Option.isNone(wallet))
        return Either.left("the wallet has a balance that cannot be read")
      const bonus = Predicate.isRecord(balance) ? amount(balance.bonus) : Option.none()
      found.set(coin, { wallet: wallet.value, bonus: Option.getOrElse(bonus, () => zero) })
    }
  }
  return Either.right(found)
}
