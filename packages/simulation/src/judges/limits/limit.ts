import type { Judge } from "../Judge.js"

/** The service refuses no call for a limit that this program alone uses. */
export const limit: Judge = {
  rule: "Limit",
  find: ({ conditions, of }) =>
    conditions.isLimitOurs === true
      ? of("Arrived")
          .filter(({ code, isInherent }) => code === 10006 && isInherent !== true)
          .map(({ at, call }) => ({ call, detail: `refused at ${at}` }))
      : []
}
