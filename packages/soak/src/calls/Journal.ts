import type * as Faults from "@effect-venue/sandbox/Faults"
import type * as Journal from "@effect-venue/simulation/Journal"
import type * as Judge from "@effect-venue/simulation/Judge"
import * as Told from "./Told.js"

/** A wish that one call alone has, with what the exchange logged of it. */
export interface Wish {
  readonly name: string
  readonly told: Told.Told
  readonly requests: ReadonlyArray<Faults.Entry>
}

const outcomeOf = (told: Told.Told): Pick<Journal.Reported, "outcome" | "tag"> => {
  switch (told._tag) {
    case "Done":
      return { outcome: "done", tag: "" }
    case "Interrupted":
      return { outcome: "interrupted", tag: "" }
    case "Died":
      return { outcome: "died", tag: told.why }
    case "Failed":
      return { outcome: Told.isUnknown(told) ? "unknown" : "refused", tag: told.failure._tag }
  }
}

/** The facts of a run, as the judge of simulations reads them. Of the network only what arrived is known. */
export const make = (wishes: ReadonlyArray<Wish>): Journal.Journal => {
  let seq = 0
  const at = () => ({ seq: seq++, at: 0 })
  const facts = wishes.flatMap(({ name, requests, told }): ReadonlyArray<Journal.Fact> => {
    const about = { call: name, wish: name }
    return [
      ...requests.map(({ executed }, sending): Journal.Arrived => ({
        _tag: "Arrived",
        ...at(),
        call: name,
        sending,
        wishes: [name],
        executed: executed ? [name] : [],
        code: 0,
        status: 200,
        isCopy: false
      })),
      { _tag: "Reported", ...at(), ...about, ...outcomeOf(told) }
    ]
  })
  return { facts, end: "Done", open: [], leaks: [] }
}

/** What is expected of writes over sockets, where bans and limits are looked at apart. */
export const expectations: Judge.Expectations = {
  banLength: 0,
  isRepeatable: () => false,
  isWrite: () => true,
  isLimitOurs: false
}
