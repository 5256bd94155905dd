import * as AccountEndpoints from "@effect-venue/schemas/Account"
import * as ApiLimitsEndpoints from "@effect-venue/schemas/ApiLimits"
import * as AssetsEndpoints from "@effect-venue/schemas/Assets"
import * as BrokerEndpoints from "@effect-venue/schemas/Broker"
import * as ExecutionsEndpoints from "@effect-venue/schemas/Executions"
import * as InstrumentsEndpoints from "@effect-venue/schemas/Instruments"
import * as OrdersEndpoints from "@effect-venue/schemas/Orders"
import * as PositionsEndpoints from "@effect-venue/schemas/Positions"
import * as Account from "../handlers/Account.js"
import * as ApiLimits from "../handlers/ApiLimits.js"
import * as Assets from "../handlers/Assets.js"
import * as Broker from "../handlers/Broker.js"
import * as Executions from "../handlers/Executions.js"
import * as Instruments from "../handlers/Instruments.js"
import * as OrderBatches from "../handlers/OrderBatches.js"
import * as OrderPlacement from "../handlers/OrderPlacement.js"
import * as Orders from "../handlers/Orders.js"
import * as PositionSettings from "../handlers/PositionSettings.js"
import * as Positions from "../handlers/Positions.js"
import * as Withdrawals from "../handlers/Withdrawals.js"
import * as Route from "./route.js"

/** Every operation of the service and its handler. */
export const routes: ReadonlyArray<Route.Route> = [
  Route.signed(OrdersEndpoints.open, Orders.open),
  Route.signed(OrdersEndpoints.amend, Orders.amend),
  Route.withoutOnSpot(Route.signed(OrdersEndpoints.cancelAll, Orders.cancelAll), "settleCoin"),
  Route.signed(OrdersEndpoints.history, Orders.history),
  Route.signed(OrdersEndpoints.create, OrderPlacement.create),
  Route.signed(OrdersEndpoints.cancel, OrderPlacement.cancel),
  Route.signed(OrdersEndpoints.createBatch, OrderBatches.createBatch),
  Route.signed(OrdersEndpoints.amendBatch, OrderBatches.amendBatch),
  Route.signed(OrdersEndpoints.cancelBatch, OrderBatches.cancelBatch),
  Route.signed(PositionsEndpoints.list, Positions.list),
  Route.signed(PositionsEndpoints.addMargin, Positions.addMargin),
  Route.signed(PositionsEndpoints.setTradingStop, Positions.setTradingStop),
  Route.signed(PositionsEndpoints.setRiskLimit, Positions.setRiskLimit),
  Route.signed(PositionsEndpoints.preUpgradeClosedPnl, Positions.preUpgradeClosedPnl),
  Route.signed(PositionsEndpoints.closedPnl, Positions.closedPnl),
  Route.signed(PositionsEndpoints.setLeverage, PositionSettings.setLeverage),
  Route.signed(PositionsEndpoints.setTpslMode, PositionSettings.setTpslMode),
  Route.signed(PositionsEndpoints.confirmNewRiskLimit, PositionSettings.confirmNewRiskLimit),
  Route.signed(ExecutionsEndpoints.list, Executions.list),
  Route.signed(ExecutionsEndpoints.preUpgrade, Executions.preUpgrade),
  Route.open(InstrumentsEndpoints.list, Instruments.list),
  Route.signed(AccountEndpoints.walletBalance, Account.walletBalance),
  Route.signed(AccountEndpoints.feeRate, Account.feeRate),
  Route.signed(AssetsEndpoints.deposits, Assets.deposits),
  Route.signed(AssetsEndpoints.coins, Assets.coins),
  Route.signed(AssetsEndpoints.bonusUsage, Assets.bonusUsage),
  Route.signed(AssetsEndpoints.transfers, Assets.transfers),
  Route.signed(AssetsEndpoints.subAccountTransfers, Assets.subAccountTransfers),
  Route.signed(AssetsEndpoints.transfer, Assets.transfer),
  Route.signed(AssetsEndpoints.transferableCoins, Assets.transferableCoins),
  Route.signed(AssetsEndpoints.withdrawInternal, Withdrawals.withdrawInternal),
  Route.signed(AssetsEndpoints.fundingAssets, Assets.fundingAssets),
  Route.signed(BrokerEndpoints.customers, Broker.customers),
  Route.signed(BrokerEndpoints.tradeVolume, Broker.tradeVolume),
  Route.signed(ApiLimitsEndpoints.set, ApiLimits.set),
  Route.signed(ApiLimitsEndpoints.query, ApiLimits.query)
]
