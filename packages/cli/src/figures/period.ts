const hour = 3_600_000
const day = 24 * hour
const week = 7 * day

/** The period of an export, divided into equal steps, few enough for a plot. */
export interface Period {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly stepName: string
  /** The step of an instant. Instants outside the period belong to the first or the last step. */
  readonly indexOf: (at: number) => number
  /** Start and end of a step, within the period. */
  readonly bounds: (index: number) => readonly [from: number, to: number]
  readonly isOutside: (at: number) => boolean
}

const mostSteps = 120

const steps: ReadonlyArray<readonly [length: number, name: string]> = [
  [hour, "hour"],
  [6 * hour, "6 hours"],
  [day, "day"],
  [week, "week"],
  [4 * week, "4 weeks"]
]

// 1970 began on a Thursday; weeks begin on Monday.
const monday = 4 * day

export const make = (from: number, to: number): Period => {
  const length = Math.max(to - from, 1)
  const [step, stepName] = steps.find(([step]) => length <= step * mostSteps) ?? wider(length)
  const origin = step % week === 0 ? monday : 0
  const begin = Math.floor((from - origin) / step)
  const last = Math.max(Math.ceil((to - origin) / step) - 1 - begin, 0)
  return {
    from,
    to,
    step,
    stepName,
    indexOf: (at) => Math.min(Math.max(Math.floor((at - origin) / step) - begin, 0), last),
    bounds: (index) => [
      Math.max(origin + (begin + index) * step, from),
      Math.min(origin + (begin + index + 1) * step, to)
    ],
    isOutside: (at) => at < from || at >= to
  }
}

const wider = (length: number): readonly [number, string] => {
  const weeks = 4 * Math.ceil(length / (4 * week) / mostSteps)
  return [weeks * week, `${weeks} weeks`]
}
