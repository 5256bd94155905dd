import type * as Journal from "../../world/Journal.js"

export interface Period {
  readonly from: number
  readonly until: number
}

/** A ban as the answer to a call or the reply of the shared store teaches it to a process. */
const banEndOf = (fact: Journal.Fact, banLength: number): number | undefined => {
  if (fact._tag === "Ended" && fact.isBan) return fact.at + banLength
  return fact._tag === "Entered" && fact.reply === "Closed" ? fact.at + fact.remaining : undefined
}

/** The bans that each process knows of, in the order in which it learns of them. */
export const findKnownBans = ({
  conditions,
  facts,
  requestOf
}: Journal.Journal): ReadonlyMap<string, ReadonlyArray<Period>> => {
  const { banLength = 0 } = conditions
  const known = new Map<string, Array<Period>>()
  for (const fact of facts) {
    const until = banEndOf(fact, banLength)
    if (until === undefined || !("call" in fact)) continue
    const process = requestOf(fact.call)?.process ?? ""
    const periods = known.get(process) ?? []
    known.set(process, periods)
    periods.push({ from: fact.at, until })
  }
  return known
}

/** The processes of a run, each with its facts of one kind. */
export const byProcess = <F extends { readonly call: string }>(
  { requestOf }: Journal.Journal,
  facts: ReadonlyArray<F>
): ReadonlyMap<string, ReadonlyArray<F>> => {
  const processes = new Map<string, Array<F>>()
  for (const fact of facts) {
    const process = requestOf(fact.call)?.process ?? ""
    const own = processes.get(process)
    if (own === undefined) processes.set(process, [fact])
    else own.push(fact)
  }
  return processes
}

/** The difference of one instant when a store reports durations, by fractions of a millisecond. */
export const rounding = 1.5
