import type * as Exchange from "../state/Exchange.js"
import * as Prices from "../book/prices.js"

const second = (at: number): number => Math.floor(at / 1000) * 1000

/**
 * Continues a stored state at `now`, which is not before its instant. The time in between is skipped: prices continue from their level, and
 * future events are as far away as before.
 */
export const resume = (state: Exchange.State, now: number): Exchange.State => {
  const at = second(now)
  if (at === second(state.advancedAt)) return state
  const gap = at - state.advancedAt
  return {
    ...state,
    advancedAt: at,
    pausedFor: state.pausedFor + gap,
    pending: state.pending.map((deposit) => ({ ...deposit, at: deposit.at + gap }))
  }
}

/** Makes prices move or stop, from their current level. */
export const withPrices = (state: Exchange.State, prices: Exchange.State["prices"]): Exchange.State => {
  if (prices === state.prices) return state
  if (prices === "moving") return { ...state, prices, pausedFor: state.advancedAt - state.openedAt }
  const drifts = Array.from(state.drifts, ([base, drift]) => {
    const opening = Prices.baseAt(state, base, state.advancedAt)
    return [base, { ...drift, opening }] as const
  })
  return { ...state, prices, drifts: new Map(drifts) }
}
