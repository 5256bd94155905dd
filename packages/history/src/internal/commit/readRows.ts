import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Channel from "effect/Channel"
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Dataset from "../../Dataset.js"
import * as Manifest from "../../Manifest.js"
import * as Part from "../../Part.js"
import * as Spool from "../store/spool.js"
import * as DatasetWindows from "../model/datasetWindows.js"
import * as Verbatim from "../model/verbatim.js"
import { instants } from "../read/partRange.js"
import { start } from "../reconcile/models.js"
import { readWindows } from "../reconcile/readWindows.js"
import * as SeenIds from "../reconcile/seenIds.js"
import * as Identity from "./identity.js"

export interface Options {
  readonly side: "wire" | "domain"
  readonly concurrency: number
  /** Instants whose records can still change when the reading begins. */
  readonly unsettled: ReadonlyArray<number>
}

/** On the domain side a row that cannot be decoded is missing. */
const withoutRejected = (window: Manifest.Window): Manifest.Window =>
  window.rejected === 0
    ? window
    : {
        ...window,
        missing: [
          ...window.missing,
          { from: window.from, to: window.to, because: `${window.rejected} rows could not be decoded` }
        ]
      }

/** The rows of a part, oldest first, each once, and its section of the manifest as the end value. */
export const readRows = <A>(
  part: Part.Part<A>,
  range: Dataset.Window,
  { concurrency, side, unsettled }: Options
): Channel.Channel<
  Chunk.Chunk<A | Dataset.Row>,
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
      const windows = readWindows<Option.Option<A | Dataset.Row>, never, Transport.Transport, Failure.ReadFailure>({
        units: [{ part, windows: DatasetWindows.windowsOf(dataset, range), state: start, ids: SeenIds.make() }],
        keep: (text) => {
          const line = Verbatim.line(text)
          return side === "wire" ? Option.some(line.row) : Either.getRight(dataset.decode(Verbatim.valueOf(line)))
        },
        concurrency,
        spool: Spool.memory,
        failed: (_part, failure) => failure,
        onPage: () => Effect.void
      })
      const rows = Stream.flatMap(windows, (result) =>
        result.rows.pipe(
          Stream.mapConcat(({ entries }) => entries.flatMap(({ value }) => Option.toArray(value))),
          Stream.concat(
            Stream.execute(
              Effect.map(result.summary, ({ coverage, state }) => {
                covered.push(side === "domain" ? withoutRejected(coverage) : coverage)
                pending.push(...state.unsettled)
              })
            )
          )
        )
      )
      const manifest = Effect.sync(() =>
        Manifest.part(Part.subject(part), covered, {
          columns: dataset.columns,
          identity,
          caveat: Option.getOrNull(dataset.caveat),
          unsettled: instants(pending),
          files: [],
          rejected: []
        })
      )
      return Channel.zipRight(Stream.toChannel(rows), Channel.fromEffect(manifest))
    })
  )
