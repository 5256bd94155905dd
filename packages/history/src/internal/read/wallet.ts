import * as Json from "@effect-venue/schemas/shared/Json"
import * as Account from "@effect-venue/schemas/Account"
import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Manifest from "../../Manifest.js"
import * as DatasetPages from "./datasetPages.js"

const page = DatasetPages.of(Account.walletBalance)

/** The records of the wallet of a unified account. */
export const read: Effect.Effect<ReadonlyArray<unknown>, Failure.ReadFailure, Transport.Transport> = Effect.map(
  page({ accountType: "UNIFIED" }),
  ({ texts }) => texts.map(Json.parseVerbatim)
)

/** The members of a part that a snapshot needs. */
interface OfAccount<R> {
  readonly account: Option.Option<string>
  readonly wallet: Effect.Effect<ReadonlyArray<unknown>, Failure.ReadFailure, R>
}

/** The wallet of each account of an export, or why it could not be read: that ends no export. */
export const snapshots = <R>(
  parts: ReadonlyArray<OfAccount<R>>
): Effect.Effect<ReadonlyArray<Manifest.Wallet>, never, R> =>
  Effect.gen(function* () {
    const ofAccounts = new Map(parts.map((part) => [Option.getOrNull(part.account), part.wallet]))
    const wallets: Array<Manifest.Wallet> = []
    for (const [account, wallet] of ofAccounts) {
      const read = yield* Effect.either(wallet)
      const at = Math.floor(yield* Clock.currentTimeMillis)
      wallets.push(
        read._tag === "Right"
          ? { account, at, list: read.right, because: null }
          : { account, at, list: [], because: read.left.message }
      )
    }
    return wallets
  })
