import type * as Assets from "@effect-venue/schemas/Assets"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"
import type * as Random from "../state/random.js"
import * as PastTrading from "./pastTrading.js"
import type * as Funding from "./funding.js"
import * as Records from "./records.js"

/**
 * The books of an account during the simulation of its past. Instants are in milliseconds relative to the opening, so that worlds of the
 * same seed share the ledger and create records from it. Mutable, and complete before it is shared.
 */
export interface Ledger {
  readonly uid: string
  readonly random: Random.Random
  readonly wallets: { readonly [T in Exchange.WalletType]: Map<string, BigDecimal.BigDecimal> }
  readonly openOrders: Array<Records.Dated<Exchange.Order>>
  readonly deposits: Array<Records.Dated<Assets.Deposit>>
  readonly transfers: Array<Records.Dated<Assets.Transfer>>
  readonly subAccountTransfers: Array<Records.Dated<Assets.SubAccountTransfer>>
  readonly grants: Array<Records.Dated<Exchange.Grant>>
  readonly bonusUsage: Array<Records.Dated<Assets.BonusUsage>>
  /** The trades before and after the account's upgrade. */
  readonly trades: { preUpgrade: ReadonlyArray<PastTrading.Trade>; current: ReadonlyArray<PastTrading.Trade> }
  /** The funding charges since the upgrade, earliest first. */
  fundings: ReadonlyArray<Funding.Funding>
  /** The positions that are open at the end. */
  holdings: ReadonlyArray<Readonly<PastTrading.Holding>>
  /** The trade whose order is reopened. */
  reopened: PastTrading.Trade | undefined
  /** The number of ids issued. */
  issued: number
}

export const make = (uid: string, random: Random.Random): Ledger => ({
  uid,
  random,
  wallets: { UNIFIED: new Map(), FUND: new Map(), SPOT: new Map(), CONTRACT: new Map() },
  openOrders: [],
  deposits: [],
  transfers: [],
  subAccountTransfers: [],
  grants: [],
  bonusUsage: [],
  trades: { preUpgrade: [], current: [] },
  fundings: [],
  holdings: [],
  reopened: undefined,
  issued: 0
})

const walletTypes = ["UNIFIED", "FUND", "SPOT", "CONTRACT"] as const

export const fullSecond = (at: number): number => Math.floor(at / 1000) * 1000

const amountOf = ({ scale, value }: BigDecimal.BigDecimal): PastTrading.Amount => ({
  units: Number(value) * 10 ** (Money.coinScale - scale),
  scale
})

/** Simulates the trading of an era and keeps its books. Returns the result of `trade`. */
export const live = <A>(ledger: Ledger, era: keyof Ledger["trades"], trade: (books: PastTrading.Books) => A): A => {
  const amounts = (type: Exchange.WalletType) =>
    new Map(Array.from(ledger.wallets[type], ([coin, amount]) => [coin, amountOf(amount)]))
  const books: PastTrading.Books = {
    random: ledger.random,
    wallets: {
      UNIFIED: amounts("UNIFIED"),
      FUND: amounts("FUND"),
      SPOT: amounts("SPOT"),
      CONTRACT: amounts("CONTRACT")
    },
    holdings: new Map(),
    trades: [],
    issued: ledger.issued
  }
  const result = trade(books)
  ledger.trades[era] = books.trades
  ledger.holdings = Array.from(books.holdings.values())
  ledger.issued = books.issued
  for (const type of walletTypes) {
    for (const [coin, amount] of books.wallets[type]) ledger.wallets[type].set(coin, Records.decimal(amount))
  }
  return result
}

export const balance = (ledger: Ledger, wallet: Exchange.WalletType, coin: string): BigDecimal.BigDecimal =>
  ledger.wallets[wallet].get(coin) ?? Money.zero

/** Books an amount; negative if it leaves. */
export const post = (
  ledger: Ledger,
  wallet: Exchange.WalletType,
  coin: string,
  amount: BigDecimal.BigDecimal
): void => {
  ledger.wallets[wallet].set(coin, BigDecimal.sum(balance(ledger, wallet, coin), amount))
}

/** Deposits into the funding wallet. Only a successful deposit is booked. */
export const deposit = (
  ledger: Ledger,
  at: number,
  coin: string,
  amount: BigDecimal.BigDecimal,
  status: "0" | "1" | "2" = "1",
  from: { readonly chain: string } | { readonly uid: string } = { chain: coin === "USDT" ? "TRX" : coin }
): void => {
  const onChain = "chain" in from
  const address = onChain ? `T${ledger.random.hex(33)}` : from.uid
  const ticket = PastTrading.ticket(ledger)
  // The id contains the full second.
  const id = Records.idOf(ledger.uid, 0, ticket)
  const txId = onChain ? Option.some(ledger.random.hex(64)) : Option.none()
  ledger.deposits.push((openedAt) => {
    const second = fullSecond(openedAt + at)
    return {
      type: onChain ? "0" : "1",
      chain: onChain ? Option.some(Ids.Chain(from.chain)) : Option.none(),
      coin: Ids.Coin(coin),
      amount,
      address: Option.some(address),
      status,
      time: DateTime.unsafeMake(second + (status === "1" ? 120_000 : 0)),
      transactionId: Ids.TransactionId(id(second)),
      txId,
      createTime: DateTime.unsafeMake(second)
    }
  })
  if (status === "1") post(ledger, "FUND", coin, amount)
}

/** Transfers between wallets of the account. */
export const transfer = (
  ledger: Ledger,
  at: number,
  coin: string,
  amount: BigDecimal.BigDecimal,
  from: Exchange.WalletType,
  to: Exchange.WalletType
): void => {
  const id = Records.idOf(ledger.uid, at, PastTrading.ticket(ledger))
  ledger.transfers.push((openedAt) => ({
    transferId: Ids.TransferId(id(openedAt)),
    coin: Ids.Coin(coin),
    amount,
    fromAccountType: from,
    toAccountType: to,
    status: "SUCCESS",
    timestamp: DateTime.unsafeMake(fullSecond(openedAt + at))
  }))
  post(ledger, from, coin, BigDecimal.negate(amount))
  post(ledger, to, coin, amount)
}

/** Transfers from the funding wallet of a master account to that of a sub-account, or back with direction OUT. */
export const subAccountTransfer = (
  master: Ledger,
  sub: Ledger,
  at: number,
  coin: string,
  amount: BigDecimal.BigDecimal,
  direction: "IN" | "OUT"
): void => {
  const id = Records.idOf(master.uid, at, PastTrading.ticket(master))
  const dateTransfer: Records.Dated<Assets.SubAccountTransfer> = (openedAt) => ({
    transferId: Ids.TransferId(id(openedAt)),
    coin: Ids.Coin(coin),
    amount,
    userId: Ids.Uid(master.uid),
    subUserId: Ids.Uid(sub.uid),
    timestamp: DateTime.unsafeMake(openedAt + at),
    status: "SUCCESS",
    type: direction
  })
  master.subAccountTransfers.push(dateTransfer)
  sub.subAccountTransfers.push(dateTransfer)
  const [giver, taker] = direction === "IN" ? [master, sub] : [sub, master]
  post(giver, "FUND", coin, BigDecimal.negate(amount))
  post(taker, "FUND", coin, amount)
}
