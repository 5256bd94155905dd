import type { Judge } from "../Judge.js"

/** No log line, no file and no failure contains a secret. */
export const secret: Judge = {
  rule: "Secret",
  find: ({ of }) => of("Leaked").map(({ text }) => ({ call: "", detail: text }))
}
