import * as Option from "effect/Option"
import type * as Faults from "./Faults.js"
import type { Entry, Query } from "./RequestLog.js"

/** An entry that is completed while its request is answered. */
export type Written = { -readonly [K in keyof Entry]: Entry[K] }

/** The latest requests, in the order of their arrival. */
export interface RequestLog {
  readonly add: (entry: Written) => void
  readonly all: () => ReadonlyArray<Entry>
  /** The entries of requests to operations. */
  readonly operations: () => ReadonlyArray<Faults.Entry>
}

export const defaultSize = 10_000

export const make = (size: number): RequestLog => {
  let entries: Array<Written> = []
  const latest = () => entries.slice(-Math.max(1, size))
  return {
    add: (entry) => {
      entries.push(entry)
      // All at once, now and then: shifting every time would cost more than all the rest.
      if (entries.length >= 2 * size) entries = latest()
    },
    all: () => latest().map((entry) => ({ ...entry })),
    operations: () =>
      latest().flatMap(({ operation, ...entry }) =>
        Option.isSome(operation) ? [{ ...entry, operation: operation.value }] : []
      )
  }
}

/** The entries that match every field of a query. */
export const select = (
  entries: ReadonlyArray<Entry>,
  { account, code, last, operation, path, signature, since, status }: Query
): ReadonlyArray<Entry> => {
  const isOf = <A>(wanted: A | undefined, found: Option.Option<A>) =>
    wanted === undefined || Option.contains(found, wanted)
  const found = entries.filter(
    (entry) =>
      isOf(operation, entry.operation) &&
      isOf(account, entry.uid) &&
      isOf(status, entry.status) &&
      isOf(code, entry.code) &&
      (signature === undefined || entry.signature === signature) &&
      (path === undefined || entry.path.startsWith(path)) &&
      (since === undefined || entry.at >= since)
  )
  return last === undefined ? found : found.slice(-last)
}
