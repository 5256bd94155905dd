import type * as Manifest from "@effect-venue/history/Manifest"
import * as Singer from "@effect-venue/history/Singer"
import * as Transport from "@effect-venue/transport/Transport"
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Venue from "../account/venue.js"
import { explainSymbol, warnOfCoin } from "../account/unlisted.js"
import { source } from "../account/venue.js"
import * as subjects from "../options/subjects.js"
import * as Layout from "../output/layout.js"
import * as Output from "../output/output.js"
import * as TapConfig from "./tapConfig.js"

export interface Options extends Pick<Venue.VenueChoice, "port" | "sandbox" | "seed"> {
  readonly config: string
  readonly state: Option.Option<string>
  readonly catalog: Option.Option<string>
  readonly discover: boolean
}

/** A stream can lack rows, or has conflicting ones. */
export class IncompleteStreams extends Data.TaggedError("IncompleteStreams")<{ readonly message: string }> {}

const isState = (message: Singer.Message): message is Singer.StateMessage => message.type === "STATE"

const decodeState = Schema.decodeSync(Singer.State)

const conflictLines = ({ conflicts, stream }: Singer.IncompleteWindow): ReadonlyArray<string> =>
  conflicts.map(({ id }) => `conflict  ${stream}: a row has the id of another row: ${id.slice(0, 64)}`)

/** Names the ranges that can lack rows, and the rows in conflict, on standard error. Fails if there are any. */
const report = (missing: ReadonlyArray<Manifest.MissingOfPart>, conflicts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const lines = [...missing.map(Layout.missingLine), ...conflicts]
    if (lines.length === 0) return
    yield* Effect.forEach(lines, (line) => Output.warn(line), { discard: true })
    return yield* new IncompleteStreams({
      message: missing.some(({ lost }) => !lost)
        ? "the streams can lack rows: the next run with this state reads the ranges above that begin with `missing` again first"
        : "the streams lack rows, or have rows that conflict: see the lines above. Later runs do not report them again"
    })
  })

/** Prints the catalog, or the messages of Singer from a state on. */
export const tap = ({ catalog, config: file, discover, port, sandbox, seed, state: stateFile }: Options) =>
  Effect.gen(function* () {
    const { config, from, overlap, subjects: chosen, to } = yield* TapConfig.config(file)
    const state = yield* Effect.transposeMapOption(stateFile, TapConfig.state)
    const { accounts } = yield* source({
      ...{ port, sandbox, seed },
      accounts: config.accounts,
      config: Option.fromNullable(config.accounts_file)
    }).pipe(TapConfig.addAccount(config))
    const all = accounts.flatMap((account) => chosen.map((subject) => subjects.part(subject, account)))
    if (discover) {
      return yield* Output.printJson({ streams: all.map(Singer.catalogEntry) })
    }
    const parts = yield* TapConfig.selectParts(catalog, all)
    const before = Option.getOrElse(state, (): Singer.State => ({ bookmarks: {} }))
    const conflicts: Array<string> = []
    const streamsWithRows = new Set<string>()
    const messages = Singer.tap(parts, {
      ...{ from, overlap, to, state: before, sameAccount: config.sameAccount },
      onIncomplete: (incomplete) => Effect.sync(() => void conflicts.push(...conflictLines(incomplete)))
    })
    const last = yield* Stream.runFoldEffect(messages, Option.none<Singer.StateMessage>(), (last, some) =>
      Effect.map(Output.printExactly(some.map((message) => JSON.stringify(message)).join("\n")), () => {
        for (const message of some) if (message.type === "RECORD") streamsWithRows.add(message.stream)
        return Option.orElse(Arr.findLast(some, isState), () => last)
      })
    ).pipe(
      // Parts of named accounts have a transport.
      Effect.provideService(Transport.Transport, accounts[0].transport),
      explainSymbol(
        accounts[0].transport,
        "--config: symbol",
        chosen.map(({ query }) => query)
      )
    )
    // A run from a state can have no new rows.
    if (Option.isNone(state)) {
      yield* warnOfCoin(
        accounts[0].transport,
        "--config: coin",
        parts.map(({ name, parameters }) => ({ parameters, hasRows: streamsWithRows.has(name) }))
      )
    }
    const after = Option.match(last, { onNone: () => before, onSome: ({ value }) => decodeState(value) })
    const read = new Set(parts.map(({ name }) => name))
    yield* report(
      Singer.missingOf(before, after).filter(({ part }) => read.has(part)),
      conflicts
    )
  })
