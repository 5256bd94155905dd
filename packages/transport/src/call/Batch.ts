/**
 * Batches: writes that the service accepts or refuses part by part, such as twenty orders in one call.
 *
 * @sibling
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Signer from "@effect-venue/signing/Signer"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type * as Failure from "../model/Failure.js"
import { codecOf } from "../response/codec.js"
import { type Ambiguous, isAmbiguous } from "../response/unknownOutcome.js"
import type * as Transport from "./Transport.js"

/** A part of a batch, such as an order: the operation that was called, and the request for this part alone. */
export interface Part<in out Req, in out ReqWire, in out Res, in out ResWire> {
  readonly of: Endpoint.Properties
  readonly alone: Endpoint.Endpoint<Req, ReqWire, Res, ResWire>
  readonly request: Req
}

/** The return code of a part that the service refused. */
export interface PartRefusal {
  readonly code: number
  readonly msg: string
}

/** The number of parts that the service executes in one call: the limit per UID in force, or `none`. */
export const allowance = (
  transport: Transport.Transport.Shape,
  endpoint: Endpoint.Properties,
  category: string | undefined
): Effect.Effect<Option.Option<number>> => transport.account.limit(endpoint, category)

/** Runs a batch with the call options that were provided to the layer of the transport. */
export const withOptions = <A, E, R>(
  transport: Transport.Transport.Shape,
  batch: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => transport.account.inherit(batch)

const parametersOf = <Req, ReqWire, Res, ResWire>({ alone, request }: Part<Req, ReqWire, Res, ResWire>) =>
  // The part has already been encoded with the whole batch.
  Either.getOrElse(codecOf(alone).encode(request), (): Signer.Parameters => ({}))

/**
 * The failure of a part, by its return code or by the reason why its outcome is unknown. It is classified like the response to a separate call: a code that
 * proves nothing leaves the outcome of the part unknown.
 */
export const partFailure = <Req, ReqWire, Res, ResWire>(
  transport: Transport.Transport.Shape,
  part: Part<Req, ReqWire, Res, ResWire>,
  because: PartRefusal | Failure.OutcomeUnknown["because"]
): Effect.Effect<Failure.WriteFailure> => {
  const { outcomeUnknown, refusal } = transport.account
  const unknown = (ambiguous: Failure.OutcomeUnknown["because"]): Failure.OutcomeUnknown =>
    outcomeUnknown({ ...part.alone, name: part.of.name }, parametersOf(part), ambiguous)
  return "_tag" in because
    ? Effect.sync(() => unknown(because))
    : Effect.map(refusal(part.of, because.code, because.msg), (failure) =>
        isAmbiguous(failure) ? unknown(failure) : failure
      )
}

/** The count of received successes, to be read before a batch is sent. */
export const received = (transport: Transport.Transport.Shape): number => transport.account.items.received()

/** The failure of a call that executed nothing itself, or the reason why its outcome is open. */
export const ownFailure = (failure: Failure.WriteFailure): Either.Either<Failure.WriteFailure, Ambiguous> => {
  const own = failure._tag === "OutcomeUnknown" ? failure.because : failure
  return isAmbiguous(own) ? Either.left(own) : Either.right(own)
}

/**
 * The outcome of a part that failed. If an earlier call sent it and no caller knows its outcome, a refusal is looked up, and any other failure leaves the
 * outcome unknown. `sentAt` is the count of received successes before the batch was sent, and `undefined` for a part that was not sent.
 */
export const understandFailure = <Req, ReqWire, Res, ResWire>(
  transport: Transport.Transport.Shape,
  part: Part<Req, ReqWire, Res, ResWire>,
  failed: { readonly failure: Failure.WriteFailure; readonly sentAt: number | undefined },
  read: Endpoint.ReadCall<Failure.ReadFailure>
): Effect.Effect<Either.Either<Res, Failure.WriteFailure>> => {
  const parameters = parametersOf(part)
  const { items, outcomeUnknown } = transport.account
  return Effect.either(
    items.understand({
      ...failed,
      endpoint: part.alone,
      parameters,
      read,
      decode: codecOf(part.alone).decode,
      unknown: (because) => outcomeUnknown({ ...part.alone, name: part.of.name }, parameters, because)
    })
  )
}

/** Notes the outcome of a part that was sent and whose caller gets it now. */
export const conclude = <Req, ReqWire, Res, ResWire>(
  transport: Transport.Transport.Shape,
  part: Part<Req, ReqWire, Res, ResWire>,
  outcome: Either.Either<unknown, Failure.WriteFailure>
): void => {
  if (Either.isLeft(outcome) && outcome.left._tag === "OutcomeUnknown") return
  transport.account.items.conclude(part.alone, parametersOf(part), Either.isRight(outcome) ? "received" : "refused")
}
