import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Orders"
import * as Batch from "@effect-venue/transport/siblings/Batch"
import { withLookUp } from "@effect-venue/transport/siblings/LookUp"
import * as TimeLimit from "@effect-venue/transport/siblings/TimeLimit"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type OrderName, type Slot, verdicts } from "./batchSlots.js"

/** The outcome of one order of a batch. */
export type Outcome = Either.Either<Endpoints.OrderAck, Failure.WriteFailure>

interface Item extends OrderName {
  readonly symbol?: string | undefined
}

/** One call of a batch: its orders and its response. */
interface Part {
  readonly orders: ReadonlyArray<Item>
  /** The count of received successes before the call. */
  readonly sentAt: number
  readonly answer: Either.Either<ReadonlyArray<Slot>, Failure.WriteFailure>
}

/** The progress of a batch, also available when it is interrupted. */
interface Progress {
  readonly parts: Array<Part>
  /** The call that was in flight when the batch was interrupted. */
  interrupted: Failure.OutcomeUnknown | undefined
}

/** The remaining time for the whole batch, in whole milliseconds. */
const remainingTime = Effect.gen(function* () {
  const timeout = Duration.toMillis(yield* CallOptions.CallTimeout)
  const startedAt = yield* Clock.currentTimeNanos
  return Effect.map(Clock.currentTimeNanos, (now) =>
    Duration.millis(Math.ceil(timeout - Duration.toMillis(Duration.nanos(now - startedAt))))
  )
})

/** The indexes of the orders that were or can have been executed, with their identifiers. */
const findExecuted = ({ interrupted, parts }: Progress, orders: ReadonlyArray<Item>) => {
  let place = 0
  const found = parts.flatMap(({ answer, orders: some }) => {
    const said = Either.isRight(answer) ? verdicts(some, answer.right) : undefined
    const isUnknown = Either.isLeft(answer) && answer.left._tag === "OutcomeUnknown"
    return some.map((order, index) => {
      const verdict = said?.[index]
      const ack = verdict?._tag === "Accepted" ? verdict.ack : undefined
      return { place: place++, order, ack, isConcerned: isUnknown || ack !== undefined || verdict?._tag === "Unclear" }
    })
  })
  // The identifiers refer to the orders of this call, by their index in it.
  const inFlight = Object.keys(interrupted?.identifiers ?? {}).flatMap((name) => {
    const index = /^request\.(\d+)\./.exec(name)?.[1]
    return index === undefined ? [] : [place + Number(index)]
  })
  const undecided = [...new Set(inFlight)].flatMap((index) => {
    const order = orders[index]
    return order === undefined ? [] : [{ place: index, order, ack: undefined, isConcerned: true }]
  })
  return [...found, ...undecided].filter(({ isConcerned }) => isConcerned)
}

const identifiersOf = (order: Item, ack: Endpoints.OrderAck | undefined): Record<string, string> => {
  const orderId = ack?.orderId ?? order.orderId
  const orderLinkId = order.orderLinkId ?? Option.getOrUndefined(ack?.orderLinkId ?? Option.none())
  return {
    ...(order.symbol === undefined ? {} : { symbol: order.symbol }),
    ...(orderId === undefined ? {} : { orderId }),
    ...(orderLinkId === undefined ? {} : { orderLinkId })
  }
}

type Because = Batch.PartRefusal | Failure.OutcomeUnknown["because"]

/** A batch, and the calls that it needs. */
interface Sending {
  readonly operation: string
  readonly category: string
  readonly orders: ReadonlyArray<Item>
  /** How many orders a call can have at present. */
  readonly allowance: Effect.Effect<Option.Option<number>>
  readonly call: (orders: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Slot>, Failure.WriteFailure>
  /** The failure of an order. */
  readonly failed: (order: Item, because: Because) => Effect.Effect<Outcome>
  /** The count of received successes. */
  readonly received: () => number
  /** Understands the failure of an order, since an earlier call can have placed it. `sentAt` is `undefined` if the order was not sent. */
  readonly understand: (order: Item, outcome: Outcome, sentAt: number | undefined, read: Read) => Effect.Effect<Outcome>
  /** Notes the outcome of an order, which the caller gets now. */
  readonly concluded: (order: Item, outcome: Outcome) => void
  readonly read: Read
  /** The failure of several orders, with a look-up of all of them. */
  readonly failedTogether: (orders: ReadonlyArray<Item>, because: Because) => Effect.Effect<Failure.WriteFailure>
}

type Read = Endpoint.ReadCall<Failure.ReadFailure>

/** Reads the open orders of a symbol once for all look-ups of a batch. An order that this list does not contain is looked up alone. */
const readFromOneList = (read: Read): Read => {
  const pages = new Map<string, Effect.Effect<Endpoints.OpenResult, Failure.ReadFailure>>()
  const readOpen = (request: Endpoints.OpenRequest) => {
    const { orderLinkId, ...selection } = request
    const key = JSON.stringify(selection)
    return Effect.gen(function* () {
      const page = pages.get(key) ?? (yield* Effect.cached(read(Endpoints.open, { ...selection, limit: 50 })))
      pages.set(key, page)
      const { list, ...rest } = yield* page
      const named = list.filter((order) => Option.contains(order.orderLinkId, orderLinkId))
      return named.length > 0 ? { ...rest, list: named } : yield* read(Endpoints.open, request)
    })
  }
  // The operation of the same name has the same types.
  return ((operation, request) =>
    operation.name === Endpoints.open.name ? readOpen(request as never) : read(operation, request)) as Read
}

const makeUnexpected = ({ operation }: Sending, path: string, expected: string) =>
  new Failure.UnexpectedResponse({ operation, attempts: [], status: 200, path, expected, body: "" })

const notSent = ({ operation }: Sending, detail: string) =>
  new Failure.ConnectionFailed({ operation, attempts: [], reason: "NotSent", sent: false, detail })

const lengthOf = (parts: ReadonlyArray<Part>) => parts.reduce((sum, part) => sum + part.orders.length, 0)

/** The outcome of each order of an answered call. */
const judgeAnswer = (
  sending: Sending,
  { orders, sentAt }: Pick<Part, "orders" | "sentAt">,
  slots: ReadonlyArray<Slot>
): Effect.Effect<ReadonlyArray<Outcome>> => {
  const read = readFromOneList(sending.read)
  return Effect.forEach(verdicts(orders, slots), (verdict, index): Effect.Effect<Outcome> => {
    const order = orders[index] ?? {}
    switch (verdict._tag) {
      case "Accepted":
        return Effect.succeed(Either.right(verdict.ack))
      case "Refused":
        return Effect.flatMap(sending.failed(order, verdict.refusal), (outcome) =>
          sending.understand(order, outcome, sentAt, read)
        )
      case "Unclear":
        return sending.failed(
          order,
          slots.length === orders.length
            ? makeUnexpected(sending, `result.list.${index}`, "expected the ids of the order in this place")
            : makeUnexpected(sending, "result.list", `expected ${orders.length} entries, not ${slots.length}`)
        )
    }
  })
}

/** The outcome of each order that this batch did not execute. */
const judgeNotExecuted = (
  sending: Sending,
  orders: ReadonlyArray<Item>,
  failure: Failure.WriteFailure
): Effect.Effect<ReadonlyArray<Outcome>> => {
  const read = readFromOneList(sending.read)
  return Effect.forEach(orders, (order) => sending.understand(order, Either.left(failure), undefined, read))
}

/** The outcome of each order of a failed call. */
const judgeFailure = (
  sending: Sending,
  orders: ReadonlyArray<Item>,
  failure: Failure.WriteFailure
): Effect.Effect<ReadonlyArray<Outcome>> => {
  const own = Batch.ownFailure(failure)
  return Either.isRight(own)
    ? judgeNotExecuted(sending, orders, own.right)
    : Effect.forEach(orders, (order) => sending.failed(order, own.left))
}

/** Sends the parts in order until one fails or the time is over. A response is recorded before anything else happens. */
const execute = (sending: Sending, progress: Progress) =>
  Effect.gen(function* () {
    const { allowance, call, orders } = sending
    const remaining = yield* remainingTime
    const { parts } = progress
    while (lengthOf(parts) < orders.length) {
      // Read again, because the service can have reported another limit in the meantime.
      const allowed = yield* Effect.option(TimeLimit.within(allowance, yield* remaining, constVoid))
      const timeout = yield* remaining
      if (Option.isNone(allowed) || Duration.lessThanOrEqualTo(timeout, Duration.zero)) return
      const size = Math.max(
        Option.getOrElse(allowed.value, () => orders.length),
        1
      )
      const next = orders.slice(lengthOf(parts), lengthOf(parts) + size)
      const sentAt = sending.received()
      yield* call(next).pipe(
        Effect.either,
        Effect.map((answer) => void parts.push({ orders: next, sentAt, answer })),
        Effect.provideService(CallOptions.CallTimeout, timeout),
        Effect.provideService(CallOptions.OnInterruptedWrite, (failure) =>
          Effect.sync(() => void (progress.interrupted = failure))
        )
      )
      if (parts.some(({ answer }) => Either.isLeft(answer))) return
    }
  })

/** The outcome of every order, or the failure of the batch if it describes all of them. */
const conclude = (sending: Sending, { parts }: Progress): Effect.Effect<ReadonlyArray<Outcome>, Failure.WriteFailure> =>
  Effect.gen(function* () {
    const { orders } = sending
    const failure = parts.flatMap(({ answer }) => (Either.isLeft(answer) ? [answer.left] : []))[0]
    const left = orders.slice(lengthOf(parts))
    if (parts.length === 1 && failure !== undefined && left.length === 0) return yield* Effect.fail(failure)
    const outcomes = yield* Effect.forEach(parts, (part) =>
      Either.match(part.answer, {
        onLeft: (failure) => judgeFailure(sending, part.orders, failure),
        onRight: (slots) =>
          Effect.tap(judgeAnswer(sending, part, slots), (outcomes) => {
            outcomes.forEach((outcome, index) => sending.concluded(part.orders[index] ?? {}, outcome))
          })
      })
    )
    const why =
      failure === undefined
        ? "the time for the batch was over"
        : `because a call for earlier orders of the batch failed: ${failure.message}`
    const rest = yield* judgeNotExecuted(sending, left, notSent(sending, why))
    const all = [...outcomes.flat(), ...rest]
    const isNothingExecuted =
      parts.every(({ answer }) => Either.isLeft(answer)) &&
      !all.some((outcome) => Either.isLeft(outcome) && outcome.left._tag === "OutcomeUnknown")
    if (!isNothingExecuted) return all
    return yield* Effect.fail(failure ?? notSent(sending, "the time for the batch was over before its first call"))
  })

const reportInterruption = (sending: Sending, progress: Progress) =>
  Effect.gen(function* () {
    const { category, failedTogether, operation, orders } = sending
    const report = yield* CallOptions.OnInterruptedWrite
    const { interrupted, parts } = progress
    const found = findExecuted(progress, orders)
    if (parts.length === 0) return yield* interrupted === undefined ? Effect.void : report(interrupted)
    if (found.length === 0) return
    const because =
      interrupted?.because ?? notSent(sending, `interrupted after ${lengthOf(parts)} of ${orders.length} orders`)
    const together = yield* failedTogether(
      found.map(({ order }) => order),
      because
    )
    const named = found.map(({ ack, order, place }) => ({ place, ids: identifiersOf(order, ack), ack }))
    const failure = new Failure.OutcomeUnknown({
      operation,
      attempts: [],
      identifiers: Object.fromEntries([
        ["category", category],
        ...named.flatMap(({ ids, place }) =>
          Object.entries(ids).map(([name, id]) => [`request.${place}.${name}`, id] as const)
        )
      ]),
      accepted: named.flatMap(({ ack, ids }) => (ack === undefined ? [] : [ids])),
      ...(together._tag === "OutcomeUnknown" && together.isOnce === true ? { isOnce: true } : {}),
      because
    })
    yield* report(together._tag === "OutcomeUnknown" ? withLookUp(failure, together.lookUp) : failure)
  })

/**
 * Sends a batch in order, in as many calls as the limit in force requires; the service would refuse orders beyond the limit. `CallTimeout`
 * applies to the whole batch. The failure of the first call fails the batch if it proves that nothing was executed, or if it was the only
 * call. Later failures are reported per order, so that earlier outcomes are kept. An interrupted batch reports the placed orders to
 * `OnInterruptedWrite`, once.
 */
export const run = <
  B extends { readonly category: string; readonly request: ReadonlyArray<Item> },
  BWire,
  Res extends ReadonlyArray<Slot>,
  ResWire,
  One,
  OneWire,
  AckWire
>(
  transport: Transport.Transport.Shape,
  endpoint: Endpoint.Endpoint<B, BWire, Res, ResWire, "write">,
  /** The operation for a single order, which defines the look-up of an order with an unknown outcome. */
  alone: Endpoint.Endpoint<One, OneWire, Endpoints.OrderAck, AckWire, "write">,
  batch: B
): Effect.Effect<ReadonlyArray<Outcome>, Failure.WriteFailure> => {
  // An order of a batch is a single request without the category, which the batch has.
  const partOf = (order: Item) => ({ of: endpoint, alone, request: { ...order, category: batch.category } as One })
  const makeSending = (): Sending => ({
    operation: endpoint.name,
    category: batch.category,
    orders: batch.request,
    allowance: Batch.allowance(transport, endpoint, batch.category),
    call: (request) => transport.call(endpoint, { ...batch, request }),
    failed: (order, because) => Effect.map(Batch.partFailure(transport, partOf(order), because), Either.left),
    received: () => Batch.received(transport),
    understand: (order, outcome, sentAt, read) =>
      Either.isLeft(outcome)
        ? Batch.understandFailure(transport, partOf(order), { failure: outcome.left, sentAt }, read)
        : Effect.succeed(outcome),
    concluded: (order, outcome) => {
      Batch.conclude(transport, partOf(order), outcome)
    },
    read: (operation, request) => transport.call(operation, request),
    failedTogether: (request, because) =>
      Batch.partFailure(transport, { of: endpoint, alone: endpoint, request: { ...batch, request } }, because)
  })
  const send = Effect.suspend(() => {
    const sending = makeSending()
    const progress: Progress = { parts: [], interrupted: undefined }
    return execute(sending, progress).pipe(
      Effect.zipRight(Effect.suspend(() => conclude(sending, progress))),
      Effect.onInterrupt(() => reportInterruption(sending, progress))
    )
  })
  // Checks the whole batch before sending any of it.
  return Batch.withOptions(transport, Effect.zipRight(transport.check(endpoint, batch), send))
}
