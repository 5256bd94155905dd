/** What the parameters of requests mean, for descriptions. No decoder reads this. */
import type { LookUp, Meanings } from "./meaning.js"
import { base, lookUp, of, price, settle } from "./meaning.js"

/** Of any request, where neither the operation nor its domain says otherwise. */
const common: Meanings = {
  symbol: of("the instrument, as `BTCUSDT`"),
  coin: of("the coin, as `USDT`; without it all"),
  orderId: of("the service's id of the order"),
  orderLinkId: of("the caller's id of the order"),
  positionIdx: of("the position: 0 in one-way mode, 1 long and 2 short in hedge mode, where it is required"),
  startTime: of("rows from this instant on"),
  endTime: of("rows up to this instant"),
  limit: of("the most rows of a page"),
  pageSize: of("the most rows of a page"),
  cursor: of("the cursor of the page before, verbatim; the first page without it")
}

const category = of("spot, USDT-linear or inverse contracts")
const contracts = of("USDT-linear or inverse contracts")

const baseCoin = of("all instruments of this base coin, as `BTC`")
const settleCoin = of("all contracts that settle in this coin, as `USDT`")

const triggers: Meanings = {
  takeProfit: of("price that triggers the take profit", price),
  stopLoss: of("price that triggers the stop loss", price),
  tpTriggerBy: of("the price that triggers the take profit"),
  slTriggerBy: of("the price that triggers the stop loss"),
  tpLimitPrice: of("limit price of the take profit once triggered", price),
  slLimitPrice: of("limit price of the stop loss once triggered", price),
  tpOrderType: of("what the take profit places once triggered"),
  slOrderType: of("what the stop loss places once triggered"),
  tpslMode: of(
    "Full: take profit and stop loss of the whole position, at the market; Partial: of a part, at the market or a limit"
  )
}

const orders: Meanings = {
  ...triggers,
  category,
  side: of("Buy or Sell"),
  orderType: of("Limit or Market"),
  qty: of("quantity to order", `${base}; of a spot market order by \`marketUnit\``),
  price: of("limit price", price),
  marketUnit: of("what `qty` of a spot market order counts: by default quote coin to buy, base coin to sell"),
  timeInForce: of("how long it stays open; a market order is always immediate or cancelled"),
  slippageToleranceType: of("what `slippageTolerance` counts: ticks, or percent of the best price of the other side"),
  slippageTolerance: of("how far from the best price a market order may be filled", "ticks or percent"),
  triggerPrice: of(
    "price that triggers a conditional order; a contract's is above the market to trigger on a rise",
    price
  ),
  triggerDirection: of("1: triggered by a rise to `triggerPrice`; 2: by a fall"),
  triggerBy: of("the price that is compared with `triggerPrice`"),
  orderFilter: of("Order: active; tpslOrder: take profit or stop loss of spot; StopOrder: conditional"),
  reduceOnly: of("it can only reduce a position"),
  closeOnTrigger: of("it only reduces a position when triggered, and may cancel other orders to free margin"),
  smpType: of("what happens when it would trade with an order of the same owner"),
  orderIv: of("implied volatility"),
  openOnly: of("0: open orders; 1: the last 500 closed ones that the service still knows; ignored with an id"),
  orderStatus: of("only orders in this status"),
  baseCoin,
  settleCoin,
  request: of("the orders, which succeed or fail each for itself")
}

/** What an order becomes: what is left out stays as it is. */
const amended: Meanings = {
  qty: of("the new quantity, with what is executed already", `${base}; of a spot market order by \`marketUnit\``),
  price: of("the new limit price", price),
  triggerPrice: of("the new price that triggers it", price),
  takeProfit: of("the new price of the take profit; 0 cancels it", price),
  stopLoss: of("the new price of the stop loss; 0 cancels it", price),
  tpTriggerBy: of("the price that triggers the take profit; required where the order has none yet"),
  slTriggerBy: of("the price that triggers the stop loss; required where the order has none yet"),
  tpLimitPrice: of("the new limit price of the take profit, of an order that has one", price),
  slLimitPrice: of("the new limit price of the stop loss, of an order that has one", price)
}

const found: Meanings = {
  symbol: of("only orders of this instrument; an id has priority, and it has priority over `baseCoin`"),
  orderId: of("the service's id of the order; it has priority over all others"),
  orderLinkId: of("the caller's id of the order; it has priority over `symbol`"),
  orderFilter: of(
    "only orders of this kind: Order is active, tpslOrder take profit or stop loss of spot, StopOrder conditional"
  )
}

const cancelledAll: Meanings = {
  symbol: of("cancels those of this instrument; it has priority over the coins"),
  baseCoin: of("cancels those of this base coin, as `BTC`; it has priority over `settleCoin`"),
  settleCoin: of("cancels those of contracts that settle in this coin, as `USDT`"),
  orderFilter: of("the kind to cancel: of contracts all by default, of spot active orders"),
  stopOrderType: of("Stop: conditional orders that are neither take profit, stop loss nor trailing stop")
}

const positions: Meanings = {
  ...triggers,
  category,
  symbol: of("the instrument, as `BTCUSDT`"),
  margin: of("positive adds, negative removes", settle),
  trailingStop: of("distance of the trailing stop from the market; 0 removes it", price),
  takeProfit: of("price that triggers the take profit; 0 removes it", price),
  stopLoss: of("price that triggers the stop loss; 0 removes it", price),
  activePrice: of("price from which on the trailing stop follows the market", price),
  tpSize: of("quantity that the take profit closes", base),
  slSize: of("quantity that the stop loss closes", base),
  riskId: of("id of the risk limit"),
  buyLeverage: of("leverage of long positions; with one-way mode or cross margin as `sellLeverage`", "times"),
  sellLeverage: of("leverage of short positions", "times"),
  tpSlMode: of("what orders and trading stops without a mode get: Full, the whole position; Partial, a part")
}

const listed: Meanings = {
  symbol: of("the position of this instrument, also where it is empty; it has priority over `settleCoin`"),
  baseCoin,
  settleCoin: of("all positions that settle in this coin and are not empty")
}

const closedPnl: Meanings = {
  category: contracts,
  symbol: of("only rows of this instrument"),
  startTime: of("rows from this instant on; without it 7 days up to `endTime`, or the last 7"),
  endTime: of("rows up to this instant; without it 7 days from `startTime` on")
}

const executions: Meanings = {
  category,
  orderId: of("only executions of this order; it has priority over `symbol`"),
  symbol: of("only executions of this instrument"),
  execType: of("only executions of this type"),
  startTime: of("executions from this instant on; without it 7 days up to `endTime`, or the last 7"),
  endTime: of("executions up to this instant; without it 7 days from `startTime` on")
}

const instruments: Meanings = {
  category,
  symbol: of("this instrument alone, as `BTCUSDT`"),
  status: of("only instruments in this status; of contracts `Trading` alone"),
  baseCoin: of("all contracts of this base coin, USDT-linear and inverse ones whatever the category")
}

const account: Meanings = {
  accountType: of("UNIFIED: the trading account"),
  coin: of("these coins alone; without it all whose balance is not zero"),
  category,
  symbol: of("the instrument; without it all")
}

const oneCoin: Meanings = { coin: of("the coin, as `USDT`") }

const assets: Meanings = {
  requestId: of("the caller's id, under which the service does it once"),
  amount: of("how much", "the coin"),
  fromAccountType: of("the account that it leaves"),
  toAccountType: of("the account that it reaches"),
  transferId: of("the id under which it was made"),
  status: of("only transfers in this status"),
  type: of("0 on chain, 1 internal transfers, 2 both"),
  chain: of("only deposits on this chain; without it all"),
  txId: of("hash of the transaction on the chain"),
  awardType: of("1 bonuses, 2 coupons; without it both"),
  direction: of("not described by the document"),
  accountType: of("the account; what its values select, the document leaves open"),
  address: of("the recipient: an email address, a phone number or a UID, which is in the address book"),
  addressType: of("what `address` is: 1 email, 2 phone, 3 UID"),
  areaCode: of("of a phone number"),
  remark: of("a text that stays with it")
}

const broker: Meanings = {
  begin: of("customers who became direct ones from this instant on"),
  end: of("customers who became direct ones up to this instant"),
  from: of("volume from this instant on"),
  to: of("volume before this instant"),
  uid: of("this direct customer alone; without it all, in pages by UID"),
  limit: of("the most UIDs of a page"),
  productType: of("spot, contracts or both"),
  contractType: of("only contracts of this type; without it all"),
  coin: of("volume in this coin alone; without it in all")
}

const apiLimits: Meanings = {
  list: of("the limits to set, one for each business type"),
  uids: of("the UIDs: of a master account its own and those of sub-accounts, of others their own alone"),
  uid: of("a second spelling of `uids`"),
  bizType: of("the business type, as `SPOT` or `DERIVATIVES`"),
  rate: of("calls that it allows", "calls a second")
}

const operations: { readonly [operation: string]: Meanings } = {
  "orders.open": found,
  "orders.history": found,
  "orders.amend": amended,
  "orders.amendBatch": amended,
  "orders.cancelAll": cancelledAll,
  "positions.list": listed,
  "positions.confirmNewRiskLimit": { category: contracts },
  "positions.setRiskLimit": { category: of("USDT-linear or inverse contracts; the service does not use it") },
  "positions.setLeverage": { category: contracts },
  "positions.setTpslMode": { category: contracts },
  "positions.closedPnl": closedPnl,
  "positions.preUpgradeClosedPnl": closedPnl,
  "assets.bonusUsage": { coin: of("the coin; the service knows `USDT` alone") },
  "assets.transfer": oneCoin,
  "assets.withdrawInternal": oneCoin
}

const domains: { readonly [domain: string]: Meanings } = {
  Orders: orders,
  Positions: positions,
  Executions: executions,
  Instruments: instruments,
  Account: account,
  Assets: assets,
  Broker: broker,
  ApiLimits: apiLimits
}

/** What a parameter of a request means. */
export const meaningOf: LookUp = lookUp(operations, domains, common)
