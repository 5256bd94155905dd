/** The log of the sandbox as facts of the calls whose requests arrived. */
import type * as Faults from "@effect-venue/sandbox/Faults"
import type * as State from "@effect-venue/sandbox/State"
import type * as Journal from "@effect-venue/simulation/world/Journal"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const Named = Schema.Struct({ orderLinkId: Schema.optional(Schema.String) })
const Parameters = Schema.Struct({
  ...Named.fields,
  requestId: Schema.optional(Schema.String),
  request: Schema.optional(Schema.Array(Named))
})

const decode = Schema.decodeUnknownOption(Parameters)

interface Request {
  readonly operation: string
  readonly parameters: unknown
}

/** The wishes of a request, as the ids in it name them: those of `requests.ts`. */
export const wishesOf = ({ operation, parameters }: Request): ReadonlyArray<string> => {
  const {
    orderLinkId = "",
    request = [],
    requestId = ""
  } = Option.getOrElse(decode(parameters), (): typeof Parameters.Type => ({}))
  switch (operation) {
    case "orders.create":
      return [orderLinkId]
    case "orders.cancel":
      return [`c${Number(orderLinkId.slice(1)) + 1}`]
    case "orders.createBatch":
      return request.map((part) => part.orderLinkId ?? "")
    case "assets.transfer":
      return [`c${Number(requestId.slice(-12))}`]
    default:
      return []
  }
}

const callOfWish = (wish = ""): string => wish.split("-")[0] ?? ""

/** The call that sent a request. */
export const callOf = (request: Request): string => callOfWish(wishesOf(request)[0])

const ordersOf = (state: State.State): ReadonlySet<string> =>
  new Set(
    [...state.accounts.values()].flatMap(({ closedOrders, openOrders }) =>
      [...openOrders, ...closedOrders].flatMap(({ orderLinkId }) => Option.toArray(orderLinkId))
    )
  )

/** `after`: the state at the end, which has the orders of a batch that were accepted. */
export const of = (log: ReadonlyArray<Faults.Entry>, after: State.State): ReadonlyArray<Journal.Happening> => {
  const orders = ordersOf(after)
  return log.flatMap((entry, sending): ReadonlyArray<Journal.Happening> => {
    const wishes = wishesOf(entry)
    if (wishes.length === 0) return []
    const granted = entry.operation === "orders.createBatch" ? wishes.filter((wish) => orders.has(wish)) : wishes
    const call = callOfWish(wishes[0])
    const common = { code: 0, status: 200, isCopy: false }
    return [{ _tag: "Arrived", call, sending, wishes, executed: entry.executed ? granted : [], ...common }]
  })
}
