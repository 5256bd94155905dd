import type { Judge } from "../Judge.js"

/** No call is refused for its timestamp if answers state the service's time well enough. */
export const skewed: Judge = {
  rule: "Skewed",
  find: ({ conditions, of }) =>
    conditions.isClockLearnable === true
      ? of("Reported")
          .filter(({ tag }) => tag === "ClockSkew")
          .map(({ call }) => ({ call, detail: "is refused for its timestamp" }))
      : []
}
