/** What the fields of results mean, for descriptions. No decoder reads this. */
import type { LookUp, Meanings } from "./meaning.js"
import { base, lookUp, of, price, quote, settle, share } from "./meaning.js"

/** Of any result, where neither the operation nor its domain says otherwise. */
const common: Meanings = {
  category: of("the category of all rows"),
  nextPageCursor: of("passed as `cursor` it returns the next page; absent on the last"),
  cursor: of("passed as `cursor` it returns the next page; absent on the last"),
  list: of("the rows of this page"),
  rows: of("the rows of this page"),
  symbol: of("the instrument"),
  coin: of("the coin"),
  orderId: of("the service's id of the order"),
  orderLinkId: of("the caller's id of the order"),
  orderType: of("Limit or Market; of a take profit or stop loss the type once it is triggered"),
  createdTime: of("when it was created"),
  updatedTime: of("when it was last changed"),
  takeProfit: of("price of the take profit", price),
  stopLoss: of("price of the stop loss", price)
}

const orders: Meanings = {
  category: of("the category of all rows"),
  price: of("limit price; absent for market orders", price),
  qty: of("quantity ordered", `${base}; of spot by \`marketUnit\``),
  side: of("Buy or Sell"),
  isLeverage: of("not described by the document: whether a spot order borrows"),
  positionIdx: of("the position that it changes: 0 one-way mode, 1 long and 2 short in hedge mode"),
  orderStatus: of("New and PartiallyFilled are open; Cancelled, Rejected and Filled are final"),
  cancelType: of("why it was cancelled"),
  rejectReason: of("why it was rejected"),
  avgPrice: of("mean price of its fills; absent without fills", price),
  leavesQty: of("quantity that is not executed", base),
  leavesValue: of("estimated value of what is not executed", quote),
  cumExecQty: of("quantity executed", base),
  cumExecValue: of("value executed", quote),
  cumExecFee: of("fees of its executions; positive is paid", "as `execFee` of an execution"),
  timeInForce: of("how long it stays open"),
  stopOrderType: of("which kind of conditional order it is; absent for others"),
  orderIv: of("implied volatility"),
  marketUnit: of("the coin that `qty` counts in a spot market order"),
  triggerPrice: of("price that triggers it; of a trailing stop the price that activates it", price),
  tpslMode: of("Full: take profit and stop loss of the whole position; Partial: of this order"),
  tpLimitPrice: of("limit price of the take profit once triggered", price),
  slLimitPrice: of("limit price of the stop loss once triggered", price),
  tpTriggerBy: of("the price that triggers the take profit"),
  slTriggerBy: of("the price that triggers the stop loss"),
  triggerDirection: of("1 triggered by a rise, 2 by a fall"),
  triggerBy: of("the price that triggers it"),
  lastPriceOnCreated: of("last price when it was placed", price),
  reduceOnly: of("it can only reduce a position"),
  closeOnTrigger: of("it reduces a position when triggered, and may cancel other orders to free margin"),
  placeType: of("how an option order was priced; not described by the document"),
  list: of("an entry for each order"),
  success: of("whether the order was cancelled; absent where the service does not say"),
  createAt: of("when the order was received")
}

const openPosition: Meanings = {
  positionIdx: of("0 one-way mode, 1 long and 2 short in hedge mode"),
  riskId: of("id of the risk limit"),
  riskLimitValue: of("largest value of the position at its risk limit", "quote coin; of inverse contracts base coin"),
  side: of("Buy is long, Sell short; absent for an empty position"),
  size: of("size, never negative: `side` is its sign", base),
  avgPrice: of("mean price of entry", price),
  positionValue: of("value of the position at its entry", settle),
  positionStatus: of("Normal, Liq (being liquidated) or Adl (being deleveraged)"),
  leverage: of("leverage of a contract's position", "times"),
  markPrice: of("last mark price", price),
  liqPrice: of("price of liquidation, of cross margin an estimate; absent outside of minPrice and maxPrice", price),
  bustPrice: of("price of bankruptcy", price),
  positionIM: of("initial margin at the mark price", settle),
  positionMM: of("maintenance margin at the mark price", settle),
  trailingStop: of("distance of the trailing stop from the market", price),
  unrealisedPnl: of("profit at the mark price, negative for a loss; fees are not in it", settle),
  cumRealisedPnl: of(
    "realised profit since the position exists, negative for a loss; in the sandbox after fees and funding",
    settle
  ),
  autoAddMargin: of("whether margin is added by the service before a liquidation"),
  isReduceOnly: of("the service allows only reductions, until a new risk limit is confirmed"),
  mmrSysUpdatedTime: of("when the service changes, or has changed, the maintenance rate"),
  leverageSysUpdatedTime: of("when the service changes, or has changed, the leverage"),
  adlRankIndicator: of("rank in the queue of deleveraging"),
  tpslMode: of("Full: take profit and stop loss of the whole position; Partial: of a part"),
  tpSlMode: of("the mode in force"),
  tradeMode: of("0 cross margin, 1 isolated margin"),
  positionBalance: of("margin assigned to an isolated position", settle)
}

const closedPnl: Meanings = {
  side: of("side of the order that closed: Sell closes a long position"),
  qty: of("quantity of the closing order", base),
  orderPrice: of("price of the closing order", price),
  execType: of("Trade, BustTrade (liquidation), SessionSettlePnL or Settle (settlement)"),
  closedSize: of("size that was closed", base),
  cumEntryValue: of("value of the closed size at its entry", settle),
  avgEntryPrice: of("mean price of entry", price),
  cumExitValue: of("value of the closed size at its exit", settle),
  avgExitPrice: of("mean price of exit", price),
  closedPnl: of(
    "profit of the closed size, negative for a loss. In the sandbox net of the fees of opening and closing it, without funding",
    settle
  ),
  fillCount: of("executions of the closing order", "count"),
  leverage: of("leverage of the position", "times")
}

const executions: Meanings = {
  side: of("Buy or Sell"),
  orderPrice: of("price of the order", price),
  orderQty: of("quantity of the order", base),
  leavesQty: of("quantity of the order that was not executed afterwards", base),
  stopOrderType: of("kind of the conditional order; absent for others, and for spot"),
  execFee: of(
    "fee of this execution: positive is paid, negative received. Of execType Funding it is the funding payment",
    "contracts: settle coin; spot in the sandbox: the coin that is received"
  ),
  execId: of("id of the execution"),
  execPrice: of("price of the execution", price),
  execQty: of("quantity of the execution", base),
  execValue: of("value of the execution", "quote coin; of inverse contracts base coin"),
  execType: of("Trade, Funding, BustTrade (liquidation), AdlTrade, Settle and others; absent where it is not said"),
  execTime: of("when it was executed"),
  isMaker: of("true for a maker, false for a taker"),
  feeRate: of("rate of the fee; negative is a rebate", share),
  markPrice: of("mark price at the execution", price),
  closedSize: of("size of the position that it closed", base),
  createType: of("who created the order; absent for spot"),
  seq: of("cross sequence: with `symbol` it ties executions to changes of the position; absent for spot")
}

const instruments: Meanings = {
  contractType: of("kind of contract; absent for spot"),
  status: of("Trading while it can be traded"),
  baseCoin: of("the coin that is traded"),
  quoteCoin: of("the coin of its prices"),
  settleCoin: of("the coin of margin, fees and profit"),
  launchTime: of("when it was launched"),
  deliveryTime: of("when a dated contract is delivered"),
  deliveryFeeRate: of("rate of the fee of delivery", share),
  priceScale: of("decimals of a price", "count"),
  leverageFilter: of("bounds of the leverage; absent for spot"),
  minLeverage: of("smallest leverage", "times"),
  maxLeverage: of("largest leverage", "times"),
  leverageStep: of("step of the leverage", "times"),
  priceFilter: of("bounds of the price"),
  minPrice: of("smallest price", price),
  maxPrice: of("largest price", price),
  tickSize: of("step of the price", price),
  lotSizeFilter: of("bounds of the quantity"),
  minOrderQty: of("smallest quantity", base),
  maxOrderQty: of("largest quantity of a limit order", base),
  qtyStep: of("step of the quantity", base),
  maxMktOrderQty: of("largest quantity of a market order", base),
  postOnlyMaxOrderQty: of("deprecated: `maxOrderQty`", base),
  minNotionalValue: of("smallest value of an order", quote),
  basePrecision: of("step of a quantity in the base coin; spot", "base coin"),
  quotePrecision: of("step of a quantity in the quote coin; spot", quote),
  minOrderAmt: of("smallest value of an order; spot", quote),
  maxOrderAmt: of("largest value of an order; spot", quote),
  riskParameters: of("how far a price may be from the market; spot"),
  limitParameter: of("of limit orders", "fraction"),
  marketParameter: of("of market orders", "fraction"),
  unifiedMarginTrade: of("whether unified accounts can trade it; not described by the document"),
  fundingInterval: of("time between two funding payments", "minutes"),
  offlineTime: of("when it goes offline; absent while that is not planned"),
  tags: of("tags of the symbol")
}

const account: Meanings = {
  list: of("an entry for each account type"),
  accountType: of("the account type"),
  accountIMRate: of("initial margin as a share of the margin balance", "fraction"),
  accountMMRate: of("maintenance margin as a share of the margin balance", "fraction"),
  totalEquity: of("equity of all coins", "USD"),
  totalWalletBalance: of("sum of the wallet balances of all coins", "USD"),
  totalMarginBalance: of("totalWalletBalance and totalPerpUPL", "USD"),
  totalAvailableBalance: of("totalMarginBalance without totalInitialMargin; absent with isolated margin", "USD"),
  totalPerpUPL: of("unrealised profit of contracts, negative for a loss", "USD"),
  totalInitialMargin: of("initial margin of positions and orders", "USD"),
  totalMaintenanceMargin: of("maintenance margin of positions", "USD"),
  accountLTV: of("not described by the document: borrowed as a share of equity", "fraction"),
  "list.coin": of("the balances by coin"),
  equity: of("wallet balance and unrealised profit", "the coin"),
  usdValue: of("value of the equity", "USD"),
  walletBalance: of("balance without unrealised profit", "the coin"),
  availableToWithdraw: of("deprecated for unified accounts: what can be withdrawn", "the coin"),
  totalOrderIM: of("margin held for open orders", "the coin"),
  totalPositionIM: of("initial margin of positions and the fee of their liquidation", "the coin"),
  totalPositionMM: of("maintenance margin of positions", "the coin"),
  unrealisedPnl: of("unrealised profit, negative for a loss", "the coin"),
  cumRealisedPnl: of("realised profit in total, negative for a loss", "the coin"),
  bonus: of("bonus in the balance", "the coin"),
  borrowAmount: of("borrowed amount", "the coin"),
  availableToBorrow: of("what can be borrowed", "the coin"),
  accruedInterest: of("interest that is due", "the coin"),
  takerFeeRate: of("rate of the fee of takers", share),
  makerFeeRate: of("rate of the fee of makers; negative is a rebate", share)
}

const deposits: Meanings = {
  type: of("0 on chain, 1 from another user of the service"),
  chain: of("the chain"),
  amount: of("amount", "the coin"),
  address: of("address of the deposit; of an internal one the UID of the sender"),
  status: of("0 in progress, 1 successful, 2 failed"),
  time: of("when it was last changed"),
  transactionId: of("id of the deposit"),
  txId: of("hash on the chain; absent for an internal one"),
  createTime: of("when it was created")
}

const coins: Meanings = {
  coinName: of("name of the coin"),
  accuracy: of("decimals at most", "count"),
  depositChains: of("chains on which it can be deposited"),
  withdrawChains: of("chains on which it can be withdrawn"),
  chain: of("the chain"),
  chainName: of("name of the chain"),
  canDeposit: of("false while deposits are paused"),
  depositMin: of("smallest deposit", "the coin"),
  depositConfirmation: of("confirmations before a deposit counts", "count"),
  canWithdraw: of("false while withdrawals are paused"),
  withdrawMin: of("smallest withdrawal", "the coin"),
  withdrawFee: of("fee of a withdrawal", "the coin")
}

const bonusUsage: Meanings = {
  awardType: of("1 bonus, 2 coupon"),
  symbol: of("the instrument that it was used for"),
  time: of("when it was used"),
  type: of("1 trade, 2 trading fee, 3 funding fee"),
  amount: of("amount used", "the coin"),
  orderId: of("the order; absent where none belongs to it")
}

const transfers: Meanings = {
  transferId: of("the caller's id of the transfer"),
  amount: of("amount", "the coin"),
  fromAccountType: of("account type that it was taken from"),
  toAccountType: of("account type that received it"),
  status: of("SUCCESS once it was made"),
  timestamp: of("when it was made"),
  userId: of("UID of this account"),
  subUserId: of("UID of the sub-account"),
  type: of("IN or OUT")
}

const assets: Meanings = {
  transferId: of("the caller's id of the transfer"),
  coins: of("coins that can be moved"),
  withdrawId: of("id of the withdrawal"),
  spot: of("the spot account; absent where it was not asked for"),
  fund: of("the funding account; absent where it was not asked for"),
  status: of("ACCOUNT_STATUS_NORMAL, or ACCOUNT_STATUS_UNSPECIFIED for a banned account"),
  assets: of("balances by coin"),
  free: of("what can be moved", "the coin"),
  totalBalance: of("balance with what is locked", "the coin")
}

const broker: Meanings = {
  userList: of("UIDs of the direct customers"),
  userId: of("UID of the customer"),
  coins: of("volume by coin"),
  tradeVolume: of("filled volume of maker and taker: of contracts their value, of spot the traded amount", "the coin"),
  fee: of("fees, 0 without any", "the coin"),
  nextCursor: of("passed as `cursor` it returns the next page; absent on the last")
}

const apiLimits: Meanings = {
  list: of("an entry for each limit"),
  uids: of("the UIDs that the limit is for"),
  bizType: of("the business: SPOT, DERIVATIVES and others"),
  rate: of("the limit", "requests per second"),
  success: of("whether the limit was set"),
  msg: of("what the service says about it")
}

const operations: { readonly [operation: string]: Meanings } = {
  "positions.closedPnl": closedPnl,
  "positions.preUpgradeClosedPnl": closedPnl,
  "orders.createBatch": { category: of("the category of the order") },
  "orders.amendBatch": { category: of("the category of the order") },
  "orders.cancelBatch": { category: of("the category of the order") },
  "assets.deposits": deposits,
  "assets.coins": coins,
  "assets.bonusUsage": bonusUsage,
  "assets.transfers": transfers,
  "assets.subAccountTransfers": transfers,
  "apiLimits.set": { result: { meaning: "a second spelling of `list`", alias: "list" } },
  "apiLimits.query": { result: { meaning: "a second spelling of `list`", alias: "list" } }
}

const domains: { readonly [domain: string]: Meanings } = {
  Orders: orders,
  Positions: openPosition,
  Executions: executions,
  Instruments: instruments,
  Account: account,
  Assets: assets,
  Broker: broker,
  ApiLimits: apiLimits
}

/** What a field of a result means. */
export const meaningOf: LookUp = lookUp(operations, domains, common)
