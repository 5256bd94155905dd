import * as Sandbox from "@effect-venue/sandbox/siblings/Seed"
import * as Account from "@effect-venue/schemas/Account"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as configFile from "../config/configFile.js"
import { translate } from "../run/failures.js"
import type * as venue from "./venue.js"

export * as venue from "./venue.js"

/** The names of the accounts: the roles of a sandbox, or the names in the config file; none for the account in the environment. */
export const names = ({
  config,
  sandbox
}: Pick<venue.VenueChoice, "config" | "sandbox">): Effect.Effect<
  ReadonlyArray<string>,
  configFile.ConfigFileInvalid,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function* () {
    if (sandbox) return Object.keys(Sandbox.uids)
    const hasKey = Option.isSome(yield* Effect.option(Config.string("VENUE_API_KEY")))
    if (Option.isNone(config) && hasKey) return []
    const found = yield* configFile.read(Option.getOrElse(config, () => configFile.fileName))
    return Option.match(found, { onNone: () => [], onSome: ({ accounts }) => [...accounts.keys()] })
  })

/** An account and the response of the service to its key, without key and secret. */
export interface Checked {
  readonly account: string | null
  readonly uid: string | null
  readonly service: string
  readonly isUsable: boolean
  /** `accepted`, or why not. */
  readonly key: string
}

/** Requests the fee rate of a symbol, which every key can read and which costs nothing. */
export const check = ({ credentials, name, transport }: venue.Account): Effect.Effect<Checked> =>
  Effect.map(
    Effect.either(transport.callWire(Account.feeRate, { category: "linear", symbol: "BTCUSDT" })),
    (answer): Checked => ({
      account: name ?? null,
      uid: credentials.uid ?? null,
      service: credentials.baseUrl,
      isUsable: Either.isRight(answer),
      key: Either.isRight(answer) ? "accepted" : translate(`${answer.left._tag}: ${answer.left.message}`)
    })
  )
