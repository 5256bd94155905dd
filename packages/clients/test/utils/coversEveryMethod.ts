import { describe, expect, it } from "@effect/vitest"
import type { Case } from "../../src/Case.js"
import { findMappedMethods } from "../../src/coverage.js"
import type { Account, Methods } from "../../src/peers.js"

interface Suite {
  readonly name: string
  readonly cases: ReadonlyArray<Case<Methods>>
  readonly leftOut: Readonly<Record<string, string>>
  readonly open: (account: Account) => Promise<Methods>
}

/** A method of the client's that leads to a path of the document has a case, or a reason to have none. */
export const coversEveryMethod = ({ cases, leftOut, name, open }: Suite): void => {
  describe(`the cases of ${name}`, () => {
    it("have every method of it that leads to an operation", async () => {
      const methods = findMappedMethods(await open({ url: "http://127.0.0.1", key: "", secret: "" }))
      const named = new Set(cases.flatMap(({ call }) => call.match(/\w+/g) ?? []))
      // The constructor is the class itself, with the text of all methods.
      const missing = methods.filter((method) => method !== "constructor" && !named.has(method) && !(method in leftOut))
      expect(methods.length).toBeGreaterThan(30)
      expect(missing).toEqual([])
    })
  })
}
