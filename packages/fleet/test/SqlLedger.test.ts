import * as LedgerLaws from "@effect-venue/fleet/LedgerLaws"
import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { databases, ledgerIn } from "./utils/databases.js"

for (const { database, isSkipped, name } of databases) {
  describe.skipIf(isSkipped)(`the laws of a ledger in ${name}`, () => {
    for (const law of LedgerLaws.of({ make: ledgerIn(database) })) {
      it.scopedLive(law.name, () => Effect.provide(law.check, NodeContext.layer))
    }
  })
}
