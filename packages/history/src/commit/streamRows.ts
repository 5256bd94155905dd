import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Channel from "effect/Channel"
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Dataset from "../model/Dataset.js"
import * as Manifest from "../model/Manifest.js"
import * as Part from "../model/Part.js"
import * as Rows from "../formats/Rows.js"
import * as DatasetWindows from "../model/datasetWindows.js"
import * as Verbatim from "../model/verbatim.js"
import { inOrder } from "../read/partRange.js"
import { lostGap, reasons } from "../read/missing.js"
import { reportedConflicts } from "../reconcile/conflicts.js"
import { start } from "../reconcile/models.js"
import { readPart } from "../reconcile/readWindows.js"
import * as SeenIds from "../model/seenIds.js"
import * as Identity from "./identity.js"

export interface Options<S> {
  /** Defaults to `domain`. */
  readonly side: S | undefined
  readonly concurrency: number
  /** Records that can still change when the reading begins. */
  readonly unsettled: ReadonlyArray<Manifest.Unsettled>
}

/** On the domain side a row that cannot be decoded is missing. */
const withRejected = (window: Manifest.Window, rejected: number): Manifest.Window =>
  rejected === 0
    ? window
    : {
        ...window,
        rejected,
        missing: [...window.missing, lostGap(window, reasons.undecoded(rejected))]
      }

/** A part whose rows are not checked when they arrive: on the domain side each is decoded once, when it is emitted. */
const withoutChecks = <A>({ dataset, ...part }: Part.Part<A>): Part.Part => ({
  ...part,
  dataset: { ...dataset, decode: () => Either.right(undefined) }
})

/** Reads the texts of rows on one side, and counts those that cannot be decoded. */
const reader = <A, S extends Dataset.Side>({ decode }: Dataset.Dataset<never, A>, side: S | undefined) => {
  let rejected = 0
  const read = (text: string): ReadonlyArray<Dataset.RowOf<A, S>> => {
    const line = Verbatim.line(text)
    // Which of the two types a row has depends on the value of `side`, which the compiler does not follow.
    if (side === "wire") return [line.row as Dataset.RowOf<A, S>]
    const decoded = decode(Verbatim.valueOf(line))
    // As above: the side is not `wire` here.
    if (Either.isRight(decoded)) return [decoded.right as Dataset.RowOf<A, S>]
    rejected++
    return []
  }
  return { read, rejected: () => rejected }
}

/** The rows of a part, oldest first, each once, and its section of the manifest as the end value. */
export const streamRows = <A, S extends Dataset.Side>(
  part: Part.Part<A>,
  range: Dataset.Window,
  { concurrency, side, unsettled }: Options<S>
): Channel.Channel<
  Chunk.Chunk<Dataset.RowOf<A, S>>,
  unknown,
  Failure.ReadFailure,
  unknown,
  Manifest.Part,
  unknown,
  Transport.Transport
> =>
  Channel.unwrap(
    Effect.gen(function* () {
      const { dataset } = part
      const identity = Identity.firstIdentity(yield* part.identity)
      const covered: Array<Manifest.Window> = []
      const pending = [...unsettled]
      const windows = readPart(
        {
          part: side !== "wire" ? withoutChecks(part) : part,
          windows: DatasetWindows.windowsOf(dataset, range),
          gaps: [],
          state: start,
          shortened: Rows.inFull,
          ids: SeenIds.make(),
          conflicts: reportedConflicts([])
        },
        concurrency
      )
      const rows = Stream.flatMap(windows, (result) => {
        const { read, rejected } = reader(dataset, side)
        const end = Effect.map(result.summary, ({ coverage, state }) => {
          covered.push(side !== "wire" ? withRejected(coverage, rejected()) : coverage)
          pending.push(...state.unsettled)
        })
        return result.rows.pipe(
          Stream.mapConcat(({ rows }) => rows.flatMap(({ text }) => read(text))),
          Stream.concat(Stream.execute(end))
        )
      })
      const manifest = Effect.sync(() =>
        Manifest.part(Part.subject(part), covered, {
          columns: dataset.columns,
          recordKey: Rows.recordKey(dataset),
          identity,
          caveat: Option.getOrNull(dataset.caveat),
          unsettled: inOrder(pending),
          files: [],
          rejected: []
        })
      )
      return Channel.zipRight(Stream.toChannel(rows), Channel.fromEffect(manifest))
    })
  )
