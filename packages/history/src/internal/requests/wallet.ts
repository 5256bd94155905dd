import * as Json from "@effect-venue/schemas/shared/Json"
import * as Account from "@effect-venue/schemas/Account"
import type * as Failure from "@effect-venue/transport/Failure"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Effect from "effect/Effect"
import * as DatasetPages from "./pages.js"

const page = DatasetPages.of(Account.walletBalance)

/** The records of the wallet of a unified account. */
export const read: Effect.Effect<ReadonlyArray<unknown>, Failure.ReadFailure, Transport.Transport> = Effect.map(
  page({ accountType: "UNIFIED" }),
  ({ texts }) => texts.map(Json.parseVerbatim)
)
