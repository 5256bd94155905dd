import * as Either from "effect/Either"
import type { ControlRefused } from "../../Control.js"
import type * as State from "../../shared/State.js"

/** Why something cannot be made to happen, and which field of the argument is to blame; no field for all of it. */
export interface Refusal {
  readonly reason: ControlRefused["reason"]
  readonly field: string
  readonly detail: string
}

export const refuse = (reason: Refusal["reason"], field: string, detail: string): Either.Either<never, Refusal> =>
  Either.left({ reason, field, detail })

/** The answer to a command, and the state that it leaves. */
export type Transition<R> = Either.Either<readonly [result: R, state: State.State], Refusal>
