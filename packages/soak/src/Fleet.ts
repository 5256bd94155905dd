/**
 * A fleet of three processes on one Postgres, with six addresses of this machine, while one joins, one is killed, one is frozen and wakes, and Postgres is
 * restarted. Some accounts trade all the time. The judges of the simulation get the arrivals at the sandboxes, the owners in the ledger, the writes of the
 * processes, and the rows in Postgres beside those of the sandboxes. Needs `initdb` and `postgres` on the PATH, and Linux, which has the address 127.0.0.2 on every machine.
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
import * as Facts from "./fleet/Facts.js"
import { type Order, Write } from "./fleet/Order.js"
import * as PostgresServer from "./fleet/PostgresServer.js"
import * as World from "./fleet/World.js"
import * as Judged from "./shared/Judged.js"
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
const watching = (seen: Array<Facts.Seen>) =>
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
const addressesOf = (seen: ReadonlyArray<Facts.Seen>, { pid }: ChildProcess): ReadonlyArray<string> =>
  addresses.filter((address) => {
    const owners = seen.filter((owner) => owner.address === address).sort((a, b) => a.epoch - b.epoch)
    return owners.at(-1)?.pid === pid
  })

/** The process that owns the most addresses: what happens to it is seen. */
const busiest = (
  seen: ReadonlyArray<Facts.Seen>,
  [first, ...others]: readonly [ChildProcess, ...ReadonlyArray<ChildProcess>]
) =>
  others.reduce(
    (most, child) => (addressesOf(seen, child).length > addressesOf(seen, most).length ? child : most),
    first
  )

/** Kills or freezes a process: other ones are at work in `within` milliseconds. */
const disturb = (seen: ReadonlyArray<Facts.Seen>, child: ChildProcess, signal: NodeJS.Signals, within: number) =>
  Effect.map(Clock.currentTimeMillis, (at): Facts.Disturbance => {
    const disturbed = { at, pid: child.pid ?? 0, addresses: addressesOf(seen, child), within }
    child.kill(signal)
    return disturbed
  })

/** Which addresses fall to a process follows from its port: one that has none ends, and another one joins. */
const joining = (member: Effect.Effect<ChildProcess, never, Scope.Scope>, seen: ReadonlyArray<Facts.Seen>) => {
  const attempt = (left: number): Effect.Effect<ChildProcess, never, Scope.Scope> =>
    Effect.gen(function* () {
      const child = yield* member
      yield* Effect.sleep("25 seconds")
      if (left <= 1 || addressesOf(seen, child).length > 0) return child
      child.kill("SIGTERM")
      return yield* attempt(left - 1)
    })
  return attempt(4)
}

/** Disturbs the processes and Postgres. Takes four minutes. */
const disturbing = (
  member: Effect.Effect<ChildProcess, never, Scope.Scope>,
  postgres: Effect.Effect.Success<typeof PostgresServer.make>,
  seen: ReadonlyArray<Facts.Seen>
) =>
  Effect.gen(function* () {
    const first = yield* member
    const second = yield* member
    yield* Effect.sleep("40 seconds")
    const joined = yield* joining(member, seen)
    const joinedOwns = addressesOf(seen, joined)
    const killed = busiest(seen, [first, second, joined])
    const kill = yield* disturb(seen, killed, "SIGKILL", 25_000)
    yield* Effect.sleep("40 seconds")
    const survivors = [first, second, joined].filter((child) => child !== killed)
    const frozen = busiest(seen, [survivors[0] ?? first, ...survivors.slice(1)])
    const freeze = yield* disturb(seen, frozen, "SIGSTOP", 30_000)
    yield* Effect.sleep("40 seconds")
    frozen.kill("SIGCONT")
    yield* Effect.sleep("30 seconds")
    yield* postgres.stop
    yield* Effect.sleep("3 seconds")
    yield* postgres.start
    yield* Effect.sleep("30 seconds")
    return { survivors, joinedOwns, kill, freeze }
  })

interface Row {
  readonly account: string
  readonly part: string
  readonly state: string
  readonly attempts: number | string
  readonly coverage: string | null
}

/** The exports of the ledger, when every one covers an instant, or when a minute has brought none that does. */
const covering = (at: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const look = Effect.map(
      sql<Row>`SELECT account, part, state, attempts, coverage FROM venue_fleet_exports`,
      (rows) => rows.map(Facts.exportOf)
    )
    const behind = (exports: ReadonlyArray<Facts.Export>) =>
      exports.filter(({ coverage }) => coverage === undefined || coverage.to <= at).length
    let exports = yield* look
    let fewest = behind(exports)
    for (let seconds = 0; seconds < 60 && fewest > 0; seconds++) {
      yield* Effect.sleep("1 second")
      exports = yield* look
      if (behind(exports) < fewest) seconds = 0
      fewest = Math.min(fewest, behind(exports))
    }
    return exports
  })

/** The rows of each account in Postgres, beside those of its sandbox. */
const rowsOf = (exchanges: ReadonlyArray<World.Exchange>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const found = new Map<string, Array<string>>()
    const rows = yield* sql<{ readonly name: string; readonly id: string }>`SELECT venue_export AS name,
      "execId" AS id FROM venue_executions`
    for (const { id, name } of rows) {
      const own = found.get(name)
      if (own === undefined) found.set(name, [id])
      else own.push(id)
    }
    const all = yield* Effect.forEach(exchanges, ({ executions }) => executions)
    return all.flatMap((executions) =>
      [...executions].map(([account, expected]) => {
        const call = `${account}/executions-linear`
        return { _tag: "Exported", call, isComplete: true, rows: found.get(call) ?? [], expected } as const
      })
    )
  })

const writesIn = (file: string): ReadonlyArray<Write> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Schema.decodeUnknownSync(Schema.parseJson(Write))(line))

const measureFleet = (options: Options) =>
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
      return Processes.forkProcess(new URL("./fleet/member.ts", import.meta.url), order)
    })
    return yield* Effect.gen(function* () {
      const seen: Array<Facts.Seen> = []
      yield* Effect.forkScoped(watching(seen))
      const trades = Effect.forEach(exchanges, ({ trade }) => trade, { discard: true })
      const trading = yield* Effect.forkScoped(Effect.forever(Effect.zipRight(trades, Effect.sleep("1 second"))))
      const { freeze, joinedOwns, kill, survivors } = yield* disturbing(member, postgres, seen)
      yield* Fiber.interrupt(trading)
      const tradedAt = yield* Clock.currentTimeMillis
      const exports = yield* Effect.retry(covering(tradedAt), { times: 20 })
      const rows = yield* rowsOf(exchanges)
      const living = survivors.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).length
      for (const child of survivors) child.kill("SIGKILL")
      const logs = yield* Effect.forEach(exchanges, ({ address, log }) => Effect.map(log, (log) => ({ address, log })))
      const facts: Array<Judged.Fact> = [
        ...seen.map(Facts.fromOwner),
        ...Facts.written(writesIn(files.writes), seen),
        ...[kill, freeze].flatMap((disturbance) => Facts.struck(disturbance, seen)),
        ...logs.flatMap(({ address, log }) => Facts.fromRequestLog(address, log, limit)),
        ...exports.flatMap((row) => Facts.fromExport(row, from, tradedAt)),
        ...rows
      ]
      facts.sort((one, other) => (one.at ?? 0) - (other.at ?? 0))
      return {
        facts,
        figures: {
          ...{ exports: exports.length, living, ownerships: seen.length },
          rows: rows.reduce((sum, { expected }) => sum + expected.length, 0),
          owned: { joined: joinedOwns.length, killed: kill.addresses.length, frozen: freeze.addresses.length },
          calls: logs.reduce((sum, { log }) => sum + log.length, 0)
        }
      }
    }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(postgres.url) })), Effect.orDie)
  })

export const runFleet = (options: Options): Effect.Effect<Workload.Report, never, Scope.Scope> =>
  Effect.map(measureFleet(options), ({ facts, figures }) => {
    const { living, owned, rows } = figures
    const conditions = {
      "the accounts traded": rows > 0,
      "each disturbed process owned an address": Object.values(owned).every((count) => count > 0),
      "the survivors live": living === 2
    }
    const unmet = Object.entries(conditions).flatMap(([condition, holds]) => (holds ? [] : [`not true: ${condition}`]))
    return { problems: [...unmet, ...Judged.problems(facts, { isLimitOurs: true })], figures }
  })

export const workload: Workload.Workload = {
  title: "a fleet of three processes on one Postgres, which are killed, frozen and cut off",
  defaults: { accounts: 500, days: 200, every: 30 },
  run: (option) => runFleet({ accounts: option("accounts"), days: option("days"), every: option("every") })
}
