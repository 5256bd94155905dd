/**
 * A fleet of three processes on one Postgres, with six addresses of this machine, while one joins, one is killed, one is frozen and wakes, and Postgres is
 * restarted. Some accounts trade all the time. Judged by the sandboxes, by the ledger, by what the processes have written, and by the rows in Postgres,
 * which have to be those of the sandboxes. Needs `initdb` and `postgres` on the PATH, and Linux, which has the address 127.0.0.2 on every machine.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ChildProcess } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Judge from "./cluster/Judge.js"
import { type Order, Write } from "./cluster/Order.js"
import * as PostgresServer from "./cluster/PostgresServer.js"
import * as World from "./cluster/World.js"
import * as Processes from "./shared/Processes.js"
import type * as Workload from "./shared/Workload.js"

export interface Options {
  readonly accounts: number
  /** How far back the first export of an account goes. */
  readonly days: number
  /** How often each account is due, in seconds. */
  readonly every: number
}

const addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6", "127.0.0.7"] as const

const day = 86_400_000

/** The limit of an address. (docs/reference/rules.md#limits-ip-and-stream) */
const limit = { calls: 600, window: 5000 }

/** Looks at the owners in the ledger again and again. */
const watching = (seen: Array<Judge.Seen>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const look = Effect.gen(function* () {
      const rows = yield* sql<{ readonly name: string; readonly epoch: number | string; readonly owner: string }>`
        SELECT name, epoch, owner FROM venue_fleet_egresses`
      const at = yield* Clock.currentTimeMillis
      for (const { epoch, name, owner } of rows) {
        const isNew = !seen.some((before) => before.address === name && before.epoch === Number(epoch))
        if (isNew) seen.push({ address: name, epoch: Number(epoch), pid: Number(owner.split(" ").at(-1)), at })
      }
    })
    yield* Effect.forever(Effect.zipRight(Effect.ignore(look), Effect.sleep("100 millis")))
  })

/** The addresses that a process owns. */
const ownedBy = (seen: ReadonlyArray<Judge.Seen>, { pid }: ChildProcess): ReadonlyArray<string> =>
  addresses.filter((address) => {
    const owners = seen.filter((owner) => owner.address === address).sort((a, b) => a.epoch - b.epoch)
    return owners.at(-1)?.pid === pid
  })

/** The process that owns the most addresses: what happens to it is seen. */
const busiest = (
  seen: ReadonlyArray<Judge.Seen>,
  [first, ...others]: readonly [ChildProcess, ...ReadonlyArray<ChildProcess>]
) => others.reduce((most, child) => (ownedBy(seen, child).length > ownedBy(seen, most).length ? child : most), first)

/** A disturbance of some addresses, and its time. */
interface Disturbance {
  readonly at: number
  readonly addresses: ReadonlyArray<string>
}

const disturb = (seen: ReadonlyArray<Judge.Seen>, child: ChildProcess, signal: NodeJS.Signals) =>
  Effect.map(Clock.currentTimeMillis, (at): Disturbance => {
    const disturbed = { at, addresses: ownedBy(seen, child) }
    child.kill(signal)
    return disturbed
  })

/** Which addresses fall to a process follows from its port: one that has none ends, and another one joins. */
const joining = (member: Effect.Effect<ChildProcess, never, Scope.Scope>, seen: ReadonlyArray<Judge.Seen>) => {
  const attempt = (left: number): Effect.Effect<ChildProcess, never, Scope.Scope> =>
    Effect.gen(function* () {
      const child = yield* member
      yield* Effect.sleep("25 seconds")
      if (left <= 1 || ownedBy(seen, child).length > 0) return child
      child.kill("SIGTERM")
      return yield* attempt(left - 1)
    })
  return attempt(4)
}

/** Disturbs the processes and Postgres. Takes four minutes. */
const disturbing = (
  member: Effect.Effect<ChildProcess, never, Scope.Scope>,
  postgres: Effect.Effect.Success<typeof PostgresServer.make>,
  seen: ReadonlyArray<Judge.Seen>
) =>
  Effect.gen(function* () {
    const first = yield* member
    const second = yield* member
    yield* Effect.sleep("40 seconds")
    const joined = yield* joining(member, seen)
    const joinedOwns = ownedBy(seen, joined)
    const killed = busiest(seen, [first, second, joined])
    const kill = yield* disturb(seen, killed, "SIGKILL")
    yield* Effect.sleep("40 seconds")
    const survivors = [first, second, joined].filter((child) => child !== killed)
    const frozen = busiest(seen, [survivors[0] ?? first, ...survivors.slice(1)])
    const freeze = yield* disturb(seen, frozen, "SIGSTOP")
    yield* Effect.sleep("40 seconds")
    frozen.kill("SIGCONT")
    yield* Effect.sleep("30 seconds")
    yield* postgres.stop
    yield* Effect.sleep("3 seconds")
    yield* postgres.start
    const restart: Disturbance = { at: yield* Clock.currentTimeMillis, addresses }
    yield* Effect.sleep("30 seconds")
    return { survivors, joinedOwns, kill, freeze, restart }
  })

/** Waits until every export covers an instant, or until a minute has brought none. Returns how many do not. */
const covering = (at: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const behind = Effect.map(
      sql<{ readonly behind: number | string }>`SELECT count(*) AS behind FROM venue_fleet_exports
        WHERE coverage IS NULL OR (coverage::jsonb ->> 'to')::bigint <= ${at}`,
      ([row]) => Number(row?.behind)
    )
    let fewest = yield* behind
    for (let seconds = 0; seconds < 60 && fewest > 0; seconds++) {
      yield* Effect.sleep("1 second")
      const now = yield* behind
      if (now < fewest) seconds = 0
      fewest = Math.min(fewest, now)
    }
    return fewest
  })

const totals = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  type Count = number | string
  const [row] = yield* sql<{ readonly exports: Count; readonly complete: Count; readonly failing: Count }>`
    SELECT count(*) AS exports, sum(CASE WHEN coverage LIKE '%"complete"%' THEN 1 ELSE 0 END) AS complete,
    sum(CASE WHEN attempts > 0 OR state = 'stopped' THEN 1 ELSE 0 END) AS failing FROM venue_fleet_exports`
  return { exports: Number(row?.exports), complete: Number(row?.complete), failing: Number(row?.failing) }
})

/** How many rows the sandboxes have, and the accounts whose rows in Postgres are not those. */
const compared = (exchanges: ReadonlyArray<World.Exchange>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const found = new Map<string, Array<string>>()
    const rows = yield* sql<{ readonly name: string; readonly id: string }>`SELECT venue_export AS name,
      "execId" AS id FROM venue_executions`
    for (const { id, name } of rows) found.set(name, [...(found.get(name) ?? []), id])
    const expected = yield* Effect.forEach(exchanges, ({ executions }) => executions)
    const sorted = (ids: ReadonlyArray<string>) => [...ids].sort().join(" ")
    const accounts = expected.flatMap((executions) => [...executions])
    const differing = accounts.filter(
      ([name, ids]) => sorted(found.get(`${name}/executions-linear`) ?? []) !== sorted(ids)
    )
    return { rows: accounts.reduce((sum, [, ids]) => sum + ids.length, 0), differing: differing.map(([name]) => name) }
  })

const writesIn = (file: string): ReadonlyArray<Write> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Schema.decodeUnknownSync(Schema.parseJson(Write))(line))

/** The arrivals at the sandboxes: the calls of the fleet, and the longest time without one after each disturbance. */
const arrivalsOf = (exchanges: ReadonlyArray<World.Exchange>, disturbances: Readonly<Record<string, Disturbance>>) =>
  Effect.gen(function* () {
    const logs = yield* Effect.forEach(exchanges, ({ address, log }) =>
      Effect.map(log, (entries) => ({ address, entries }))
    )
    const idle = ({ addresses, at }: Disturbance) =>
      Math.max(
        0,
        ...logs.flatMap(({ address, entries }) =>
          addresses.includes(address)
            ? [
                Judge.longestGap(
                  entries.map((entry) => entry.at),
                  at,
                  at + 40_000
                )
              ]
            : []
        )
      )
    return {
      calls: logs.reduce((sum, { entries }) => sum + entries.length, 0),
      refused: logs.flatMap(({ entries }) => entries).filter(({ executed }) => !executed).length,
      fullest: Math.max(
        ...logs.map(({ entries }) =>
          Judge.mostWithin(
            entries.map(({ at }) => at),
            limit.window
          )
        )
      ),
      idle: Object.fromEntries(Object.entries(disturbances).map(([name, disturbance]) => [name, idle(disturbance)]))
    }
  })

const measured = (options: Options) =>
  Effect.gen(function* () {
    const folder = yield* Processes.temporaryFolder
    const postgres = yield* PostgresServer.make
    const perAddress = Math.ceil(options.accounts / addresses.length)
    const exchanges = yield* Effect.forEach(addresses, (address) => World.make(address, perAddress))
    const files = { accounts: join(folder, "accounts.json"), writes: join(folder, "writes.ndjson") }
    writeFileSync(files.accounts, JSON.stringify(exchanges.flatMap(({ accounts }) => accounts)))
    writeFileSync(files.writes, "")
    const from = (yield* Clock.currentTimeMillis) - options.days * day
    const member = Effect.flatMap(Processes.freePort, (port) => {
      const order: Order = { ...files, postgres: postgres.url, port, addresses, from, every: options.every }
      return Processes.forked(new URL("./cluster/member.ts", import.meta.url), order)
    })
    return yield* Effect.gen(function* () {
      const seen: Array<Judge.Seen> = []
      yield* Effect.forkScoped(watching(seen))
      const trades = Effect.forEach(exchanges, ({ trade }) => trade, { discard: true })
      const trading = yield* Effect.forkScoped(Effect.forever(Effect.zipRight(trades, Effect.sleep("1 second"))))
      const { freeze, joinedOwns, kill, restart, survivors } = yield* disturbing(member, postgres, seen)
      yield* Fiber.interrupt(trading)
      const behind = yield* covering(yield* Clock.currentTimeMillis)
      const { differing, rows } = yield* compared(exchanges)
      const ledger = yield* Effect.retry(totals, { times: 20 })
      const living = survivors.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).length
      for (const child of survivors) child.kill("SIGKILL")
      return {
        ...{ ...ledger, behind, rows, differing: differing.length, living, ownerships: seen.length },
        owned: { joined: joinedOwns.length, killed: kill.addresses.length, frozen: freeze.addresses.length },
        trespasses: Judge.trespassesOf(writesIn(files.writes), seen).length,
        ...(yield* arrivalsOf(exchanges, { kill, freeze, restart }))
      }
    }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(postgres.url) })), Effect.orDie)
  })

export const fleetCluster = (options: Options): Effect.Effect<Workload.Report, never, Scope.Scope> =>
  Effect.map(measured(options), (figures) => {
    const { behind, complete, differing, exports, failing, fullest, idle, living, owned, refused, rows, trespasses } =
      figures
    const guarantees = {
      "every export is complete, and covers the last trade": complete === exports && failing === 0 && behind === 0,
      "Postgres has the rows of the exchange": rows > 0 && differing === 0,
      "each disturbed process owned an address": Object.values(owned).every((count) => count > 0),
      "one owner at a time calls and writes": refused === 0 && trespasses === 0 && fullest <= limit.calls,
      "another owner begins within 25 s after a kill": (idle.kill ?? 0) <= 25_000,
      "another owner begins within 30 s after a freeze": (idle.freeze ?? 0) <= 30_000,
      "the survivors live": living === 2
    }
    const problems = Object.entries(guarantees).flatMap(([guarantee, holds]) =>
      holds ? [] : [`not true: ${guarantee}`]
    )
    return { problems, figures }
  })

export const workload: Workload.Workload = {
  title: "a fleet of three processes on one Postgres, which are killed, frozen and cut off",
  defaults: { accounts: 500, days: 200, every: 30 },
  run: (option) => fleetCluster({ accounts: option("accounts"), days: option("days"), every: option("every") })
}
