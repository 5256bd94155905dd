import type * as Assets from "@effect-venue/schemas/Assets"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"

/** An instrument of the seed. Prices and quantities are whole multiples of their steps. */
export interface Market {
  readonly category: Exchange.Category
  readonly symbol: string
  readonly base: string
  readonly quote: string
  readonly settle: string
  /** Decimals of the price. The tick is `tick` times the last digit. */
  readonly priceScale: number
  readonly tick: number
  /** Decimals of the quantity. A step is 1 in the last digit. */
  readonly qtyScale: number
  /** The typical value of an order, in the quote coin. */
  readonly typicalValue: number
  readonly startPrice: number
  /** Standard deviation of the daily change. */
  readonly dailyChange: number
  readonly maxLeverage: number
}

const market = (
  category: Exchange.Category,
  base: string,
  quote: string,
  steps: readonly [priceScale: number, tick: number, qtyScale: number],
  habits: readonly [typicalValue: number, startPrice: number, dailyChange: number, maxLeverage: number]
): Market => ({
  category,
  symbol: `${base}${quote}`,
  base,
  quote,
  settle: category === "inverse" ? base : quote,
  priceScale: steps[0],
  tick: steps[1],
  qtyScale: steps[2],
  typicalValue: habits[0],
  startPrice: habits[1],
  dailyChange: habits[2],
  maxLeverage: habits[3]
})

/** The markets that the seeded accounts trade. */
export const traded: ReadonlyArray<Market> = [
  market("linear", "BTC", "USDT", [1, 1, 3], [6000, 38_000, 0.025, 100]),
  market("linear", "ETH", "USDT", [2, 1, 2], [3000, 2300, 0.03, 100]),
  market("linear", "SOL", "USDT", [3, 1, 1], [1500, 95, 0.04, 50]),
  market("linear", "XRP", "USDT", [4, 1, 0], [800, 0.55, 0.035, 75]),
  market("linear", "DOGE", "USDT", [5, 1, 0], [500, 0.08, 0.045, 75]),
  market("inverse", "BTC", "USD", [1, 5, 0], [4000, 38_000, 0.025, 100]),
  market("inverse", "ETH", "USD", [2, 5, 0], [2000, 2300, 0.03, 100]),
  market("spot", "BTC", "USDT", [2, 1, 6], [2500, 38_000, 0.025, 0]),
  market("spot", "ETH", "USDT", [2, 1, 5], [1500, 2300, 0.03, 0]),
  market("spot", "SOL", "USDT", [2, 1, 3], [600, 95, 0.04, 0])
]

const others: ReadonlyArray<Market> = [
  ["ADA", 4, 0.5],
  ["AVAX", 3, 35],
  ["BCH", 2, 250],
  ["BNB", 2, 310],
  ["DOT", 3, 7.5],
  ["LINK", 3, 15],
  ["LTC", 2, 72],
  ["MATIC", 4, 0.85],
  ["NEAR", 3, 3.2],
  ["TRX", 5, 0.11]
].flatMap(([base, priceScale, price]) =>
  typeof base === "string" && typeof priceScale === "number" && typeof price === "number"
    ? [
        market("linear", base, "USDT", [priceScale, 1, 1], [500, price, 0.04, 50]),
        market("spot", base, "USDT", [priceScale, 1, 2], [300, price, 0.04, 0])
      ]
    : []
)

/** All listed markets. */
export const markets: ReadonlyArray<Market> = [
  ...traded,
  market("inverse", "XRP", "USD", [4, 1, 0], [500, 0.55, 0.035, 50]),
  ...others
]

/** The quantity that some dollars buy at the start price, rounded to 1, 2 or 5 with zeros. */
const plainQty = (market: Market, dollars: number): BigDecimal.BigDecimal => {
  const exact = market.category === "inverse" ? dollars : dollars / market.startPrice
  const zeros = 10 ** Math.floor(Math.log10(exact))
  const lead = exact / zeros
  return decimal(String((lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * zeros))
}

const decimal = (text: string) => BigDecimal.unsafeFromString(text)

const step = (scale: number, units = 1) => BigDecimal.make(BigInt(units), scale)

/** Converts a price to units of its last digit, on a tick, at least one tick. */
export const priceUnits = (market: Market, at: number): number =>
  Math.max(1, Math.round((at * Money.tenTo(market.priceScale)) / market.tick)) * market.tick

export const price = (market: Market, at: number): BigDecimal.BigDecimal =>
  BigDecimal.make(BigInt(priceUnits(market, at)), market.priceScale)

/** Converts units of the last digit to a price. */
export const priceOf = (market: Market, units: number): BigDecimal.BigDecimal =>
  BigDecimal.make(BigInt(units), market.priceScale)

/** Converts steps to a quantity. */
export const qty = (market: Market, steps: number): BigDecimal.BigDecimal =>
  BigDecimal.make(BigInt(steps), market.qtyScale)

/** The decimals of the value of an execution in the settle coin. */
export const valueScale = (market: Market): number =>
  market.category === "inverse" ? Money.coinScale : market.priceScale + market.qtyScale

const tiers = (market: Market): ReadonlyArray<Exchange.RiskTier> => {
  const unit = market.category === "inverse" ? (market.base === "BTC" ? "150" : "1500") : "2000000"
  return [1, 2, 3, 4, 5].map((level) => ({
    riskId: level + (market.category === "inverse" ? 100 : 0),
    limit: BigDecimal.multiply(decimal(unit), BigDecimal.make(BigInt(level), 0)),
    maxLeverage: BigDecimal.make(BigInt(Math.floor(market.maxLeverage / level)), 0),
    maintenanceRate: BigDecimal.make(BigInt(5 * level), 3)
  }))
}

/** Creates the listing of a market whose current price is `at`, by its launch time. */
export const listing = (market: Market, at: number): ((launch: number) => Exchange.Listing) => {
  const undated = makeListing(market, at)
  if (market.category === "spot") return () => undated
  return (launch) => ({
    ...undated,
    instrument: { ...undated.instrument, launchTime: Option.some(DateTime.unsafeMake(launch)) }
  })
}

const makeListing = (market: Market, at: number): Exchange.Listing => {
  const isSpot = market.category === "spot"
  const last = price(market, at)
  const none = Option.none()
  const contract = <A>(value: A): Option.Option<A> => (isSpot ? none : Option.some(value))
  const spot = <A>(value: A): Option.Option<A> => (isSpot ? Option.some(value) : none)
  const minQty = step(market.qtyScale)
  return {
    category: market.category,
    settleCoin: market.settle,
    lastPrice: last,
    markPrice: last,
    indexPrice: last,
    riskTiers: isSpot ? [] : tiers(market),
    instrument: {
      symbol: Ids.Symbol(market.symbol),
      contractType: contract(market.category === "inverse" ? "InversePerpetual" : "LinearPerpetual"),
      status: "Trading",
      baseCoin: Ids.Coin(market.base),
      quoteCoin: Ids.Coin(market.quote),
      settleCoin: contract(Ids.Coin(market.settle)),
      launchTime: none,
      deliveryTime: none,
      deliveryFeeRate: none,
      priceScale: contract(market.priceScale),
      leverageFilter: contract({
        minLeverage: Option.some(decimal("1")),
        maxLeverage: Option.some(decimal(`${market.maxLeverage}.00`)),
        leverageStep: Option.some(decimal("0.01"))
      }),
      priceFilter: {
        minPrice: contract(step(market.priceScale, market.tick)),
        maxPrice: contract(BigDecimal.multiply(price(market, market.startPrice), decimal("50"))),
        tickSize: step(market.priceScale, market.tick)
      },
      lotSizeFilter: {
        minOrderQty: minQty,
        maxOrderQty: plainQty(market, isSpot ? 8_000_000 : 30_000_000),
        qtyStep: contract(minQty),
        maxMktOrderQty: contract(plainQty(market, 6_000_000)),
        postOnlyMaxOrderQty: contract(plainQty(market, 30_000_000)),
        minNotionalValue: contract(decimal("5")),
        basePrecision: spot(minQty),
        quotePrecision: spot(decimal("0.00000001")),
        minOrderAmt: spot(decimal("1")),
        maxOrderAmt: spot(decimal("4000000"))
      },
      riskParameters: spot({ limitParameter: decimal("0.03"), marketParameter: decimal("0.03") }),
      unifiedMarginTrade: contract(true),
      fundingInterval: contract(480),
      offlineTime: none,
      tags: []
    }
  }
}

const chain = (
  name: string,
  label: string,
  terms: readonly [depositMin: string, confirmations: number, withdrawMin: string, withdrawFee: string],
  paused = false
) => ({
  deposit: {
    chain: Ids.Chain(name),
    chainName: label,
    canDeposit: Option.some(true),
    depositMin: Option.some(decimal(terms[0])),
    depositConfirmation: Option.some(terms[1])
  },
  withdraw: {
    chain: Ids.Chain(name),
    chainName: label,
    canWithdraw: Option.some(!paused),
    withdrawMin: Option.some(decimal(terms[2])),
    withdrawFee: Option.some(decimal(terms[3]))
  }
})

const coin = (name: string, accuracy: number, ...chains: ReadonlyArray<ReturnType<typeof chain>>): Assets.CoinInfo => ({
  coin: Ids.Coin(name),
  coinName: name,
  accuracy: Option.some(accuracy),
  depositChains: chains.map((candidate) => candidate.deposit),
  withdrawChains: chains.map((candidate) => candidate.withdraw)
})

export const coins: ReadonlyArray<Assets.CoinInfo> = [
  coin(
    "USDT",
    6,
    chain("ETH", "ERC20", ["1", 6, "10", "4.5"]),
    chain("TRX", "TRC20", ["1", 20, "5", "1"]),
    chain("SOL", "SPL", ["1", 100, "5", "0.8"], true)
  ),
  coin("BTC", 8, chain("BTC", "BTC", ["0.0001", 1, "0.0005", "0.0002"])),
  coin("ETH", 8, chain("ETH", "ERC20", ["0.001", 6, "0.01", "0.0012"])),
  coin("SOL", 8, chain("SOL", "SOL", ["0.01", 100, "0.05", "0.001"])),
  coin("XRP", 6, chain("XRP", "XRP", ["1", 2, "10", "0.2"])),
  coin("DOGE", 6, chain("DOGE", "DOGE", ["5", 60, "20", "4"]))
]
