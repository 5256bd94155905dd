import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Orders from "@effect-venue/schemas/Orders"
import * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** What became of one order of a batch. */
export type Outcome = Either.Either<Orders.OrderAck, Failure.WriteFailure>

interface Item {
  readonly orderId?: string | undefined
  readonly orderLinkId?: string | undefined
}

type Slot = Orders.BatchResult[number]

/** Whether a slot can be the answer to an order: one list in another order than the other would swap outcomes. */
const answers = (slot: Slot, { orderId, orderLinkId }: Item): boolean =>
  orderId !== undefined
    ? Option.exists(slot.orderId, (id) => id === orderId)
    : orderLinkId === undefined || Option.exists(slot.orderLinkId, (id) => id === orderLinkId)

/**
 * Sends a batch in as many calls as the limit that is in force asks for, one after the other and in order: orders beyond it would be
 * refused by the service. The first call's failure is the batch's own when it proves that nothing was executed, or when it was the
 * only one; what fails later is told order by order, so that no earlier outcome is lost.
 */
export const run = <
  B extends { readonly category: string; readonly request: ReadonlyArray<Item> },
  BWire,
  Res extends ReadonlyArray<Slot>,
  ResWire,
  One,
  OneWire,
  Ack,
  AckWire
>(
  transport: Transport.Transport.Shape,
  endpoint: Endpoint.Endpoint<B, BWire, Res, ResWire, "write">,
  /** The operation on a single order: how one that nobody knows the outcome of is looked up. */
  alone: Endpoint.Endpoint<One, OneWire, Ack, AckWire, "write">,
  batch: B
): Effect.Effect<ReadonlyArray<Outcome>, Failure.WriteFailure> => {
  const { category, request: orders } = batch
  const failed = (
    order: Item,
    because: Transport.PartRefusal | Failure.OutcomeUnknown["because"]
  ): Effect.Effect<Outcome> => {
    // An order of a batch is what is asked for alone but for the category, which the batch has for all.
    const request = { ...order, category } as One
    return Effect.map(transport.partFailure({ of: endpoint, alone, request }, because), (failure) =>
      Either.left(failure)
    )
  }
  const send = (some: ReadonlyArray<Item>) => transport.call(endpoint, { ...batch, request: some })
  const unexpected = (path: string, expected: string) =>
    new Failure.UnexpectedResponse({ operation: endpoint.name, attempts: [], status: 200, path, expected, body: "" })

  const outcomeOf = (order: Item, slot: Slot, index: number): Effect.Effect<Outcome> => {
    if (slot.code !== 0) return failed(order, slot)
    if (Option.isNone(slot.orderId) || !answers(slot, order)) {
      return failed(order, unexpected(`result.list.${index}`, "expected the ids of the order in this place"))
    }
    return Effect.succeed(Either.right({ orderId: slot.orderId.value, orderLinkId: slot.orderLinkId }))
  }

  const outcomesOf = (some: ReadonlyArray<Item>, slots: ReadonlyArray<Slot>): Effect.Effect<ReadonlyArray<Outcome>> =>
    Effect.forEach(some, (order, index) => {
      const slot = slots.length === some.length ? slots[index] : undefined
      return slot === undefined
        ? failed(order, unexpected("result.list", `expected ${some.length} entries, not ${slots.length}`))
        : outcomeOf(order, slot, index)
    })

  /** What a failed call means for each of its orders. */
  const toldOf = (some: ReadonlyArray<Item>, failure: Failure.WriteFailure): Effect.Effect<ReadonlyArray<Outcome>> =>
    Effect.forEach(some, (order) =>
      failure._tag === "OutcomeUnknown" ? failed(order, failure.because) : Effect.succeed<Outcome>(Either.left(failure))
    )

  const notSent = (failure: Failure.WriteFailure) => (): Outcome =>
    Either.left(
      new Failure.ConnectionFailed({
        operation: endpoint.name,
        attempts: [],
        reason: "NotSent",
        sent: false,
        detail: `because a call for earlier orders of the batch failed: ${failure.message}`
      })
    )

  return Effect.gen(function* () {
    // All of it, before any of it is sent.
    yield* transport.check(endpoint, batch)
    const done: Array<Outcome> = []
    while (done.length < orders.length) {
      // Asked anew: the service may have said in between that it is another one.
      const allowance = yield* transport.allowance(endpoint, category)
      const size = Math.max(
        Option.getOrElse(allowance, () => orders.length),
        1
      )
      const some = orders.slice(done.length, done.length + size)
      const sent = yield* Effect.either(send(some))
      if (Either.isRight(sent)) {
        done.push(...(yield* outcomesOf(some, sent.right)))
        continue
      }
      const isFirst = done.length === 0
      const isAll = some.length === orders.length
      if (isFirst && (isAll || sent.left._tag !== "OutcomeUnknown")) return yield* Effect.fail(sent.left)
      done.push(...(yield* toldOf(some, sent.left)))
      done.push(...Arr.map(orders.slice(done.length), notSent(sent.left)))
    }
    return done
  })
}
