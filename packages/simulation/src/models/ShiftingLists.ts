/**
 * Lists that shift while they are read: a page after the first one begins with rows of the page before, as when new records were added at the
 * head of the list meanwhile. Each list does so once for each process, at a page that the seed decides.
 */
import * as Predicate from "effect/Predicate"
import type * as Draws from "../kernel/Draws.js"
import type * as Network from "../world/Network.js"

/** How likely a list shifts at one of its pages, and by how many rows at most; 0 by default. */
export interface Shifts {
  readonly probability: number
  readonly most: number
}

interface Page {
  readonly envelope: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
  readonly items: string
  readonly rows: ReadonlyArray<unknown>
  readonly next: string
}

/** An answer as a page of a list, if it is one. */
const pageOf = (answer: Network.Answer): Page | undefined => {
  const envelope: unknown = answer.status === 200 ? JSON.parse(answer.body) : undefined
  const result = Predicate.isRecord(envelope) ? envelope.result : undefined
  if (!Predicate.isRecord(envelope) || !Predicate.isRecord(result)) return undefined
  const items = ["list", "rows"].find((name) => Array.isArray(result[name]))
  const rows = items === undefined ? undefined : result[items]
  const next = result.nextPageCursor ?? result.cursor
  return items === undefined || !Array.isArray(rows)
    ? undefined
    : { envelope, result, items, rows, next: typeof next === "string" ? next : "" }
}

/** The same page without its cursor, if others follow it. */
export const withoutCursor = (answer: Network.Answer): Network.Answer => {
  const page = pageOf(answer)
  if (page === undefined || page.next === "") return answer
  const { cursor: _cursor, nextPageCursor: _next, ...result } = page.result
  return { ...answer, body: JSON.stringify({ ...page.envelope, result }) }
}

/** The list that a request reads, by everything but the cursor and the signature, and its cursor. */
const queryOf = ({ raw }: Network.Request): { readonly list: string; readonly cursor: string } => {
  const { pathname, searchParams } = new URL(raw.target, "http://exchange.invalid")
  const cursor = searchParams.get("cursor") ?? ""
  for (const name of ["cursor", "timestamp", "sign"]) searchParams.delete(name)
  return { list: `${pathname}?${searchParams.toString()}`, cursor }
}

/** An exchange whose lists shift. `shifted` runs when one has. */
export const make = (
  answer: (request: Network.Request) => Network.Answer,
  draws: Draws.Draws,
  { most, probability }: Shifts,
  shifted: (list: string, by: number) => void
): ((request: Network.Request) => Network.Answer) => {
  /** The rows before a cursor, by process, list and cursor. */
  const before = new Map<string, ReadonlyArray<unknown>>()
  const done = new Set<string>()
  return (request) => {
    const whole = answer(request)
    const page = probability === 0 ? undefined : pageOf(whole)
    if (page === undefined) return whole
    const { cursor, list } = queryOf(request)
    const reader = `${request.call} ${list}`
    if (page.next !== "") before.set(`${reader} ${page.next}`, page.rows)
    const given = cursor === "" ? [] : (before.get(`${reader} ${cursor}`) ?? [])
    const name = ["shift", request.call, request.sending] as const
    if (given.length === 0 || done.has(reader) || !draws.chance(probability, ...name)) return whole
    done.add(reader)
    const by = Math.min(given.length, 1 + draws.int(most, ...name, "by"))
    shifted(list, by)
    const result = { ...page.result, [page.items]: [...given.slice(-by), ...page.rows] }
    return { ...whole, body: JSON.stringify({ ...page.envelope, result }) }
  }
}
