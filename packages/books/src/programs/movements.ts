import type * as Books from "../log/Books.js"
import * as BigDecimal from "effect/BigDecimal"
import { type Group, Sums } from "./groups.js"

// Tax programs have one wallet per exchange, with deposits, withdrawals and trades.

export interface MovedAmount {
  readonly amount: BigDecimal.BigDecimal
  readonly currency: string
}

/** Money that an owner sent or received, or both of a trade. Amounts are over zero. */
export interface Movement {
  readonly at: number
  readonly kind: Books.Kind
  readonly sent: MovedAmount | undefined
  readonly received: MovedAmount | undefined
  readonly fee: MovedAmount | undefined
  readonly description: string
  readonly reference: string
  /** The amount is in no change, so it is zero here; the description has the reason. */
  readonly isLacking: boolean
}

const zero = BigDecimal.fromBigInt(0n)

/** An amount of a record that is not booked, as a movement of nothing: sums of a file stay as they are, and the reason is in it. */
export const fromLack = (
  { because, currency = "", kind }: Books.Lack,
  { at, reference, symbol }: Pick<Books.Transaction, "at" | "reference" | "symbol">
): Movement => ({
  at,
  kind,
  sent: undefined,
  received: { amount: zero, currency },
  fee: undefined,
  description: `NOT BOOKED: ${[kind, symbol].filter((word) => word !== "").join(" ")}: ${because}`,
  reference,
  isLacking: true
})

const absolute = ({ amount, currency }: MovedAmount): MovedAmount => ({ amount: BigDecimal.abs(amount), currency })

/** The movements of a group. Transfers between wallets and accounts of the export cancel out. */
export const movementsOf = (group: Group): ReadonlyArray<Movement> => {
  const [first] = group
  if (first === undefined) return []
  const sums = new Sums()
  for (const { changes } of group) for (const { amount, currency, kind } of changes) sums.add(kind, currency, amount)
  const all = sums.all()
  const trades = all.filter(({ name }) => name === "trade")
  const sent = trades.find(({ amount }) => BigDecimal.isNegative(amount))
  const received = trades.find(({ amount }) => BigDecimal.isPositive(amount))
  const fee = all.find(({ amount, name }) => name === "fee" && BigDecimal.isNegative(amount))
  const isTrade = trades.length === 2 && sent !== undefined && received !== undefined
  const of = (kind: Books.Kind, more: Partial<Movement>): Movement => ({
    at: first.at,
    kind,
    sent: undefined,
    received: undefined,
    fee: undefined,
    description: [kind, first.symbol, first.account ?? ""].filter((word) => word !== "").join(" "),
    reference: first.reference,
    isLacking: false,
    ...more
  })
  const swap = isTrade
    ? [
        of("trade", {
          sent: absolute(sent),
          received: absolute(received),
          fee: fee === undefined ? undefined : absolute(fee)
        })
      ]
    : []
  const rest = isTrade ? all.filter((posting) => posting.name !== "trade" && posting !== fee) : all
  return [
    ...swap,
    ...rest.map((posting) =>
      // The sums are by kind.
      of(posting.name as Books.Kind, {
        [BigDecimal.isNegative(posting.amount) ? "sent" : "received"]: absolute(posting)
      })
    ),
    ...group.flatMap((transaction) => transaction.lacks.map((lack) => fromLack(lack, transaction)))
  ]
}
