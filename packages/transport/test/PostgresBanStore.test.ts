import * as BanStoreLaws from "@effect-venue/transport/BanStoreLaws"
import * as PostgresBanStore from "@effect-venue/transport/PostgresBanStore"
import type * as SqlClient from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, type Scope } from "effect"
import * as postgres from "./utils/postgres.js"

const lease = "3 seconds"

const made = (options: PostgresBanStore.Options) =>
  Effect.flatMap(postgres.prefix, (prefix) => Effect.orDie(PostgresBanStore.make({ prefix, ...options })))

const unreachable = Effect.gen(function* () {
  const { cut, layer } = yield* postgres.severable
  const store = yield* Effect.provide(made({}), yield* Layer.build(layer))
  yield* cut
  return store
})

const subject: BanStoreLaws.Subject<SqlClient.SqlClient | Scope.Scope> = {
  make: made({ lease, timeout: "5 seconds" }),
  pass: Effect.sleep,
  lease,
  makeUnreachable: unreachable
}

describe.skipIf(postgres.server.isSkipped).concurrent(`the laws of bans in ${postgres.server.label}`, () => {
  for (const { check, name } of BanStoreLaws.of(subject)) {
    it.scopedLive(name, () => Effect.provide(check, postgres.layer))
  }
})

describe.skipIf(postgres.server.isSkipped)(`bans in ${postgres.server.label}`, () => {
  it.scopedLive("hold for the processes of one egress address", () =>
    Effect.gen(function* () {
      const prefix = yield* postgres.prefix
      const make = (egress: string) => PostgresBanStore.make({ prefix, egress })
      const [banned, sibling, other] = [yield* make("a"), yield* make("a"), yield* make("b")]
      yield* banned.close("api.venue.example", Duration.minutes(10))
      expect(yield* sibling.enter("api.venue.example")).toMatchObject({ _tag: "Closed" })
      expect(yield* other.enter("api.venue.example")).toEqual({ _tag: "Open" })
    }).pipe(Effect.provide(postgres.layer))
  )
})
