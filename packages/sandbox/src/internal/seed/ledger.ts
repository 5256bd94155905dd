import type * as Assets from "@effect-venue/schemas/Assets"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as State from "../../State.js"
import * as Ids from "../ids.js"
import * as Money from "../money.js"
import type * as Random from "../random.js"
import * as PastTrading from "./pastTrading.js"
import type * as Chronicle from "./chronicle.js"
import * as Records from "./records.js"

/** An account's books while its past is put together for an opening. Mutable, and never seen outside the seed. */
export interface Ledger extends Records.Owner {
  readonly random: Random.Random
  readonly wallets: { readonly [T in State.WalletType]: Map<string, BigDecimal.BigDecimal> }
  readonly openOrders: Array<State.Order>
  readonly deposits: Array<Assets.Deposit>
  readonly transfers: Array<Assets.Transfer>
  readonly subAccountTransfers: Array<Assets.SubAccountTransfer>
  readonly grants: Array<State.Grant>
  readonly bonusUsage: Array<Assets.BonusUsage>
  /** What was traded before the account's upgrade, and since. */
  readonly trades: { preUpgrade: ReadonlyArray<PastTrading.Trade>; current: ReadonlyArray<PastTrading.Trade> }
  /** What the trading since the upgrade has left open. */
  held: ReadonlyArray<Readonly<PastTrading.Holding>>
  /** A trade whose order is open again. */
  reopened: PastTrading.Trade | undefined
  /** How many ids were given out. */
  issued: number
}

export const make = (uid: string, openedAt: number, random: Random.Random): Ledger => ({
  uid,
  openedAt,
  random,
  wallets: { UNIFIED: new Map(), FUND: new Map(), SPOT: new Map(), CONTRACT: new Map() },
  openOrders: [],
  deposits: [],
  transfers: [],
  subAccountTransfers: [],
  grants: [],
  bonusUsage: [],
  trades: { preUpgrade: [], current: [] },
  held: [],
  reopened: undefined,
  issued: 0
})

/** The next id for something that happened at `at`. */
export const id = (ledger: Ledger, at: number): string => Records.id(ledger.uid, at, PastTrading.ticket(ledger))

const walletTypes = ["UNIFIED", "FUND", "SPOT", "CONTRACT"] as const

const amountOf = ({ scale, value }: BigDecimal.BigDecimal): PastTrading.Amount => ({
  units: Number(value) * 10 ** (Money.coinScale - scale),
  scale
})

const write = (ledger: Ledger, trade: (books: PastTrading.Books) => void): Chronicle.Chapter => {
  const amounts = (type: State.WalletType) =>
    new Map(Array.from(ledger.wallets[type], ([coin, amount]) => [coin, amountOf(amount)]))
  const books: PastTrading.Books = {
    random: ledger.random,
    wallets: {
      UNIFIED: amounts("UNIFIED"),
      FUND: amounts("FUND"),
      SPOT: amounts("SPOT"),
      CONTRACT: amounts("CONTRACT")
    },
    held: new Map(),
    trades: [],
    issued: ledger.issued
  }
  trade(books)
  return {
    trades: books.trades,
    wallets: books.wallets,
    held: Array.from(books.held.values()),
    issued: books.issued,
    position: books.random.position()
  }
}

/** Has the account trade through an era, which is simulated once for all worlds of a seed. */
export const live = (
  ledger: Ledger,
  chronicle: Chronicle.Chronicle,
  era: keyof Ledger["trades"],
  trade: (books: PastTrading.Books) => void
): void => {
  const chapter = chronicle.chapter(`${ledger.uid} ${era}`, () => write(ledger, trade))
  ledger.trades[era] = chapter.trades
  ledger.held = chapter.held
  ledger.issued = chapter.issued
  ledger.random.seek(chapter.position)
  for (const type of walletTypes) {
    for (const [coin, amount] of chapter.wallets[type]) ledger.wallets[type].set(coin, Records.decimal(amount))
  }
}

export const balance = (ledger: Ledger, wallet: State.WalletType, coin: string): BigDecimal.BigDecimal =>
  ledger.wallets[wallet].get(coin) ?? Money.zero

/** Books an amount. Minus for what leaves. */
export const post = (ledger: Ledger, wallet: State.WalletType, coin: string, amount: BigDecimal.BigDecimal): void => {
  ledger.wallets[wallet].set(coin, BigDecimal.sum(balance(ledger, wallet, coin), amount))
}

/** A deposit into the funding wallet. Only a successful one is booked. */
export const deposit = (
  ledger: Ledger,
  at: number,
  coin: string,
  amount: BigDecimal.BigDecimal,
  status: "0" | "1" | "2" = "1",
  from: { readonly chain: string } | { readonly uid: string } = { chain: coin === "USDT" ? "TRX" : coin }
): void => {
  const onChain = "chain" in from
  const second = Math.floor(at / 1000) * 1000
  ledger.deposits.push({
    type: onChain ? "0" : "1",
    chain: onChain ? Option.some(Ids.Chain(from.chain)) : Option.none(),
    coin: Ids.Coin(coin),
    amount,
    address: Option.some(onChain ? `T${ledger.random.hex(33)}` : from.uid),
    status,
    time: DateTime.unsafeMake(second + (status === "1" ? 120_000 : 0)),
    transactionId: Ids.TransactionId(id(ledger, second)),
    txId: onChain ? Option.some(ledger.random.hex(64)) : Option.none(),
    createTime: DateTime.unsafeMake(second)
  })
  if (status === "1") post(ledger, "FUND", coin, amount)
}

/** A transfer between wallets of the account. */
export const transfer = (
  ledger: Ledger,
  at: number,
  coin: string,
  amount: BigDecimal.BigDecimal,
  from: State.WalletType,
  to: State.WalletType
): void => {
  ledger.transfers.push({
    transferId: Ids.TransferId(id(ledger, at)),
    coin: Ids.Coin(coin),
    amount,
    fromAccountType: from,
    toAccountType: to,
    status: "SUCCESS",
    timestamp: DateTime.unsafeMake(Math.floor(at / 1000) * 1000)
  })
  post(ledger, from, coin, BigDecimal.negate(amount))
  post(ledger, to, coin, amount)
}

/** Coins that move from a master account's funding wallet to a sub-account's, or back with `direction` OUT. */
export const subAccountTransfer = (
  master: Ledger,
  sub: Ledger,
  at: number,
  coin: string,
  amount: BigDecimal.BigDecimal,
  direction: "IN" | "OUT"
): void => {
  const record: Assets.SubAccountTransfer = {
    transferId: Ids.TransferId(id(master, at)),
    coin: Ids.Coin(coin),
    amount,
    userId: Ids.Uid(master.uid),
    subUserId: Ids.Uid(sub.uid),
    timestamp: DateTime.unsafeMake(at),
    status: "SUCCESS",
    type: direction
  }
  master.subAccountTransfers.push(record)
  sub.subAccountTransfers.push(record)
  const [giver, taker] = direction === "IN" ? [master, sub] : [sub, master]
  post(giver, "FUND", coin, BigDecimal.negate(amount))
  post(taker, "FUND", coin, amount)
}
