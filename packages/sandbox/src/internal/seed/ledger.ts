import type * as Assets from "@effect-venue/schemas/Assets"
import type * as Executions from "@effect-venue/schemas/Executions"
import type * as Positions from "@effect-venue/schemas/Positions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as State from "../../State.js"
import * as Book from "../book.js"
import * as Ids from "../ids.js"
import * as Money from "../money.js"
import type * as Random from "../random.js"

type Lists<A> = { readonly [C in State.Category]: Array<A> }

const lists = <A>(): Lists<A> => ({ spot: [], linear: [], inverse: [] })

/** A holding, and since when. */
export interface Held {
  readonly category: State.Contract
  readonly symbol: string
  readonly holding: State.Holding
  readonly createdTime: number
  readonly updatedTime: number
}

/** An account's books while its past is being made up. Mutable, and never seen outside the seed. */
export interface Ledger {
  readonly uid: string
  readonly random: Random.Random
  readonly wallets: { readonly [T in State.WalletType]: Map<string, BigDecimal.BigDecimal> }
  readonly held: Map<string, Held>
  readonly openOrders: Array<State.Order>
  readonly closedOrders: Array<State.Order>
  readonly preUpgradeOrders: Array<State.Order>
  readonly executions: Lists<Executions.Execution>
  readonly preUpgradeExecutions: Lists<Executions.PreUpgradeExecution>
  readonly closedPnl: Lists<Positions.ClosedPnl>
  readonly preUpgradeClosedPnl: Lists<Positions.ClosedPnl>
  readonly deposits: Array<Assets.Deposit>
  readonly transfers: Array<Assets.Transfer>
  readonly subAccountTransfers: Array<Assets.SubAccountTransfer>
  readonly grants: Array<State.Grant>
  readonly bonusUsage: Array<Assets.BonusUsage>
  /** The next id for something that happened at `at`. */
  readonly id: (at: number) => string
}

export const make = (uid: string, random: Random.Random): Ledger => {
  let issued = 0
  return {
    uid,
    random,
    wallets: { UNIFIED: new Map(), FUND: new Map(), SPOT: new Map(), CONTRACT: new Map() },
    held: new Map(),
    openOrders: [],
    closedOrders: [],
    preUpgradeOrders: [],
    executions: lists(),
    preUpgradeExecutions: lists(),
    closedPnl: lists(),
    preUpgradeClosedPnl: lists(),
    deposits: [],
    transfers: [],
    subAccountTransfers: [],
    grants: [],
    bonusUsage: [],
    id: (at) => Ids.timed(at, issued++, `${Number(uid).toString(16).padStart(7, "0")}${random.hex(4)}`)
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
    transactionId: Ids.TransactionId(ledger.id(second)),
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
    transferId: Ids.TransferId(ledger.id(at)),
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
    transferId: Ids.TransferId(master.id(at)),
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

const key = (category: State.Category, symbol: string) => `${category}:${symbol}`

export const holding = (ledger: Ledger, category: State.Category, symbol: string): State.Holding =>
  ledger.held.get(key(category, symbol))?.holding ?? Book.empty

/** Books one execution of a contract, its profit and its fee; says what it closed. */
export const fillContract = (
  ledger: Ledger,
  wallet: State.WalletType,
  category: State.Contract,
  symbol: string,
  settle: string,
  at: number,
  fill: Book.Fill
): Option.Option<Book.Closed> => {
  const before = ledger.held.get(key(category, symbol))
  const { closed, holding } = Book.apply(category, before?.holding ?? Book.empty, fill)
  const opened = before === undefined || BigDecimal.isZero(before.holding.size)
  ledger.held.set(key(category, symbol), {
    category,
    symbol,
    holding,
    createdTime: opened ? at : before.createdTime,
    updatedTime: at
  })
  const pnl = Option.match(closed, { onNone: () => Money.zero, onSome: (part) => part.pnl })
  post(ledger, wallet, settle, BigDecimal.subtract(pnl, fill.fee))
  return closed
}
