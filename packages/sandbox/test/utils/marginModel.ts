/**
 * What backs the contracts of a unified account and what is taken over, from nothing but records: numbers, and no code of the sandbox. All
 * amounts are in USD unless they are named otherwise.
 */
import type * as Traders from "./traders.js"

/** The mark price of a contract, by `category:symbol`. Those of inverse contracts value their coins. */
export type Prices = ReadonlyMap<string, number>

export interface Wallet {
  readonly coin: string
  readonly balance: number
}

export interface Held {
  readonly key: string
  readonly category: string
  readonly symbol: string
  readonly settleCoin: string
  readonly positionIdx: number
  readonly isolated: boolean
  /** Negative for short. */
  readonly size: number
  /** In the settle coin. */
  readonly entryValue: number
  /** The margin of an isolated position, in the settle coin. */
  readonly margin: number
  readonly leverage: number
  readonly maintenanceRate: number
  readonly liqPrice: number | undefined
  readonly bustPrice: number | undefined
}

/** Reads the row of an open position at its mark price. */
export const held = (category: string, row: Traders.Row): Held => {
  const number = (field: string) => Number(row[field])
  const optional = (field: string) => (row[field] === "" ? undefined : number(field))
  const value = category === "inverse" ? number("size") / number("markPrice") : number("size") * number("markPrice")
  return {
    key: `${category}:${row.symbol}`,
    category,
    symbol: String(row.symbol),
    settleCoin: category === "inverse" ? String(row.symbol).slice(0, -"USD".length) : "USDT",
    positionIdx: number("positionIdx"),
    isolated: row.tradeMode === 1,
    size: row.side === "Buy" ? number("size") : -number("size"),
    entryValue: number("positionValue"),
    margin: number("positionBalance"),
    leverage: number("leverage"),
    maintenanceRate: Math.round((number("positionMM") / value) * 1000) / 1000,
    liqPrice: optional("liqPrice"),
    bustPrice: optional("bustPrice")
  }
}

export const usd = (prices: Prices, coin: string): number => prices.get(`inverse:${coin}USD`) ?? 1

const valueOf = ({ category, key, size }: Held, prices: Prices): number => {
  const price = prices.get(key) ?? Number.NaN
  return category === "inverse" ? Math.abs(size) / price : Math.abs(size) * price
}

/** The profit of a position, in its settle coin. */
const profitOf = (position: Held, prices: Prices): number => {
  const rise = valueOf(position, prices) - position.entryValue
  return position.size > 0 === (position.category === "linear") ? rise : -rise
}

/** Whether an isolated position is liquidated: below 0. */
export const isolatedSlack = (position: Held, prices: Prices): number =>
  position.margin + profitOf(position, prices) - position.entryValue * position.maintenanceRate

export interface Standing {
  /** Wallets without the margin of isolated positions, with the profit of cross positions. */
  readonly cross: number
  /** What isolated positions have left of their margins. */
  readonly isolated: number
  /** `cross` without the maintenance margin of cross positions. They are liquidated below 0. */
  readonly slack: number
  /** Whether losses are larger than what stands behind them. */
  readonly owes: boolean
  /** How far the sums can be off: the sandbox rounds amounts of coins, and these are numbers. */
  readonly tolerance: number
}

export const standing = (wallets: ReadonlyArray<Wallet>, positions: ReadonlyArray<Held>, prices: Prices): Standing => {
  let isBankrupt = false
  let [cross, isolated, needed, scale] = [0, 0, 0, 0]
  for (const { balance, coin } of wallets) {
    cross += balance * usd(prices, coin)
    scale += Math.abs(balance * usd(prices, coin))
  }
  for (const position of positions) {
    const price = usd(prices, position.settleCoin)
    const profit = profitOf(position, prices)
    scale += (valueOf(position, prices) + position.entryValue) * price
    if (position.isolated) {
      cross -= position.margin * price
      isBankrupt ||= position.margin + profit < 0
      isolated += Math.max(0, position.margin + profit) * price
    } else {
      cross += profit * price
      needed += valueOf(position, prices) * position.maintenanceRate * price
    }
  }
  return { cross, isolated, slack: cross - needed, owes: isBankrupt || cross < 0, tolerance: 0.01 + scale * 1e-9 }
}

/** The sums of the wallet that the document defines, without open orders. */
export const available = (wallets: ReadonlyArray<Wallet>, positions: ReadonlyArray<Held>, prices: Prices): number => {
  let total = 0
  for (const { balance, coin } of wallets) total += balance * usd(prices, coin)
  for (const position of positions) {
    const initial = valueOf(position, prices) / position.leverage
    total += (profitOf(position, prices) - initial) * usd(prices, position.settleCoin)
  }
  return total
}
