import type * as Journal from "../world/Journal.js"
import type { Judge } from "../world/Judge.js"

/** Finds the wishes of an entry: a batch that is sent in several parts has an entry for each. Without a journal, those of the call. */
export const indexWishes = ({ of }: Journal.Journal) => {
  // The first fact counts.
  const entries = new Map(
    of("Recorded")
      .toReversed()
      .map(({ entry, wishes }) => [entry, wishes])
  )
  const calls = new Map(
    of("Arrived")
      .toReversed()
      .map(({ call, wishes }) => [call, wishes])
  )
  return ({ call, entry }: Pick<Journal.Of<"Closed">, "call" | "entry">): ReadonlyArray<string> =>
    entries.get(entry) ?? calls.get(call) ?? [call]
}

/** A write leaves only after the journal keeps its intent. */
export const unrecorded: Judge = {
  rule: "Unrecorded",
  find: ({ conditions, of, requestOf }) => {
    if (conditions.isRecorded !== true) return []
    const recorded = of("Recorded")
    return of("Sent")
      .filter(
        ({ call, seq }) =>
          ["idempotent", "write"].includes(requestOf(call)?.safety ?? "") &&
          !recorded.some((entry) => entry.call === call && entry.seq < seq)
      )
      .map(({ call }) => ({ call, detail: "left, and its intent is not in the journal" }))
  }
}

/**
 * An entry is closed by its call only if the outcome was known; and by then it is not closed as not executed if it was executed, nor as executed if a part
 * of it was not.
 */
export const owed: Judge = {
  rule: "Owed",
  find: (journal) => {
    const { of } = journal
    const wishesOf = indexWishes(journal)
    const unknown = new Set(of("Reported").flatMap(({ outcome, wish }) => (outcome === "unknown" ? [wish] : [])))
    const granted = new Set(of("Arrived").flatMap(({ executed }) => executed))
    return of("Closed").flatMap(({ by, call, entry, executed: result }) => {
      if (by !== "call") return []
      const wishes = wishesOf({ call, entry })
      if (wishes.some((wish) => unknown.has(wish)))
        return [{ call, detail: "its outcome is unknown, and its call has closed its entry" }]
      if (result === "no" && wishes.some((wish) => granted.has(wish)))
        return [{ call, detail: "was executed, and is recorded as not executed" }]
      return result === "yes" && !wishes.every((wish) => granted.has(wish))
        ? [{ call, detail: "was not executed as a whole, and is recorded as executed" }]
        : []
    })
  }
}

/** A call whose outcome is known closes its entry before its caller receives that, and leaves it to no look-up. */
export const unclosed: Judge = {
  rule: "Unclosed",
  find: ({ conditions, of }) => {
    if (conditions.isRecorded !== true) return []
    const entries = new Set(of("Recorded").map(({ call }) => call))
    const isKnown = (outcome: string) => outcome === "done" || outcome === "refused"
    const unknown = new Set(of("Reported").flatMap(({ call, outcome }) => (isKnown(outcome) ? [] : [call])))
    const closed = of("Closed").filter(({ by }) => by === "call")
    // A call that the journal has failed does not wait for it again.
    const isWaitedFor = (tag: string) => !tag.endsWith("WriteJournal")
    return of("Reported")
      .filter(({ call }) => entries.has(call) && !unknown.has(call))
      .filter(
        ({ call, seq, tag }) => !closed.some((entry) => entry.call === call && (entry.seq < seq || !isWaitedFor(tag)))
      )
      .map(({ call, outcome }) => ({ call, detail: `is reported as ${outcome} while its entry is open` }))
  }
}

/** The journal records the refusal that the caller received, with its return code, or that the call was interrupted. */
export const misnamed: Judge = {
  rule: "Misnamed",
  find: (journal) => {
    const { of } = journal
    const wishesOf = indexWishes(journal)
    const reports = of("Reported")
    const codes = new Set(of("Arrived").map(({ call, code }) => `${call} ${code}`))
    return of("Closed").flatMap(({ call, entry, failure, retCode }) => {
      if (failure === undefined) return []
      const isCoded = retCode === undefined ? !failure.startsWith("Rejected") : codes.has(`${call} ${retCode}`)
      if (!isCoded)
        return [{ call, detail: `is recorded with the code ${retCode}, which the exchange has not returned` }]
      const tags = [failure.replaceAll(/[()]/g, ""), failure.split(" ")[0]]
      const wishes = wishesOf({ call, entry })
      const isOther = ({ outcome, tag, wish }: Journal.Of<"Reported">) =>
        wishes.includes(wish) && outcome === "refused" && !tags.includes(tag)
      return reports.some(isOther)
        ? [{ call, detail: `is recorded as ${failure}, which its caller did not receive` }]
        : []
    })
  }
}

/** All attempts of a wish share an entry, and an entry that is closed for good is not closed again. */
export const reopened: Judge = {
  rule: "Reopened",
  find: ({ conditions: { durableFrom = Number.POSITIVE_INFINITY }, of }) => {
    const entries = new Map<string, string>()
    const second = of("Recorded").filter(({ entry, wishes }) =>
      wishes.some((wish) => {
        const first = entries.get(wish) ?? entry
        entries.set(wish, first)
        return first !== entry
      })
    )
    const closed = new Set<string>()
    const again = of("Closed").filter(({ at, entry }) => {
      if (at < durableFrom) return false
      const isClosed = closed.has(entry)
      closed.add(entry)
      return isClosed
    })
    return [
      ...second.map(({ call, entry }) => ({ call, detail: `has a second entry, ${entry}` })),
      ...again.map(({ call, entry }) => ({ call, detail: `its entry ${entry} is closed again` }))
    ]
  }
}

const day = 86_400_000

const kindOf = ({ safety }: Pick<Journal.Of<"Requested">, "safety">): "orders" | "transfers" =>
  safety === "idempotent" ? "transfers" : "orders"

/** The orders that are executed within a day stay within the cap of the guard, and so do the transfers. (What it refuses: `transport/test/guardPromise.test.ts`.) */
export const capped: Judge = {
  rule: "Capped",
  find: ({ conditions: { caps }, of, requestOf }) => {
    if (caps === undefined) return []
    const arrived = of("Arrived").flatMap(({ at, call, executed }) => {
      const request = requestOf(call)
      return executed.flatMap((wish) =>
        request === undefined ? [] : [{ at, call, wish, kind: kindOf(request), worth: request.worths?.[wish] ?? 0 }]
      )
    })
    // A transfer that is repeated with its request id is executed once.
    const executed = arrived.filter((fact, index) => arrived.findIndex(({ wish }) => wish === fact.wish) === index)
    const tooMany = executed.filter(({ at, kind }, index) => {
      const recent = executed.slice(0, index + 1).filter((each) => each.kind === kind && each.at > at - day)
      return recent.reduce((sum, { worth }) => sum + worth, 0) > caps[kind]
    })
    return tooMany.map(({ call, kind }) => ({ call, detail: `is executed above the cap of ${caps[kind]}` }))
  }
}

/** While the kill switch is on, nothing leaves that creates something; and it refuses nothing if it was never on while the call was made. */
export const halted: Judge = {
  rule: "Halted",
  find: ({ of, requestOf }) => {
    const switched = of("Switched")
    const isOnAt = (at: number, seq: number) => {
      const last = switched.findLast((fact) => fact.seq < seq)
      return last?.isOn === true && last.at < at
    }
    const sent = of("Sent").filter(({ at, call, seq }) => requestOf(call)?.isCreating === true && isOnAt(at, seq))
    const refused = of("Reported").filter(
      ({ at, tag }) => tag === "Blocked stopped" && !switched.some((fact) => fact.isOn && fact.at <= at)
    )
    return [
      ...sent.map(({ call }) => ({ call, detail: "leaves while the kill switch is on" })),
      ...refused.map(({ call }) => ({ call, detail: "is stopped, and the kill switch was never on" }))
    ]
  }
}

/** A look-up closes no entry with an outcome that the exchange contradicts, now or when a late request arrives. */
export const reconciled: Judge = {
  rule: "Reconciled",
  find: (journal) => {
    const wishesOf = indexWishes(journal)
    const granted = new Set(journal.of("Arrived").flatMap(({ executed }) => executed))
    return journal.of("Closed").flatMap(({ by, call, entry, executed: result }) => {
      if (by !== "reconcile") return []
      const wishes = wishesOf({ call, entry })
      if (result === "no" && wishes.some((wish) => granted.has(wish)))
        return [{ call, detail: "is reconciled as not executed, and was executed" }]
      // An order can be cancelled without this cancellation.
      const isCreating = journal.requestOf(call)?.isCreating === true
      return result === "yes" && isCreating && !wishes.every((wish) => granted.has(wish))
        ? [{ call, detail: "is reconciled as executed, and was not, or not all of it" }]
        : []
    })
  }
}

/** No entry is lost, and after the last reconciliation, over a network without faults, none is open. */
export const unreconciled: Judge = {
  rule: "Unreconciled",
  find: ({ of }) => {
    const closed = new Set(of("Closed").map(({ entry }) => entry))
    const lost = of("Recorded").filter(({ entry }) => !closed.has(entry))
    return [
      ...lost.map(({ call, entry }) => ({ call, detail: `its entry ${entry} is never closed` })),
      ...of("StillOpen").map(({ call, entry }) => ({ call, detail: `its entry ${entry} is open at the end` }))
    ]
  }
}
