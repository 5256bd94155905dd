import type * as Exchange from "../state/Exchange.js"
import type * as Random from "../state/random.js"

export const day = 86_400_000

/** A period of an account's past, in days before the opening, with the number of orders per category. */
export interface Period {
  readonly from: number
  readonly to: number
  readonly orders: { readonly [C in Exchange.Category]?: number }
}

/** When an order is placed, in milliseconds relative to the opening. A border order is a single execution at exactly that instant. */
export interface Slot {
  readonly at: number
  readonly category: Exchange.Category
  readonly border: boolean
}

/** Returns the slots of the periods, earliest first: evenly dense within a period, but irregular. */
export const slots = (
  random: Random.Random,
  periods: ReadonlyArray<Period>,
  borders: ReadonlyArray<number> = []
): ReadonlyArray<Slot> => {
  const all: Array<Slot> = []
  for (const period of periods) {
    const start = -period.from * day
    const length = (period.from - period.to) * day
    for (const category of ["linear", "inverse", "spot"] as const) {
      const count = period.orders[category] ?? 0
      for (let index = 0; index < count; index++) {
        const at = start + Math.floor(((index + random.next()) * length) / count)
        all.push({ at, category, border: false })
      }
    }
  }
  for (const at of borders) all.push({ at, category: "linear", border: true })
  return all.sort((a, b) => a.at - b.at)
}

/**
 * The activity of the main account: two years, denser towards the end, with a gap of three weeks early and one of two weeks late, so that
 * some windows of a history are empty.
 */
export const mainPeriods: ReadonlyArray<Period> = [
  { from: 729.9, to: 205, orders: { linear: 700, inverse: 300, spot: 350 } },
  { from: 185, to: 60, orders: { linear: 600, inverse: 150, spot: 200 } },
  { from: 60, to: 45, orders: { linear: 850, inverse: 60, spot: 90 } },
  { from: 30.5, to: 8, orders: { linear: 1500, inverse: 80, spot: 120 } },
  { from: 8, to: 0.02, orders: { linear: 1200, inverse: 40, spot: 80 } }
]

/** The activity before the upgrade to a unified account; ends a day before the history above begins. */
export const preUpgradePeriods: ReadonlyArray<Period> = [
  { from: 900, to: 732, orders: { linear: 420, inverse: 120, spot: 90 } }
]

/** The instant of the upgrade, in days before the opening. */
export const upgradeDay = 731

/** Executions exactly at the borders of 7-day windows that end at the opening, and one millisecond before. */
export const mainBorders: ReadonlyArray<number> = [1, 2, 3, 4, 7, 8, 30, 60 / 7, 365 / 7].flatMap((weeks) => {
  const at = -Math.round(weeks * 7 * day)
  return [at - 1, at]
})
