import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Journal from "@effect-venue/simulation/world/Journal"
import * as Told from "./Told.js"

/** A wish that one call alone has, with the requests for it in the log of the exchange. */
export interface Wish {
  readonly name: string
  readonly told: Told.Told
  readonly requests: ReadonlyArray<Faults.Entry>
}

const outcomeOf = (told: Told.Told): Pick<Journal.Of<"Reported">, "outcome" | "tag"> => {
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

const happeningsOf = ({ name, requests, told }: Wish): ReadonlyArray<Journal.Happening> => [
  { _tag: "Requested", call: name, process: "", safety: "write" },
  ...requests.map(({ executed }, sending): Journal.Happening => ({
    _tag: "Arrived",
    call: name,
    sending,
    wishes: [name],
    executed: executed ? [name] : [],
    code: 0,
    status: 200,
    isCopy: false
  })),
  { _tag: "Reported", call: name, wish: name, ...outcomeOf(told) }
]

/** The journal of a run, as the judges of the simulation read it. Of the network only the arrivals are known. */
export const make = (wishes: ReadonlyArray<Wish>): Journal.Journal =>
  Journal.make(Journal.numbered(wishes.flatMap(happeningsOf)))
