/** Every operation of the library. */
import * as Account from "../domains/Account.js"
import * as ApiLimits from "../domains/ApiLimits.js"
import * as Assets from "../domains/Assets.js"
import * as Broker from "../domains/Broker.js"
import type * as Endpoint from "../endpoint/Endpoint.js"
import * as Executions from "../domains/Executions.js"
import * as Instruments from "../domains/Instruments.js"
import * as Orders from "../domains/Orders.js"
import * as Positions from "../domains/Positions.js"

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
