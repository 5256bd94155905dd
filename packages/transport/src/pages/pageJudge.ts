/** The maximum number of consecutive pages without rows. A longer list is assumed to be endless. */
const maxEmptyPages = 100

/** The maximum number of pages, which take three hours at ten requests a second. A longer list is assumed to be endless. */
const maxPages = 100_000

/** Sums of checksums, which stay whole numbers. */
const digestRange = 2 ** 52

/** Two checksums of 26 bits as one number: texts with different checksums differ, and no text is kept. */
const sumOf = (text: string): number => {
  let high = 0x811c9dc5
  let low = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low + code, 0x85ebca6b) ^ (low >>> 13)
  }
  return (high >>> 6) * 0x4000000 + (low >>> 6)
}

/** Identifies a page, with its result. The rows are not kept until the next page arrives. */
export interface Seen<out A> {
  readonly kind: "page"
  readonly content: A
  readonly count: number
  /** A checksum of each row, if rows are compared. */
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

/** Compares the pages of a list with the earlier pages. */
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
    // The page replaces another page, whose rows would be missing without notice.
    if (signs.has(sign)) return problem("repeatedPage", ends)
    if (rows.length === 0 && next !== "" && emptyPages === maxEmptyPages) return problem("emptyPages")
    if (next !== "" && total.requests - total.rereads >= maxPages) return problem("endlessList")
    const sums = comparesRows ? rows.map((row) => sumOf(text(row))) : []
    const seen: Seen<A> = { kind: "page", content: prepare(page), count: rows.length, sums, sign, next }
    return seen
  }

  return {
    total,
    /** Returns the problem of a page, or the parts to keep. */
    look: (page: P) => {
      try {
        return look(page)
      } catch (error) {
        // Nested deeper than this process can read.
        if (error instanceof RangeError) return problem("unreadableAnswer")
        throw error
      }
    },
    /** Remembers a page without problems. */
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
