import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Sink from "../../Sink.js"

/** A row verbatim, with its instant. */
export interface Raw {
  readonly at: number | undefined
  readonly text: string
}

/** Rows oldest first, some at a time; rows of one instant always together. */
export type Sorted<E> = Stream.Stream<ReadonlyArray<Row>, E>

export interface Row extends Raw {
  /** The instant by which rows are sorted. */
  readonly by: number
  /** The order of arrival. */
  readonly number: number
}

/** Rows that were buffered together. */
interface Block {
  readonly least: number
  readonly number: number
}

/** The most rows of a window in memory. With more rows, every page is a block. */
const inMemory = 500

const encode = ({ at, by, number, text }: Row): string => `${number} ${by} ${at ?? ""} ${text}`

const decode = (line: string): Row => {
  const [number = "", by = "", at = ""] = line.split(" ", 3)
  return {
    number: Number(number),
    by: Number(by),
    at: at === "" ? undefined : Number(at),
    text: line.slice(number.length + by.length + at.length + 3)
  }
}

/**
 * Sorts rows that arrive in about the opposite order. Rows are buffered in sorted blocks, and merged from the block with the oldest row
 * on. Overlapping blocks are in memory together: two or three if rows arrive in the expected order, all of them in the worst case.
 *
 * `otherwise` is the instant of rows without one. Rows of one instant stay in the order of their arrival, reversed if the newest are
 * first.
 */
export const make = <E>(options: {
  readonly buffer: Sink.Buffer<E>
  readonly newestFirst: boolean
  readonly otherwise: number
}) => {
  const { newestFirst, otherwise, buffer } = options
  const blocks: Array<Block> = []
  let buffered: Array<Row> = []
  let number = 0

  const inOrder = (left: Row, right: Row): number =>
    left.by - right.by || (newestFirst ? right.number - left.number : left.number - right.number)

  const take = (rows: ReadonlyArray<Raw>): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      for (const { at, text } of rows) buffered.push({ at, text, by: at ?? otherwise, number: number++ })
      if (buffered.length === 0 || (buffered.length <= inMemory && blocks.length === 0)) return Effect.void
      const lines = buffered.sort(inOrder).map(encode)
      const least = buffered[0]?.by ?? otherwise
      buffered = []
      return Effect.map(buffer.put(lines), (number) => {
        blocks.push({ least, number })
      })
    })

  const sorted: Sorted<E> = Stream.suspend(() => {
    const rest: Block = { least: buffered.sort(inOrder)[0]?.by ?? otherwise, number: blocks.length }
    const rowsOf = (block: Block): Effect.Effect<ReadonlyArray<Row>, E> =>
      block === rest ? Effect.succeed(buffered) : Effect.map(buffer.get(block.number), (lines) => lines.map(decode))
    const all = [...blocks, rest].sort(
      (left, right) =>
        left.least - right.least || (newestFirst ? right.number - left.number : left.number - right.number)
    )
    let carried: ReadonlyArray<Row> = []
    return Stream.paginateEffect(0, (index) =>
      Effect.map(rowsOf(all[index] ?? rest), (rows) => {
        const together = carried.length === 0 ? rows : [...carried, ...rows].sort(inOrder)
        const following = all[index + 1]
        const border = following?.least ?? Number.POSITIVE_INFINITY
        const end = together.findIndex(({ by }) => by >= border)
        carried = end === -1 ? [] : together.slice(end)
        return [
          end === -1 ? together : together.slice(0, end),
          following === undefined ? Option.none() : Option.some(index + 1)
        ] as const
      })
    )
  })

  return { take, sorted }
}
