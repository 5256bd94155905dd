import * as Option from "effect/Option"
import type * as Dataset from "../model/Dataset.js"
import * as Rows from "../formats/Rows.js"
import type * as Part from "../model/Part.js"
import { ask } from "../model/datasetWindows.js"
import * as Verbatim from "../model/verbatim.js"
import { type Arrival, instantsOf } from "../read/arrivals.js"
import type { Unit } from "./models.js"
import type { Notes } from "./notes.js"
import { numberKeys } from "./existingIds.js"

/** Whether a row belongs to the window. The margins were requested to be sure of its borders; rows beyond them are set aside. */
export const belonging = (part: Part.Part<unknown, unknown>, window: Dataset.Window, notes: Notes) => {
  const { dataset } = part
  const requested = ask(dataset, window)
  const isInside = (at: number): boolean => at >= window.from && at < window.to
  const isRequested = (at: number): boolean => at >= requested.from && at <= requested.to
  return ({ at, text }: Arrival): boolean => {
    if (at === undefined || isInside(at)) return true
    const instants = instantsOf(dataset, { at, text })
    if (instants.some(isInside)) {
      if (!isRequested(at)) notes.fileElsewhere()
      return true
    }
    if (!instants.some(isRequested)) {
      notes.count("outsideWindow")
      notes.setAside("lies outside of the window", text)
    }
    return false
  }
}

/** Each row of one instant once, in the order of their arrival. */
export const distinct = (
  { dataset }: Part.Part<unknown, unknown>,
  window: Dataset.Window,
  notes: Notes,
  onDuplicate: () => void
) => {
  const isDated = Option.isSome(dataset.instant)
  return (rows: ReadonlyArray<Arrival>): ReadonlyArray<Arrival> => {
    // Most instants have one row.
    if (isDated && rows.length < 2) return rows
    const keyOf = numberKeys()
    const texts = new Map<string, string>()
    return rows.flatMap((arrival) => {
      const { key: base, text } = arrival
      if (dataset.key === "content") return [{ ...arrival, key: keyOf(base) }]
      const before = texts.get(base)
      if (before === undefined) {
        texts.set(base, text)
        // A sum belongs to a range of time: the same sum of another range is another row.
        return [isDated ? arrival : { ...arrival, key: `${new Date(window.from).toISOString()} ${base}` }]
      }
      if (Verbatim.isSameValue(before, text)) onDuplicate()
      else notes.conflict(arrival, "sameKey")
      return []
    })
  }
}

/**
 * Whether a row is new. A record whose id exists at another instant is new, and is a conflict. Without an id, the row can be in another window only if the
 * service can file it there: by a second instant outside of this one, or by none at all.
 */
export const unseen = (
  { ids, part: { dataset }, shortened }: Pick<Unit<unknown>, "ids" | "part" | "shortened">,
  window: Dataset.Window,
  notes: Notes
) => {
  const hasId = dataset.key !== "content"
  return (arrival: Arrival, instants: ReadonlyArray<number>): boolean => {
    const { at, key } = arrival
    if (Option.isNone(dataset.instant) || (!hasId && Rows.isInOneOf(instants, [window]))) return true
    if (!ids.add(hasId ? shortened.id(Rows.idOfKey(key)) : key)) return true
    if (!hasId || at === undefined) return false
    notes.conflict(arrival)
    return true
  }
}
