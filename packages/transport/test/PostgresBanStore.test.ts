import * as BanStoreLaws from "@effect-venue/transport/BanStoreLaws"
import * as PostgresBanStore from "@effect-venue/transport/PostgresBanStore"
import * as SqlClient from "@effect/sql/SqlClient"
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

  it.scopedLive("go a day after their end, with the next ban", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const prefix = yield* postgres.prefix
      const store = yield* PostgresBanStore.make({ prefix })
      const hosts = ["old.example", "recent.example", "new.example"] as const
      for (const host of hosts.slice(0, 2)) yield* store.close(host, Duration.minutes(10))
      const before = yield* sql.unsafe<{ readonly name: string }>(`SELECT name FROM ${prefix}bans ORDER BY ends`)
      const hours = (count: number) => `ends - ${Duration.toMillis(Duration.hours(count)) * 1000}`
      const [old, recent] = before.map(({ name }) => name)
      yield* sql.unsafe(`UPDATE ${prefix}bans SET ends = ${hours(25)} WHERE name = '${old}'`)
      yield* sql.unsafe(`UPDATE ${prefix}bans SET ends = ${hours(23)} WHERE name = '${recent}'`)
      yield* store.close(hosts[2], Duration.minutes(10))
      const after = yield* sql.unsafe<{ readonly name: string }>(`SELECT name FROM ${prefix}bans`)
      const names = after.map(({ name }) => name)
      expect(names).toHaveLength(2)
      expect(names).toContain(recent)
    }).pipe(Effect.provide(postgres.layer))
  )
})
