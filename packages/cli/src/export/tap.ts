import * as Singer from "@effect-venue/history/Singer"
import * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Venue from "../account/venue.js"
import { source } from "../account/venue.js"
import * as subjects from "../options/subjects.js"
import * as Output from "../output/output.js"
import * as TapConfig from "./tapConfig.js"

export interface Options extends Pick<Venue.VenueChoice, "port" | "sandbox" | "seed"> {
  readonly config: string
  readonly state: Option.Option<string>
  readonly catalog: Option.Option<string>
  readonly discover: boolean
}

/** Prints the catalog, or the messages of Singer from a state on. */
export const tap = ({ catalog, config: file, discover, port, sandbox, seed, state: stateFile }: Options) =>
  Effect.gen(function* () {
    const { config, from, subjects: chosen, to } = yield* TapConfig.config(file)
    const state = yield* Effect.transposeMapOption(stateFile, TapConfig.state)
    const { accounts } = yield* source({
      ...{ port, sandbox, seed },
      accounts: config.accounts,
      config: Option.fromNullable(config.accounts_file)
    }).pipe(TapConfig.addAccount(config))
    const all = accounts.flatMap((account) => chosen.map((subject) => subjects.part(subject, account)))
    if (discover) {
      return yield* Output.print(JSON.stringify({ streams: all.map(Singer.catalogEntry) }, undefined, 2))
    }
    const parts = yield* TapConfig.selectParts(catalog, all)
    const messages = Singer.tap(parts, { from, to, state: Option.getOrUndefined(state) })
    yield* Stream.runForEach(messages, (some) =>
      Output.print(some.map((message) => JSON.stringify(message)).join("\n"))
    ).pipe(
      // Parts of named accounts have a transport.
      Effect.provideService(Transport.Transport, accounts[0].transport)
    )
  })
