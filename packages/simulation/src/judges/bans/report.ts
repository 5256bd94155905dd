import type { Judge } from "../../world/Judge.js"

/** A ban is reported to the store by the process that meets it, for as long as it lasts. */
export const report: Judge = {
  rule: "Report",
  find: ({ conditions, of }) => {
    if (conditions.isShared !== true) return []
    const { banLength = 0 } = conditions
    const closings = of("Closing")
    const lost = new Set(of("Lost").map(({ call }) => call))
    const short = closings
      .filter(({ duration }) => duration < banLength)
      .map(({ call, duration }) => ({ call, detail: `closes for ${duration} ms` }))
    const silent = of("Ended")
      .filter(
        ({ call, isBan, seq }) =>
          isBan && !lost.has(call) && !closings.some((closing) => closing.call === call && closing.seq > seq)
      )
      .map(({ call }) => ({ call, detail: "was banned, and the store does not learn of it" }))
    return [...short, ...silent]
  }
}
