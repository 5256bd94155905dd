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
import * as Assets from "../handlers/assets/assets.js"
import * as Broker from "../handlers/broker.js"
import * as Executions from "../handlers/executions.js"
import * as Instruments from "../handlers/instruments.js"
import * as Batches from "../handlers/orders/batches.js"
import * as Orders from "../handlers/orders/orders.js"
import * as Positions from "../handlers/positions/positions.js"
import * as Settings from "../handlers/positions/settings.js"
import * as Withdrawals from "../handlers/assets/withdrawals.js"
import * as Route from "./route.js"

/** Every operation of the service and its handler. */
export const routes: ReadonlyArray<Route.Route> = [
  ...Route.joinSigned(OrdersEndpoints.endpoints, { ...Orders, ...Batches }),
  ...Route.joinSigned(PositionsEndpoints.endpoints, { ...Positions, ...Settings }),
  ...Route.joinSigned(ExecutionsEndpoints.endpoints, Executions),
  ...Route.open(InstrumentsEndpoints.endpoints, Instruments),
  ...Route.joinSigned(AccountEndpoints.endpoints, Account),
  ...Route.joinSigned(AssetsEndpoints.endpoints, { ...Assets, ...Withdrawals }),
  ...Route.joinSigned(BrokerEndpoints.endpoints, Broker),
  ...Route.joinSigned(ApiLimitsEndpoints.endpoints, ApiLimits)
]
