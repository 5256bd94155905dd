/** Every operation of the library. */
import * as Account from "./Account.js"
import * as ApiLimits from "./ApiLimits.js"
import * as Assets from "./Assets.js"
import * as Broker from "./Broker.js"
import type * as Endpoint from "./Endpoint.js"
import * as Executions from "./Executions.js"
import * as Instruments from "./Instruments.js"
import * as Orders from "./Orders.js"
import * as Positions from "./Positions.js"

/** All endpoints, grouped by domain. */
export const all: ReadonlyArray<Endpoint.Any> = [
  Orders,
  Positions,
  Executions,
  Instruments,
  Account,
  Assets,
  Broker,
  ApiLimits
].flatMap(({ endpoints }): ReadonlyArray<Endpoint.Any> => Object.values<Endpoint.Any>(endpoints))
