/** Pages without rows that may follow each other. A list that goes on for longer is taken to have no end. */
const maxEmptyPages = 100

/** The pages of a list, which at ten requests a second take three hours. One that goes on for longer is taken to have no end. */
const maxPages = 100_000

/** Sums of checksums, which stay whole numbers. */
const digestRange = 2 ** 52

/** Two checksums of 26 bits, as one number: texts differ where it does, and none of them is kept. */
const sumOf = (text: string): number => {
  let one = 0x811c9dc5
  let other = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13)
  }
  return (one >>> 6) * 0x4000000 + (other >>> 6)
}

/** What a page is recognised by, and what was made of it: its rows are not kept until the next page is there. */
export interface Seen<out A> {
  readonly kind: "page"
  readonly content: A
  readonly count: number
  /** A checksum of each row, where rows are compared. */
  readonly sums: ReadonlyArray<number>
  /** A checksum of its ends. */
  readonly sign: number
  readonly next: string
}

const problem = <const Kind extends string>(kind: Kind, shown = "") => ({ kind, shown })

interface Options<Row, P, A> {
  readonly from?: string | undefined
  readonly text: (row: Row) => string
  readonly comparesRows: boolean
  readonly prepare: (page: P) => A
}

/** Judges the pages of one list by those that came before. */
export const make = <Row, P extends { readonly rows: ReadonlyArray<Row>; readonly next: unknown }, A>({
  comparesRows,
  from,
  prepare,
  text
}: Options<Row, P, A>) => {
  const cursors = new Set(from === undefined ? [] : [sumOf(from)])
  const signs = new Set<number>()
  let before: ReadonlySet<number> = new Set()
  let emptyPages = 0
  const total = { rows: 0, requests: 0, rereads: 0, overlaps: 0, digest: 0 }

  const look = (page: P) => {
    const { rows } = page
    if (page.next !== null && typeof page.next !== "string") return problem("missingCursor")
    const next = page.next ?? ""
    if (next !== "" && cursors.has(sumOf(next))) return problem("repeatedCursor", next)
    const ends = [...rows.slice(0, 1), ...rows.slice(-1)].map((row) => text(row)).join(" ")
    const sign = sumOf(`${rows.length} ${ends}`)
    // It replaces another page, whose rows would be missing without a trace.
    if (signs.has(sign)) return problem("repeatedPage", ends)
    if (rows.length === 0 && next !== "" && emptyPages === maxEmptyPages) return problem("emptyPages")
    if (next !== "" && total.requests - total.rereads >= maxPages) return problem("endlessList")
    const sums = comparesRows ? rows.map((row) => sumOf(text(row))) : []
    const seen: Seen<A> = { kind: "page", content: prepare(page), count: rows.length, sums, sign, next }
    return seen
  }

  return {
    total,
    /** What is wrong with a page, or what is to be kept of it. */
    look: (page: P) => {
      try {
        return look(page)
      } catch (error) {
        // Nested deeper than this process can look at.
        if (error instanceof RangeError) return problem("unreadableAnswer")
        throw error
      }
    },
    /** Remembers a page with which nothing is wrong. */
    note: ({ count, next, sign, sums }: Seen<A>): void => {
      emptyPages = count === 0 ? emptyPages + 1 : 0
      if (count > 0) {
        if (sums.some((sum) => before.has(sum))) total.overlaps++
        before = new Set(sums)
        signs.add(sign)
      }
      for (const sum of sums) total.digest = (total.digest + sum) % digestRange
      total.rows += count
      cursors.add(sumOf(next))
    }
  }
}
