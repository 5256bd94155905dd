import * as Duration from "effect/Duration"
import type * as Dice from "./dice.js"

/** How long somebody waits for a call: for ever, for so long, or until something else comes to mind. */
export interface Patience {
  readonly callTimeout: Duration.Duration
  /** Milliseconds until the call is interrupted. */
  readonly interruptedAfter: number | undefined
}

export const endless: Patience = { callTimeout: Duration.infinity, interruptedAfter: undefined }

/** Mostly endless. */
export const draw = (dice: Dice.Dice): Patience => {
  const timeout = Duration.millis(5 + dice.roll(100))
  const moment = dice.roll(40)
  return dice.weighed<Patience>([
    [90, endless],
    [4, { callTimeout: timeout, interruptedAfter: undefined }],
    [4, { callTimeout: Duration.infinity, interruptedAfter: moment }],
    [2, { callTimeout: Duration.minutes(1), interruptedAfter: moment }]
  ])
}
