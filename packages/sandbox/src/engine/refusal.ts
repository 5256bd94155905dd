import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as Exchange from "../state/Exchange.js"

/** The kinds of refusals of commands. */
export const Reason = Schema.Literal("InvalidArgument", "NotFound", "Conflict", "NotPossible")

/** Why something cannot be made to happen, and which field of the argument is to blame; no field for all of it. */
export interface Refusal {
  readonly reason: typeof Reason.Type
  readonly field: string
  readonly detail: string
}

export const refuse = (reason: Refusal["reason"], field: string, detail: string): Either.Either<never, Refusal> =>
  Either.left({ reason, field, detail })

/** The answer to a command, and the state that it leaves. */
export type Transition<R> = Either.Either<readonly [result: R, state: Exchange.State], Refusal>
