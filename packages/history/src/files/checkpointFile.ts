/**
 * The checkpoint of an export in a folder: a head, `.venue/checkpoint.json`, that names one file per part. Each of these files contains a line per
 * commit; the lines together give the state of the part. An incomplete last line is ignored.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Checkpoint from "../model/Checkpoint.js"
import * as Manifest from "../model/Manifest.js"
import { At } from "../model/ranges.js"
import { Segment } from "./journal.js"

const Journals = Schema.Struct({ rows: Schema.Array(Segment), rejectedRows: Schema.Array(Segment) })

/** The journals of a part, up to the bytes that its checkpoint covers. */
export type Journals = typeof Journals.Type

export const noJournals: Journals = { rows: [], rejectedRows: [] }

/** The head. */
export const headName = "checkpoint.json"

const count = Schema.optionalWith(Schema.NonNegativeInt, { default: () => 0 })

const list = <A, I>(item: Schema.Schema<A, I>) => Schema.optionalWith(Schema.Array(item), { default: () => [] })

/**
 * A line of the checkpoint of a part, written by a commit. Its windows, instants and counts are added to those of earlier lines; its other
 * fields replace theirs.
 */
const CheckpointLine = Schema.Struct({
  windows: list(Manifest.Window),
  unsettled: list(Manifest.Unsettled),
  rereads: count,
  retries: count,
  tail: Schema.optional(Schema.Array(Schema.String)),
  known: Schema.optional(Checkpoint.Progress.fields.known),
  identity: Schema.optional(Manifest.Identity),
  journals: Schema.optional(Journals)
})

type CheckpointLine = typeof CheckpointLine.Type

/** The progress of a part. */
export interface PartState {
  readonly progress: Checkpoint.Progress
  readonly rereads: number
  readonly retries: number
  readonly journals: Journals
}

const empty: PartState = {
  progress: { identity: { host: "", uid: null, keys: [] }, windows: [], tail: [], known: [], unsettled: [] },
  rereads: 0,
  retries: 0,
  journals: noJournals
}

const addWindow = (
  state: PartState,
  { identity, journals, known, rereads, retries, tail, unsettled, windows }: CheckpointLine
): PartState => ({
  progress: {
    identity: identity ?? state.progress.identity,
    windows: [...state.progress.windows, ...windows],
    tail: tail ?? state.progress.tail,
    known: known ?? state.progress.known,
    unsettled: [...state.progress.unsettled, ...unsettled]
  },
  rereads: state.rereads + rereads,
  retries: state.retries + retries,
  journals: journals ?? state.journals
})

const encodeLine = Schema.encodeSync(Schema.parseJson(CheckpointLine))
const decodeLine = Schema.decodeEither(Schema.parseJson(CheckpointLine))

/** The line that changes an earlier state of a part into a later one. It contains the windows and instants that the earlier state lacks. */
export const lineBetween = (before: PartState, { journals, progress, rereads, retries }: PartState): string =>
  encodeLine({
    windows: progress.windows.slice(before.progress.windows.length),
    unsettled: progress.unsettled.slice(before.progress.unsettled.length),
    rereads: rereads - before.rereads,
    retries: retries - before.retries,
    ...(progress.tail.length + before.progress.tail.length === 0 ? {} : { tail: progress.tail }),
    ...(progress.known === before.progress.known ? {} : { known: progress.known }),
    ...(progress.identity === before.progress.identity ? {} : { identity: progress.identity }),
    ...(journals === before.journals ? {} : { journals })
  })

/** A state as one line. */
export const lineOf = (state: PartState): string => lineBetween(empty, state)

/** The lines of a part, and where they are. */
export interface Lines {
  readonly at: string
  readonly lines: ReadonlyArray<string>
}

/** Folds lines into a state. Fails if there are no lines or a line was changed. */
const replay = (lines: ReadonlyArray<string>): Either.Either<PartState, string> =>
  Either.gen(function* () {
    if (lines.length === 0) return yield* Either.left("has no line")
    let state = empty
    for (const [index, text] of lines.entries()) {
      state = addWindow(state, yield* Either.mapLeft(decodeLine(text), () => `cannot be read in line ${index + 1}`))
    }
    return state
  })

/** The complete lines of a text: a killed process can leave the last one incomplete. */
export const wholeLines = (text: string): ReadonlyArray<string> => text.split("\n").slice(0, -1)

/** The data that all parts of an export share. */
const Head = Schema.Struct({
  version: Schema.Literal(1),
  plan: Checkpoint.Plan,
  startedAt: At,
  starts: Schema.NonNegativeInt,
  wallets: Schema.Array(Manifest.Wallet),
  /** The files with the checkpoints of the parts, in order; empty for tables. */
  files: list(Schema.String),
  /** Files of an earlier export, removed once the manifest no longer mentions them. */
  superseded: list(Schema.String),
  /** Files that no manifest mentions and this export replaces: files of its killed run, or files that it overwrites. */
  claimed: list(Schema.String)
})

export type Head = typeof Head.Type

const decodeHead = Schema.decodeEither(Schema.parseJson(Head))

/** Reads a head; fails with the reason. */
export const decode = (text: string): Either.Either<Head, string> =>
  Either.mapLeft(decodeHead(text), () => "was not written by this version")

export const encode: (head: Head) => string = Schema.encodeSync(Schema.parseJson(Head))

/** An unfinished export: the fields that its parts share, and the progress of each. */
export interface Saved {
  readonly head: Head
  readonly states: ReadonlyArray<PartState>
}

/** Reads the progress of an export from the text of its head, and the lines of each part. Fails with the reason. */
export const readSaved = <E, R>(
  text: string,
  headAt: string,
  linesOf: (part: Checkpoint.Plan["parts"][number], index: number, head: Head) => Effect.Effect<Lines, E, R>
): Effect.Effect<Saved, E | string, R> =>
  Effect.gen(function* () {
    const head = yield* Either.mapLeft(decode(text), (detail) => `${headAt} ${detail}`)
    const states = yield* Effect.forEach(head.plan.parts, (part, index) =>
      Effect.flatMap(linesOf(part, index, head), ({ at, lines }) =>
        Either.mapLeft(replay(lines), (detail) => `${at} ${detail}`)
      )
    )
    return { head, states }
  })

/** The states of parts that were not read yet. */
export const begun = ({ parts }: Checkpoint.Checkpoint): Array<PartState> =>
  parts.map((progress) => ({ ...empty, progress }))

/** The head of a checkpoint. */
export const headOf = (
  { plan, startedAt, starts, wallets }: Pick<Checkpoint.Checkpoint, "plan" | "startedAt" | "starts" | "wallets">,
  more: Pick<Head, "files" | "superseded" | "claimed"> = { files: [], superseded: [], claimed: [] }
): Head => ({ version: 1, plan, startedAt, starts, wallets, ...more })

/** The checkpoint of a whole export. */
export const toCheckpoint = (
  { plan, startedAt, starts, wallets }: Head,
  states: ReadonlyArray<PartState>
): Checkpoint.Checkpoint => ({
  plan,
  startedAt,
  starts,
  wallets,
  rereads: states.reduce((sum, state) => sum + state.rereads, 0),
  retries: states.reduce((sum, state) => sum + state.retries, 0),
  parts: states.map(({ progress }) => progress)
})

/** Windows and instants are appended; other fields are replaced. */
const isSame = (left: Checkpoint.Progress, right: Checkpoint.Progress): boolean =>
  left === right ||
  (left.windows.length === right.windows.length &&
    left.unsettled.length === right.unsettled.length &&
    left.tail === right.tail &&
    left.known === right.known &&
    left.identity === right.identity)

/** A part whose state has changed, and the line with the change. */
export interface Step {
  readonly index: number
  readonly line: string
  readonly state: PartState
}

/**
 * The lines from the states of parts to a checkpoint: one for each changed part, the committed part last, with the counts since the
 * previous line.
 */
export const steps = (
  states: ReadonlyArray<PartState>,
  checkpoint: Checkpoint.Checkpoint,
  committed: number,
  journals: Journals
): ReadonlyArray<Step> => {
  const before = toCheckpoint(headOf(checkpoint), states)
  const next = (state: PartState, index: number): PartState => {
    const progress = checkpoint.parts[index] ?? state.progress
    if (index !== committed) return isSame(progress, state.progress) ? state : { ...state, progress }
    return {
      progress,
      rereads: state.rereads + checkpoint.rereads - before.rereads,
      retries: state.retries + checkpoint.retries - before.retries,
      journals
    }
  }
  return states
    .flatMap((state, index): ReadonlyArray<Step> => {
      const reached = next(state, index)
      return reached === state ? [] : [{ index, line: lineBetween(state, reached), state: reached }]
    })
    .sort((left, right) => Number(left.index === committed) - Number(right.index === committed))
}
