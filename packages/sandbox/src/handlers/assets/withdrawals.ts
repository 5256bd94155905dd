/** Internal withdrawals to other users of the service. (docs/reference/assets/withdrawInternal.md) */
import type * as Endpoints from "@effect-venue/schemas/Assets"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Collateral from "../../trading/collateral.js"
import * as Handler from "../../handling/handler.js"
import * as Ids from "../../trading/ids.js"
import * as Margin from "../../trading/margin.js"
import * as Refusal from "../../handling/refusal.js"
import * as Exchange from "../../state/Exchange.js"

type Recipient = Pick<Endpoints.WithdrawInternalRequest, "addressType" | "areaCode" | "address">

const isKnown = (account: Exchange.Account, { address, addressType, areaCode }: Recipient): boolean =>
  account.addressBook.some(
    (entry) =>
      entry.addressType === addressType &&
      entry.address === address &&
      // Only phone numbers have an area code.
      (addressType !== 2 || Option.contains(entry.areaCode, areaCode ?? 0))
  )

const findRecipient = (
  state: Exchange.State,
  { address, addressType, areaCode }: Recipient
): Exchange.Account | undefined =>
  Array.from(state.accounts.values()).find((account) => {
    switch (addressType) {
      case 1:
        return account.email === address
      case 2:
        return account.phone.number === address && account.phone.areaCode === areaCode
      case 3:
        return account.uid === address
    }
  })

const same = (made: Exchange.Withdrawal, request: Endpoints.WithdrawInternalRequest): boolean =>
  made.coin === request.coin &&
  made.addressType === request.addressType &&
  made.address === request.address &&
  BigDecimal.equals(made.amount, Handler.decimal(request.amount))

// The deposit of the recipient.
const depositOf = (
  account: Exchange.Account,
  from: string,
  withdrawal: Exchange.Withdrawal,
  transactionId: string
): Exchange.Account => {
  const at = DateTime.unsafeMake(Math.floor(withdrawal.at / 1000) * 1000)
  const deposit: Endpoints.Deposit = {
    type: "1",
    chain: Option.none(),
    coin: Ids.Coin(withdrawal.coin),
    amount: withdrawal.amount,
    address: Option.some(from),
    status: "1",
    time: at,
    transactionId: Ids.TransactionId(transactionId),
    txId: Option.none(),
    createTime: at
  }
  return Margin.post(
    { ...account, deposits: [...account.deposits, deposit] },
    "FUND",
    withdrawal.coin,
    withdrawal.amount
  )
}

/** A request id is unique among all accounts. (docs/reference/rules.md#15-internal-withdrawal) */
const isTaken = (state: Exchange.State, requestId: string): boolean =>
  Array.from(state.accounts.values()).some(({ withdrawals }) =>
    withdrawals.some((withdrawal) => withdrawal.requestId === requestId)
  )

/** Moves coins from the funding account to that of the recipient, once per `requestId`. */
export const withdrawInternal: Handler.Handler<typeof Endpoints.withdrawInternal> = (request, context) =>
  Either.gen(function* () {
    const { account, now, state } = context
    if (Option.isSome(account.masterUid)) {
      return yield* Refusal.left(10005, "Permission denied, only the API key of a master UID may withdraw.")
    }
    const made = account.withdrawals.find((candidate) => candidate.requestId === request.requestId)
    if (made !== undefined) {
      return yield* same(made, request)
        ? Handler.read(context, { withdrawId: Ids.WithdrawId(made.withdrawId) })
        : Refusal.left(131082, "request repeated with other contents")
    }
    if (isTaken(state, request.requestId)) return yield* Refusal.left(131082, "request repeated by another user")
    if (account.banned) return yield* Refusal.left(131090, "Withdrawals are forbidden for this user")
    if (!isKnown(account, request)) {
      return yield* Refusal.left(131093, "The withdrawal address is not in the address book")
    }
    const to = findRecipient(state, request)
    if (to === undefined) return yield* Refusal.left(131077, "The receiving user does not exist")
    if (to.uid === account.uid) return yield* Refusal.left(131075, "Internal withdrawal to oneself")
    const info = state.coins.find((coin) => coin.coin === request.coin)
    if (info === undefined) return yield* Refusal.parameter("coin invalid")
    const amount = Handler.decimal(request.amount)
    if (Option.exists(info.accuracy, (most) => Decimal.decimals(amount) > most)) {
      return yield* Refusal.parameter("amount precision is wrong")
    }
    if (BigDecimal.greaterThan(amount, Collateral.available(state, account, "FUND", request.coin))) {
      return yield* Refusal.left(131212, "insufficient balance")
    }
    const [withdrawId, numbered] = Handler.issue(state, now)
    const [transactionId, issued] = Handler.issue(numbered, now)
    const withdrawal: Exchange.Withdrawal = {
      withdrawId,
      requestId: request.requestId,
      coin: info.coin,
      amount,
      addressType: request.addressType,
      areaCode: request.addressType === 2 ? Option.some(request.areaCode) : Option.none(),
      address: request.address,
      remark: Option.fromNullable(request.remark),
      at: now
    }
    const paid = Margin.post(
      { ...account, withdrawals: [...account.withdrawals, withdrawal] },
      "FUND",
      info.coin,
      BigDecimal.negate(amount)
    )
    const next = Exchange.withAccount(
      Exchange.withAccount(issued, paid),
      depositOf(to, account.uid, withdrawal, transactionId)
    )
    return yield* Handler.write(next, { withdrawId: Ids.WithdrawId(withdrawId) })
  })
