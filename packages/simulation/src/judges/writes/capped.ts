import type * as Journal from "../../world/Journal.js"
import type { Judge } from "../../world/Judge.js"
import { indexWishes } from "./owed.js"

const [minute, day] = [60_000, 86_400_000]

/** An amount ages from the end of the minute of the end of its receive window, in whole minutes. */
const slack = 3 * minute

/** The claims of a guard: those that count when a call is checked, by what the process of the call can know. */
const indexClaims = (journal: Journal.Journal) => {
  const { conditions, of, requestOf } = journal
  const { isServed = false, isTimeReadable = false, starts = [] } = conditions
  const [made, reports] = [
    new Map(of("Made").map((fact) => [fact.call, fact])),
    new Map(of("Reported").map((fact) => [fact.wish, fact]))
  ]
  const [sent, recorded, answered] = [
    new Set(of("Sent").map(({ call }) => call)),
    new Set(of("Recorded").map(({ call }) => call)),
    new Set(of("Ended").flatMap(({ answer, call }) => (answer === "whole" ? [call] : [])))
  ]
  const wishesOf = indexWishes(journal)
  const unexecuted = new Set(of("Closed").flatMap((fact) => (fact.executed === "no" ? wishesOf(fact) : [])))
  const last = new Map<string, number>()
  for (const { at, call } of [...of("Made"), ...of("Sent"), ...of("Recorded"), ...of("Arrived"), ...of("Reported")])
    last.set(call, Math.max(last.get(call) ?? 0, at))
  const placeOf = ({ process }: Journal.Of<"Requested">) => starts.findIndex(({ id }) => id === process)
  /** Whether a process knows the time of a host, since an answered call has ended there. */
  const isTimed = (process: string, host: string | undefined, before: number) =>
    of("Reported").some(({ call, seq }) => {
      const request = requestOf(call)
      return seq < before && answered.has(call) && request?.process === process && request.host === host
    })

  /** Whether a wish counts when a call is checked, which is at its begin or later. */
  return (
    request: Journal.Of<"Requested">,
    wish: string,
    checked: Journal.Of<"Requested">,
    until: Journal.Of<"Reported">
  ) => {
    const begin = made.get(checked.call) ?? until
    const earlier = placeOf(checked) - placeOf(request)
    const report = reports.get(wish)
    if (earlier < 0 || (made.get(request.call)?.seq ?? until.seq) >= until.seq) return false
    if (earlier === 0) {
      if (report === undefined || report.seq > begin.seq) return true
      if (report.outcome === "refused" || !sent.has(request.call)) return false
      return (last.get(request.call) ?? 0) > begin.at - day - slack
    }
    // The disk can have lost the outcomes of a process that does not end by itself.
    const isReleased = report?.outcome === "refused" || unexecuted.has(wish) || !recorded.has(request.call)
    if (isServed && isReleased) return false
    // The age of what an earlier process has signed is unknown until the time of its host is known, which is read for the host of the call itself.
    const isOwn = request.host === checked.host
    if (!isTimed(checked.process, request.host, begin.seq) && !(isOwn && isTimeReadable)) return true
    const ahead = Math.max(0, starts[placeOf(request)]?.ahead ?? 0)
    return (last.get(request.call) ?? 0) + ahead > begin.at - day - slack
  }
}

const kindOf = ({ safety }: Pick<Journal.Of<"Requested">, "safety">): "orders" | "transfers" =>
  safety === "idempotent" ? "transfers" : "orders"

/** The refusals of a guard that fit beside all that it has to count: what can have been executed within a day, and what it cannot date. */
const findUndue = (journal: Journal.Journal, caps: NonNullable<Journal.Conditions["caps"]>) => {
  const { of, requestOf } = journal
  const counts = indexClaims(journal)
  const refused = of("Reported").filter(({ tag }) => tag === "Blocked perDay")
  const wishes = new Set(refused.map(({ wish }) => wish))
  return refused.filter((report) => {
    const checked = requestOf(report.call)
    if (checked === undefined) return false
    const sum = of("Requested")
      .filter((request) => kindOf(request) === kindOf(checked))
      .flatMap((request) =>
        Object.entries(request.worths ?? {}).filter(([wish]) =>
          request === checked && wishes.has(wish) ? true : counts(request, wish, checked, report)
        )
      )
      .reduce((sum, [, worth]) => sum + worth, 0)
    return sum <= caps[kindOf(checked)]
  })
}

/**
 * The orders that are executed within a day stay within the cap of the guard, and so do the transfers. None is refused if it fits beside those that can have been
 * executed within a day and those whose time is in doubt.
 */
export const capped: Judge = {
  rule: "Capped",
  find: (journal) => {
    const {
      conditions: { caps },
      of,
      requestOf
    } = journal
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
    return [
      ...tooMany.map(({ call, kind }) => ({ call, detail: `is executed above the cap of ${caps[kind]}` })),
      ...findUndue(journal, caps).map(({ call }) => ({ call, detail: `is refused by the guard, and the cap has room` }))
    ]
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
