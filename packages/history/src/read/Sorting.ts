/**
 * Sorts rows that may not fit into memory.
 *
 * @sibling
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Sink from "../store/Sink.js"

/** Rows oldest first, some at a time; rows of one instant always together. */
export type Sorted<A, E> = Stream.Stream<ReadonlyArray<A>, E>

/** A row, the instant by which it is sorted, and the number of its arrival. */
interface Numbered<out A> {
  readonly row: A
  readonly by: number
  readonly number: number
}

/** Rows that were buffered together. */
interface Block<A> {
  readonly least: number
  readonly number: number
  /** None if they are in the buffer. */
  readonly rows: ReadonlyArray<Numbered<A>> | undefined
}

/** The most rows of a window in memory: with more rows, all of them become a block. */
const inMemory = 250

/** A row with its instant. */
interface Dated {
  readonly at: number | undefined
}

interface Options<A, E> {
  readonly buffer: Sink.Buffer<E> | undefined
  readonly newestFirst: boolean
  readonly otherwise: number
  readonly pack: (row: A) => string
  readonly unpack: (at: number | undefined, packed: string) => A
}

/** Rows as lines of a buffer. */
const linesOf = <A extends Dated, E>({ pack, unpack }: Options<A, E>) => ({
  encode: ({ by, number, row }: Numbered<A>): string => `${number} ${by} ${row.at ?? ""} ${pack(row)}`,
  decode: (line: string): Numbered<A> => {
    const [number = "", by = "", at = ""] = line.split(" ", 3)
    const packed = line.slice(number.length + by.length + at.length + 3)
    return { row: unpack(at === "" ? undefined : Number(at), packed), by: Number(by), number: Number(number) }
  }
})

/**
 * Sorts rows that arrive in about the opposite order. Rows are buffered in sorted blocks, and merged from the block with the oldest row
 * on. Overlapping blocks are in memory together: two or three if rows arrive in the expected order, all of them in the worst case.
 *
 * `otherwise` is the instant of rows without one. Rows of one instant stay in the order of their arrival, reversed if the newest are
 * first. Without a `buffer` all rows stay in memory. `pack` makes a line of a row for it, and `unpack` a row of a line and its instant.
 */
export const make = <A extends Dated, E>(options: Options<A, E>) => {
  const { buffer, newestFirst, otherwise } = options
  const { decode, encode } = linesOf(options)
  const blocks: Array<Block<A>> = []
  let buffered: Array<Numbered<A>> = []
  let number = 0

  const inOrder = (left: Numbered<A>, right: Numbered<A>): number =>
    left.by - right.by || (newestFirst ? right.number - left.number : left.number - right.number)

  const take = (arrived: ReadonlyArray<A>): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      for (const row of arrived) buffered.push({ row, by: row.at ?? otherwise, number: number++ })
      if (buffered.length <= inMemory) return Effect.void
      const rows = buffered.sort(inOrder)
      const least = rows[0]?.by ?? otherwise
      buffered = []
      if (buffer === undefined) {
        blocks.push({ least, number: blocks.length, rows })
        return Effect.void
      }
      return Effect.map(buffer.put(rows.map(encode)), (number) => {
        blocks.push({ least, number, rows: undefined })
      })
    })

  const sorted: Sorted<A, E> = Stream.suspend(() => {
    const rows = buffered.sort(inOrder)
    const rest: Block<A> = { least: rows[0]?.by ?? otherwise, number: blocks.length, rows }
    const rowsOf = ({ number, rows }: Block<A>): Effect.Effect<ReadonlyArray<Numbered<A>>, E> =>
      rows !== undefined || buffer === undefined
        ? Effect.succeed(rows ?? [])
        : Effect.map(buffer.get(number), (lines) => lines.map(decode))
    const all = [...blocks, rest].sort(
      (left, right) =>
        left.least - right.least || (newestFirst ? right.number - left.number : left.number - right.number)
    )
    let carried: ReadonlyArray<Numbered<A>> = []
    return Stream.paginateEffect(0, (index) =>
      Effect.map(rowsOf(all[index] ?? rest), (rows) => {
        const together = carried.length === 0 ? rows : [...carried, ...rows].sort(inOrder)
        const following = all[index + 1]
        const border = following?.least ?? Number.POSITIVE_INFINITY
        const end = together.findIndex(({ by }) => by >= border)
        carried = end === -1 ? [] : together.slice(end)
        return [
          (end === -1 ? together : together.slice(0, end)).map(({ row }) => row),
          following === undefined ? Option.none() : Option.some(index + 1)
        ] as const
      })
    )
  })

  return { take, sorted }
}
