/**
 * Storage that all machines share: an export is a place with rows, a checkpoint and a manifest. A write carries the claim of its run, and is one step
 * with the comparison of that claim with the ledger, as in a database that has both.
 */
import type * as Checkpoint from "@effect-venue/history/siblings/Checkpoint"
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as ExportFailure from "@effect-venue/history/ExportFailure"
import type * as Sink from "@effect-venue/history/Sink"
import type { Claim } from "@effect-venue/fleet/Ledger"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as LedgerDatabase from "../../models/LedgerDatabase.js"

interface Place {
  checkpoint: Checkpoint.Checkpoint | undefined
  manifest: Manifest.Manifest | undefined
  /** The rows as text, by their keys. */
  rows: Map<string, string>
}

export type Write = "begin" | "commit" | "finish" | "forget"

export interface Options {
  readonly tables: LedgerDatabase.LedgerDatabase
  /** A write was accepted. */
  readonly written: (write: Write, claim: Claim) => void
  /** A write was refused, since its claim does not hold. */
  readonly refused: (write: Write, claim: Claim) => void
}

/** How one machine reaches the stores. */
export interface Access {
  readonly ask: <A>(operation: string, act: () => A) => Effect.Effect<A, { readonly reason: string }>
  /** The claim under which the fiber runs. */
  readonly claim: Effect.Effect<Claim>
}

const location = "the stores"

const timeout = "10 seconds"

const rowOf = (text: string): Dataset.Row =>
  // The exchange's rows are objects.
  JSON.parse(text) as Dataset.Row

const applyChunks = (rows: ReadonlyMap<string, string>, chunks: ReadonlyArray<Sink.RowChunk>) => {
  const next = new Map(rows)
  for (const { key, replaces, text } of chunks.flatMap((chunk) => chunk.rows)) {
    if (replaces !== undefined) next.delete(replaces)
    next.set(key, text)
  }
  return next
}

const makeFailure = (detail: string) => new ExportFailure.SinkFailure({ location, detail })

/** The places of all exports. */
export class Stores {
  readonly #places = new Map<string, Place>()

  constructor(private readonly options: Options) {}

  /** The manifest and the rows of an export. */
  read(account: string, part: string): Place {
    const name = `${account}/${part}`
    const found = this.#places.get(name) ?? { checkpoint: undefined, manifest: undefined, rows: new Map() }
    this.#places.set(name, found)
    return found
  }

  /** The sink of an export, as a machine reaches it. */
  sink({ ask, claim }: Access, account: string, part: string): Sink.Sink {
    const place = this.read(account, part)
    const inTime: InTime = (operation, act) =>
      Effect.timeoutFail(
        Effect.mapError(ask(operation, act), ({ reason }) => makeFailure(reason)),
        { duration: timeout, onTimeout: () => makeFailure("no answer") }
      )
    const write = (name: Write, act: () => void) =>
      Effect.flatMap(claim, (claim) =>
        Effect.filterOrFail(
          inTime(`write ${account}`, () => this.#accept(name, claim, act)),
          (isAccepted) => isAccepted,
          () => makeFailure("the claim does not hold")
        )
      ).pipe(Effect.asVoid)
    return {
      location,
      format: "memory",
      open: () =>
        Effect.map(
          inTime("open", () => ({ ...place })),
          (opened) => storeOf(place, opened, inTime, write)
        )
    }
  }

  /** Writes if the claim holds, in one step. */
  #accept(name: Write, claim: Claim, act: () => void): boolean {
    const { refused, tables, written } = this.options
    if (!tables.holds(claim)) {
      refused(name, claim)
      return false
    }
    act()
    written(name, claim)
    return true
  }
}

type InTime = <A>(operation: string, act: () => A) => Effect.Effect<A, ExportFailure.SinkFailure>

type Writing = (name: Write, act: () => void) => Effect.Effect<void, ExportFailure.SinkFailure>

/** A place as a run opens it. */
const storeOf = (place: Place, { checkpoint, manifest }: Place, inTime: InTime, write: Writing): Sink.Store => ({
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
        place.rows = applyChunks(place.rows, all)
        place.checkpoint = reached
      })
    }),
  forget: write("forget", () => {
    place.checkpoint = undefined
  }),
  existing: () =>
    Stream.fromIterableEffect(
      Effect.map(
        inTime("existing", () => [...place.rows.values()]),
        (texts) => texts.map(rowOf)
      )
    ),
  rejectedLines: () => Stream.empty,
  reissued: () => Effect.succeed([]),
  publish: (manifest) =>
    Effect.as(
      write("finish", () => {
        place.manifest = manifest
        place.checkpoint = undefined
      }),
      manifest
    )
})
