import * as SqlLedger from "@effect-venue/fleet/SqlLedger"
import { NodeContext } from "@effect/platform-node"
import * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { databases, ledgerIn, prefixIn } from "./utils/databases.js"
import { laws } from "./utils/ledgerLaws.js"

for (const { database, isSkipped, name } of databases) {
  describe.skipIf(isSkipped)(`the laws of a ledger in ${name}`, () => {
    for (const [title, check] of Object.entries(laws)) {
      it.scopedLive(title, () => Effect.provide(Effect.flatMap(ledgerIn(database), check), NodeContext.layer))
    }

    it.scopedLive("is opened by processes that begin at once, where there are no tables yet", () =>
      Effect.gen(function* () {
        const sql = yield* database
        const prefix = yield* prefixIn(sql)
        const open = Effect.provideService(SqlLedger.make({ prefix }), SqlClient.SqlClient, sql)
        const ledgers = yield* Effect.all(
          Array.from({ length: 8 }, () => open),
          { concurrency: "unbounded" }
        )
        for (const ledger of ledgers) expect(yield* ledger.exports).toEqual([])
      }).pipe(Effect.provide(NodeContext.layer))
    )
  })
}
