import * as Duration from "effect/Duration"
import type * as Dice from "./dice.js"

/** How long a caller waits for a call: without end, until a timeout, or until it interrupts the call. */
export interface Deadlines {
  readonly callTimeout: Duration.Duration
  /** Milliseconds until the call is interrupted. */
  readonly interruptedAfter: number | undefined
}

export const endless: Deadlines = { callTimeout: Duration.infinity, interruptedAfter: undefined }

/** Mostly endless. */
export const draw = (dice: Dice.Dice): Deadlines => {
  const timeout = Duration.millis(5 + dice.roll(100))
  const moment = dice.roll(40)
  return dice.weighed<Deadlines>([
    [90, endless],
    [4, { callTimeout: timeout, interruptedAfter: undefined }],
    [4, { callTimeout: Duration.infinity, interruptedAfter: moment }],
    [2, { callTimeout: Duration.minutes(1), interruptedAfter: moment }]
  ])
}
