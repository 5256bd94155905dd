/**
 * Every operation of this library.
 *
 * @since 0.1.0
 */
import * as Account from "./Account.js"
import * as ApiLimits from "./ApiLimits.js"
import * as Assets from "./Assets.js"
import * as Broker from "./Broker.js"
import type * as Endpoint from "./Endpoint.js"
import * as Executions from "./Executions.js"
import * as Instruments from "./Instruments.js"
import * as Orders from "./Orders.js"
import * as Positions from "./Positions.js"

/**
 * The endpoints, each domain's together.
 *
 * @since 0.1.0
 * @category constants
 */
export const all: ReadonlyArray<Endpoint.Any> = [
  Orders.open,
  Orders.history,
  Orders.create,
  Orders.amend,
  Orders.cancel,
  Orders.cancelAll,
  Orders.createBatch,
  Orders.amendBatch,
  Orders.cancelBatch,
  Positions.list,
  Positions.addMargin,
  Positions.setTradingStop,
  Positions.setRiskLimit,
  Positions.confirmNewRiskLimit,
  Positions.setLeverage,
  Positions.setTpslMode,
  Positions.closedPnl,
  Positions.preUpgradeClosedPnl,
  Executions.list,
  Executions.preUpgrade,
  Instruments.list,
  Account.walletBalance,
  Account.feeRate,
  Assets.deposits,
  Assets.coins,
  Assets.bonusUsage,
  Assets.transfers,
  Assets.subAccountTransfers,
  Assets.transfer,
  Assets.transferableCoins,
  Assets.withdrawInternal,
  Assets.fundingAssets,
  Broker.customers,
  Broker.tradeVolume,
  ApiLimits.set,
  ApiLimits.query
]
