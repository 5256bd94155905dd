import type * as State from "../../State.js"
import * as Prices from "./market/prices.js"

const second = (at: number): number => Math.floor(at / 1000) * 1000

/**
 * A state that was put away, as it goes on at `now`: from its own instant. What lies between has not happened: prices move on from
 * where they stood, and what was still to come is as far away as it was.
 */
export const resume = (state: State.State, now: number): State.State => {
  const at = second(now)
  if (at === second(state.advancedAt)) return state
  const gap = at - state.advancedAt
  return {
    ...state,
    advancedAt: at,
    pausedFor: state.pausedFor + gap,
    // A service that was restarted later than now would forget what is yet to be closed.
    restartedAt: Math.min(state.restartedAt, at),
    pending: state.pending.map((deposit) => ({ ...deposit, at: deposit.at + gap }))
  }
}

/** The state with prices that move or stand still from here on, from where they are. */
export const withPrices = (state: State.State, prices: State.State["prices"]): State.State => {
  if (prices === state.prices) return state
  if (prices === "moving") return { ...state, prices, pausedFor: state.advancedAt - state.openedAt }
  const drifts = Array.from(state.drifts, ([base, drift]) => {
    const opening = Prices.baseAt(state, base, state.advancedAt)
    return [base, { ...drift, opening }] as const
  })
  return { ...state, prices, drifts: new Map(drifts) }
}
