import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Rules from "./rules/utils.js"

/** What JSON can say and no text can be made of. */
const withoutText = { toString: 1, valueOf: 2 }

layer(Rules.world)("a body that holds what no text can be made of", (it) => {
  for (const [operation, [method]] of Object.entries(Rules.operations)) {
    if (method === "GET") continue
    it.effect(`is refused as a parameter by ${operation}`, () =>
      Effect.gen(function* () {
        for (const field of ["category", "symbol", "request", "side", "coin", "toAccountType", "list", "requestId"]) {
          const answer = yield* Rules.send(operation as Rules.Operation, { [field]: withoutText })
          expect(answer.status, answer.text).toBe(200)
          expect(answer.code, `${field}: ${answer.text}`).not.toBe(0)
        }
      })
    )
  }
})
