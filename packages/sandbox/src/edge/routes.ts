import * as AccountEndpoints from "@effect-venue/schemas/Account"
import * as ApiLimitsEndpoints from "@effect-venue/schemas/ApiLimits"
import * as AssetsEndpoints from "@effect-venue/schemas/Assets"
import * as BrokerEndpoints from "@effect-venue/schemas/Broker"
import * as ExecutionsEndpoints from "@effect-venue/schemas/Executions"
import * as InstrumentsEndpoints from "@effect-venue/schemas/Instruments"
import * as OrdersEndpoints from "@effect-venue/schemas/Orders"
import * as PositionsEndpoints from "@effect-venue/schemas/Positions"
import * as Account from "../handlers/account.js"
import * as ApiLimits from "../handlers/apiLimits.js"
import * as Assets from "../handlers/assets.js"
import * as Broker from "../handlers/broker.js"
import * as Executions from "../handlers/executions.js"
import * as Instruments from "../handlers/instruments.js"
import * as OrderBatches from "../handlers/orderBatches.js"
import * as OrderPlacement from "../handlers/orderPlacement.js"
import * as Orders from "../handlers/orders.js"
import * as PositionSettings from "../handlers/positionSettings.js"
import * as Positions from "../handlers/positions.js"
import * as Withdrawals from "../handlers/withdrawals.js"
import * as Route from "./route.js"

/** Every operation of the service and its handler. */
export const routes: ReadonlyArray<Route.Route> = [
  ...Route.joinSigned(OrdersEndpoints.endpoints, { ...Orders, ...OrderBatches, ...OrderPlacement }),
  ...Route.joinSigned(PositionsEndpoints.endpoints, { ...Positions, ...PositionSettings }),
  ...Route.joinSigned(ExecutionsEndpoints.endpoints, Executions),
  ...Route.open(InstrumentsEndpoints.endpoints, Instruments),
  ...Route.joinSigned(AccountEndpoints.endpoints, Account),
  ...Route.joinSigned(AssetsEndpoints.endpoints, { ...Assets, ...Withdrawals }),
  ...Route.joinSigned(BrokerEndpoints.endpoints, Broker),
  ...Route.joinSigned(ApiLimitsEndpoints.endpoints, ApiLimits)
]
