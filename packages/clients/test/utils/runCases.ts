import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import type { Case } from "../../src/Case.js"
import type { Account } from "../../src/peers.js"
import * as gateway from "../../src/gateway.js"
import * as harness from "../../src/harness.js"

interface Suite<C> {
  readonly name: string
  readonly cases: ReadonlyArray<Case<C>>
  readonly open: (account: Account) => Promise<C>
}

const opened = async () => {
  const scope = await Effect.runPromise(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(harness.layer, scope))
  const { account, world } = await Effect.runPromise(Effect.provide(harness.make, context))
  const between = await gateway.open({ url: account.url, secretOf: () => account.secret })
  const close = async () => {
    await between.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  return { account: { ...account, url: between.url }, between, close, world }
}

/** The cases of one client in their order, in one sandbox, through the gateway. */
export const runCases = <C>({ cases, name, open }: Suite<C>): void => {
  describe(name, () => {
    let setup: Awaited<ReturnType<typeof opened>>
    let client: C

    beforeAll(async () => {
      setup = await opened()
      client = await open(setup.account)
    })

    afterAll(() => setup.close())

    for (const { call, paths, result, run } of cases) {
      it(`${call}: ${result}`, async () => {
        setup.between.taken()
        await run(client, setup.world)
        // What the page says of its way is what it took.
        expect(setup.between.taken()).toEqual(expect.arrayContaining([...paths]))
      })
    }
  })
}
