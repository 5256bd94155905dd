import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Manifest from "../model/Manifest.js"
import type * as Part from "../model/Part.js"
import { likelyTime } from "../read/serviceNow.js"

/** The wallet of each account of an export, or why it could not be read: that ends no export. Its time is the service's, as that of the rows. */
export const read = <R>(
  parts: ReadonlyArray<Part.Part<unknown, R>>
): Effect.Effect<ReadonlyArray<Manifest.Wallet>, never, R> =>
  Effect.gen(function* () {
    const ofAccounts = new Map(parts.map((part) => [Option.getOrNull(part.account), part]))
    const wallets: Array<Manifest.Wallet> = []
    for (const [account, part] of ofAccounts) {
      const read = yield* Effect.either(part.wallet)
      const at = Math.floor(yield* likelyTime(part))
      wallets.push(
        read._tag === "Right"
          ? { account, at, list: read.right, because: null }
          : { account, at, list: [], because: read.left.message }
      )
    }
    return wallets
  })
