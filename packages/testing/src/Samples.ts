/**
 * The example request of each operation, by name. Several packages send them in tests. Sent in this order, with the prices of
 * `Resting.withPrice`, the sandbox accepts them all, except when it has no risk limit to confirm: an order is placed, amended and cancelled.
 */
import type * as Account from "@effect-venue/schemas/Account"
import type * as ApiLimits from "@effect-venue/schemas/ApiLimits"
import type * as Assets from "@effect-venue/schemas/Assets"
import type * as Broker from "@effect-venue/schemas/Broker"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import type * as Executions from "@effect-venue/schemas/Executions"
import type * as Instruments from "@effect-venue/schemas/Instruments"
import type * as Orders from "@effect-venue/schemas/Orders"
import type * as Positions from "@effect-venue/schemas/Positions"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

type OfDomain<Name extends string, Of extends Readonly<Record<string, Endpoint.Any>>> = {
  readonly [Key in Extract<keyof Of, string> as `${Name}.${Key}`]: Endpoint.Request<Of[Key]>
}

/** The request of each operation. */
type Requests = OfDomain<"orders", typeof Orders.endpoints> &
  OfDomain<"positions", typeof Positions.endpoints> &
  OfDomain<"executions", typeof Executions.endpoints> &
  OfDomain<"instruments", typeof Instruments.endpoints> &
  OfDomain<"account", typeof Account.endpoints> &
  OfDomain<"assets", typeof Assets.endpoints> &
  OfDomain<"broker", typeof Broker.endpoints> &
  OfDomain<"apiLimits", typeof ApiLimits.endpoints>

/** The names of the operations. */
export type Operation = keyof Requests

/** The requests, in the order of `Endpoints.all`. */
// An example has the type of its endpoint's request.
export const requests = Object.fromEntries(Endpoints.all.map(({ example, name }) => [name, example])) as Requests

const names: ReadonlySet<string> = new Set(Object.keys(requests))

/** Whether an operation with this name exists. */
export const isOperation = (name: string): name is Operation => names.has(name)

/** An endpoint with its request. */
export interface Sample {
  readonly name: Operation
  readonly endpoint: Endpoint.Any
  readonly request: object
  /** The request on the wire side. */
  readonly wire: Readonly<Record<string, unknown>>
}

/** Every endpoint with its request, in the order of `Endpoints.all`. */
export const all: ReadonlyArray<Sample> = Endpoints.all.map((endpoint) => {
  const { name } = endpoint
  const request: unknown = endpoint.example
  if (!isOperation(name) || !Predicate.isObject(request)) throw new Error(`${name} has no example`)
  // The encoded side of a request is a record: texts of a query, or a JSON object.
  const wire = Schema.encodeUnknownSync(endpoint.request)(request) as Readonly<Record<string, unknown>>
  return { name, endpoint, request, wire }
})
