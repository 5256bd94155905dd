/**
 * Storage that all machines share: an export is a place with rows, a checkpoint and a manifest. A write carries the claim of its run, and is one step
 * with the comparison of that claim with the ledger, as in a database that has both.
 */
import type * as Checkpoint from "@effect-venue/history/Checkpoint"
import * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Sink from "@effect-venue/history/Sink"
import * as Store from "@effect-venue/history/Store"
import type { Claim } from "@effect-venue/fleet/Ledger"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Database from "./Database.js"
import type * as Tables from "./Tables.js"

interface Place {
  checkpoint: Checkpoint.Checkpoint | undefined
  manifest: Manifest.Manifest | undefined
  /** The rows as text, by their keys. */
  rows: Map<string, string>
}

export type Write = "begin" | "commit" | "finish" | "forget"

export interface Options {
  readonly tables: Tables.Tables
  /** A write was accepted. */
  readonly written: (write: Write, claim: Claim) => void
  /** A write was refused, since its claim does not hold. */
  readonly refused: (write: Write, claim: Claim) => void
}

/** How one machine reaches the stores. */
export interface Access {
  readonly ask: <A>(operation: string, act: () => A) => Effect.Effect<A, Database.Unreachable>
  /** The claim under which the fiber runs. */
  readonly claim: Effect.Effect<Claim>
}

export interface Stores {
  readonly sink: (access: Access, account: string, part: string) => Sink.Sink
  /** The manifest and the rows of an export. */
  readonly read: (account: string, part: string) => Readonly<Place>
}

const location = "the stores"

const timeout = "10 seconds"

const rowOf = (text: string): Dataset.Row =>
  // The exchange's own rows, which are objects.
  JSON.parse(text) as Dataset.Row

const applied = (rows: ReadonlyMap<string, string>, chunks: ReadonlyArray<Store.RowChunk>) => {
  const next = new Map(rows)
  for (const { key, replaces, text } of chunks.flatMap((chunk) => chunk.rows)) {
    if (replaces !== undefined) next.delete(replaces)
    next.set(key, text)
  }
  return next
}

export const make = ({ refused, tables, written }: Options): Stores => {
  const places = new Map<string, Place>()

  const placeOf = (account: string, part: string): Place => {
    const name = `${account}/${part}`
    const found = places.get(name) ?? { checkpoint: undefined, manifest: undefined, rows: new Map() }
    places.set(name, found)
    return found
  }

  const failed = (detail: string) => new Sink.SinkFailure({ location, detail })

  const sink: Stores["sink"] = ({ ask, claim }, account, part) => {
    const place = placeOf(account, part)

    const inTime = <A>(operation: string, act: () => A) =>
      Effect.timeoutFail(
        Effect.mapError(ask(operation, act), ({ detail }) => failed(detail)),
        { duration: timeout, onTimeout: () => failed("no answer") }
      )

    const write = (name: Write, act: () => void) =>
      Effect.flatMap(claim, (claim) => {
        const isAccepted = inTime(`write ${account}`, () => {
          if (!tables.holds(claim)) {
            refused(name, claim)
            return false
          }
          act()
          written(name, claim)
          return true
        })
        return Effect.filterOrFail(
          isAccepted,
          (accepted) => accepted,
          () => failed("the claim does not hold")
        )
      }).pipe(Effect.asVoid)

    const existing: Store.Store["existing"] = ({ dataset }, windows) =>
      Stream.fromIterableEffect(
        Effect.map(
          inTime("existing", () => [...place.rows.values()]),
          (texts) =>
            texts
              .map(rowOf)
              .filter((row) => Dataset.isWithin(dataset, row, windows))
              .map((row) => Store.existingRow(dataset, row))
        )
      )

    const storeOf = ({ checkpoint, manifest }: Place): Store.Store => ({
      checkpoint: Option.fromNullable(checkpoint),
      manifest: Option.fromNullable(manifest),
      begin: (checkpoint) =>
        write("begin", () => {
          if (checkpoint.plan.since === null) {
            place.rows = new Map()
            place.manifest = undefined
          }
          place.checkpoint = checkpoint
        }),
      append: ({ checkpoint, chunks }) =>
        Effect.gen(function* () {
          const all = Chunk.toReadonlyArray(yield* Stream.runCollect(chunks))
          const reached = yield* checkpoint
          yield* write("commit", () => {
            place.rows = applied(place.rows, all)
            place.checkpoint = reached
          })
        }),
      forget: write("forget", () => {
        place.checkpoint = undefined
      }),
      existing,
      publish: (manifest) =>
        Effect.as(
          write("finish", () => {
            place.manifest = manifest
            place.checkpoint = undefined
          }),
          manifest
        )
    })

    return {
      location,
      format: "memory",
      open: () =>
        Effect.map(
          inTime("open", () => ({ ...place })),
          storeOf
        )
    }
  }

  return { sink, read: placeOf }
}
