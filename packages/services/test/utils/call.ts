import type * as Samples from "@effect-venue/testing/Samples"
import * as Account from "@effect-venue/services/Account"
import * as ApiLimits from "@effect-venue/services/ApiLimits"
import * as Assets from "@effect-venue/services/Assets"
import * as Broker from "@effect-venue/services/Broker"
import * as Executions from "@effect-venue/services/Executions"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Positions from "@effect-venue/services/Positions"
import type * as Venue from "@effect-venue/services/Venue"
import type * as Failure from "@effect-venue/transport/Failure"
import { Effect } from "effect"

export type Call = Effect.Effect<unknown, Failure.Failure, Venue.Venue>

const services: Readonly<Record<string, Effect.Effect<object, never, Venue.Venue>>> = {
  orders: Orders.Orders,
  positions: Positions.Positions,
  executions: Executions.Executions,
  instruments: Instruments.Instruments,
  account: Account.Account,
  assets: Assets.Assets,
  broker: Broker.Broker,
  apiLimits: ApiLimits.ApiLimits
}

/** Calls a method by the name of its operation, with a request that the types need not allow: as an untyped caller would. */
export const call = (name: Samples.Operation, request: object): Call => {
  const [domain = "", method = ""] = name.split(".")
  const service = services[domain] ?? Effect.dieMessage(`no service ${domain}`)
  return Effect.flatMap(service, (methods) => {
    // The types of a name that is not known here.
    const called = (methods as Readonly<Record<string, (request: object) => Call>>)[method]
    return called === undefined ? Effect.dieMessage(`no method ${name}`) : called(request)
  })
}
