import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Orders from "@effect-venue/schemas/Orders"
import * as Batch from "@effect-venue/transport/shared/Batch"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type OrderName, type Slot, verdicts } from "./batchSlots.js"

/** The outcome of one order of a batch. */
export type Outcome = Either.Either<Orders.OrderAck, Failure.WriteFailure>

interface Item extends OrderName {
  readonly symbol?: string | undefined
}

/** One call of a batch: its orders and its response. */
interface Part {
  readonly orders: ReadonlyArray<Item>
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

const within = <A>(effect: Effect.Effect<A>, timeout: Duration.Duration): Effect.Effect<Option.Option<A>> =>
  Duration.isFinite(timeout) ? Effect.timeoutOption(effect, timeout) : Effect.asSome(effect)

/** The indexes of the orders that were or can have been executed, with their identifiers. */
const concerned = ({ interrupted, parts }: Progress, orders: ReadonlyArray<Item>) => {
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

const identifiersOf = (order: Item, ack: Orders.OrderAck | undefined): Record<string, string> => {
  const orderId = ack?.orderId ?? order.orderId
  const orderLinkId = order.orderLinkId ?? Option.getOrUndefined(ack?.orderLinkId ?? Option.none())
  return {
    ...(order.symbol === undefined ? {} : { symbol: order.symbol }),
    ...(orderId === undefined ? {} : { orderId }),
    ...(orderLinkId === undefined ? {} : { orderLinkId })
  }
}

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
  Ack,
  AckWire
>(
  transport: Transport.Transport.Shape,
  endpoint: Endpoint.Endpoint<B, BWire, Res, ResWire, "write">,
  /** The operation for a single order, which defines the look-up of an order with an unknown outcome. */
  alone: Endpoint.Endpoint<One, OneWire, Ack, AckWire, "write">,
  batch: B
): Effect.Effect<ReadonlyArray<Outcome>, Failure.WriteFailure> => {
  const { category, request: orders } = batch
  const head = { operation: endpoint.name, attempts: [] }
  const failed = (
    order: Item,
    because: Batch.PartRefusal | Failure.OutcomeUnknown["because"]
  ): Effect.Effect<Outcome> => {
    // An order of a batch is a single request without the category, which the batch has.
    const request = { ...order, category } as One
    return Effect.map(Batch.partFailure(transport, { of: endpoint, alone, request }, because), (failure) =>
      Either.left(failure)
    )
  }
  const unexpected = (path: string, expected: string) =>
    new Failure.UnexpectedResponse({ ...head, status: 200, path, expected, body: "" })
  const notSent = (detail: string) => new Failure.ConnectionFailed({ ...head, reason: "NotSent", sent: false, detail })
  const lengthOf = (parts: ReadonlyArray<Part>) => parts.reduce((sum, part) => sum + part.orders.length, 0)

  const answered = (some: ReadonlyArray<Item>, slots: ReadonlyArray<Slot>): Effect.Effect<ReadonlyArray<Outcome>> =>
    Effect.forEach(verdicts(some, slots), (verdict, index): Effect.Effect<Outcome> => {
      const order = some[index] ?? {}
      switch (verdict._tag) {
        case "Accepted":
          return Effect.succeed(Either.right(verdict.ack))
        case "Refused":
          return failed(order, verdict.refusal)
        case "Unclear":
          return failed(
            order,
            slots.length === some.length
              ? unexpected(`result.list.${index}`, "expected the ids of the order in this place")
              : unexpected("result.list", `expected ${some.length} entries, not ${slots.length}`)
          )
      }
    })

  /** The outcome of each order of a failed call. */
  const failedPart = (
    some: ReadonlyArray<Item>,
    failure: Failure.WriteFailure
  ): Effect.Effect<ReadonlyArray<Outcome>> =>
    Effect.forEach(some, (order) =>
      failure._tag === "OutcomeUnknown" ? failed(order, failure.because) : Effect.succeed<Outcome>(Either.left(failure))
    )

  /** Sends the parts in order until one fails or the time is over. A response is recorded before anything else happens. */
  const execute = (progress: Progress) =>
    Effect.gen(function* () {
      const remaining = yield* remainingTime
      const { parts } = progress
      while (lengthOf(parts) < orders.length) {
        // Read again, because the service can have reported another limit in the meantime.
        const allowance = yield* within(Batch.allowance(transport, endpoint, category), yield* remaining)
        const timeout = yield* remaining
        if (Option.isNone(allowance) || Duration.lessThanOrEqualTo(timeout, Duration.zero)) return
        const size = Math.max(
          Option.getOrElse(allowance.value, () => orders.length),
          1
        )
        const some = orders.slice(lengthOf(parts), lengthOf(parts) + size)
        yield* transport.call(endpoint, { ...batch, request: some }).pipe(
          Effect.either,
          Effect.map((answer) => void parts.push({ orders: some, answer })),
          Effect.provideService(CallOptions.CallTimeout, timeout),
          Effect.provideService(CallOptions.OnInterruptedWrite, (failure) =>
            Effect.sync(() => void (progress.interrupted = failure))
          )
        )
        if (parts.some(({ answer }) => Either.isLeft(answer))) return
      }
    })

  /** The outcome of every order, or the failure of the batch if it describes all of them. */
  const conclude = ({ parts }: Progress): Effect.Effect<ReadonlyArray<Outcome>, Failure.WriteFailure> =>
    Effect.gen(function* () {
      const failure = parts.flatMap(({ answer }) => (Either.isLeft(answer) ? [answer.left] : []))[0]
      const isAll = lengthOf(parts) === orders.length
      if (parts.length === 0) return yield* notSent("the time for the batch was over before its first call")
      if (parts.length === 1 && failure !== undefined && (isAll || failure._tag !== "OutcomeUnknown")) {
        return yield* Effect.fail(failure)
      }
      const outcomes = yield* Effect.forEach(parts, ({ answer, orders: some }) =>
        Either.match(answer, {
          onLeft: (failure) => failedPart(some, failure),
          onRight: (slots) => answered(some, slots)
        })
      )
      const why =
        failure === undefined
          ? "the time for the batch was over"
          : `because a call for earlier orders of the batch failed: ${failure.message}`
      const rest = orders.slice(lengthOf(parts)).map((): Outcome => Either.left(notSent(why)))
      return [...outcomes.flat(), ...rest]
    })

  const reportInterruption = (progress: Progress) =>
    Effect.gen(function* () {
      const report = yield* CallOptions.OnInterruptedWrite
      const { interrupted, parts } = progress
      const found = concerned(progress, orders)
      if (parts.length === 0) return yield* interrupted === undefined ? Effect.void : report(interrupted)
      if (found.length === 0) return
      const because = interrupted?.because ?? notSent(`interrupted after ${lengthOf(parts)} of ${orders.length} orders`)
      const request = { ...batch, request: found.map(({ order }) => order) }
      const part = yield* Batch.partFailure(transport, { of: endpoint, alone: endpoint, request }, because)
      const named = found.map(({ ack, order, place }) => ({ place, ids: identifiersOf(order, ack), ack }))
      const failure = new Failure.OutcomeUnknown({
        ...head,
        identifiers: Object.fromEntries([
          ["category", category],
          ...named.flatMap(({ ids, place }) =>
            Object.entries(ids).map(([name, id]) => [`request.${place}.${name}`, id] as const)
          )
        ]),
        accepted: named.flatMap(({ ack, ids }) => (ack === undefined ? [] : [ids])),
        because
      })
      yield* report(part._tag === "OutcomeUnknown" ? Failure.withLookUp(failure, part.lookUp) : failure)
    })

  return Effect.suspend(() => {
    const progress: Progress = { parts: [], interrupted: undefined }
    // Checks the whole batch before sending any of it.
    const run = transport.check(endpoint, batch).pipe(
      Effect.zipRight(execute(progress)),
      Effect.zipRight(Effect.suspend(() => conclude(progress))),
      Effect.onInterrupt(() => reportInterruption(progress))
    )
    return Batch.withOptions(transport, run)
  })
}
