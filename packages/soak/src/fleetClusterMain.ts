/**
 * `npm run accept -- fleet-cluster [--accounts A --days D --every S]`: a fleet of three processes on one Postgres, with six addresses of this machine, while one
 * joins, one is killed, one is frozen and wakes, and Postgres is restarted. Some accounts trade all the time. Judged by the sandboxes, by the ledger, by what
 * the processes have written, and by the rows in Postgres, which are to be those of the sandboxes. Prints a JSON object; exit code 1 when it does not keep its bounds. Needs `initdb` and `postgres` on the PATH, and Linux, where
 * 127.0.0.2 is an address of every machine.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Arguments from "./internal/arguments.js"
import * as judge from "./internal/fleetCluster/judge.js"
import { type Order, Write } from "./internal/fleetCluster/order.js"
import * as postgresServer from "./internal/fleetCluster/postgresServer.js"
import * as world from "./internal/fleetCluster/world.js"
import * as processes from "./internal/processes.js"

interface Options {
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

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "venue-fleet-"))),
  (folder) =>
    Effect.sync(() => {
      rmSync(folder, { recursive: true, force: true })
    })
)

interface Row {
  readonly name: string
  readonly epoch: number | string
  readonly owner: string
}

/** Looks at the owners in the ledger again and again. */
const watching = (seen: Array<judge.Seen>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const look = Effect.gen(function* () {
      const rows = yield* sql<Row>`SELECT name, epoch, owner FROM venue_fleet_egresses`
      const at = yield* Clock.currentTimeMillis
      for (const { epoch, name, owner } of rows) {
        const isNew = !seen.some((before) => before.address === name && before.epoch === Number(epoch))
        if (isNew) seen.push({ address: name, epoch: Number(epoch), pid: Number(owner.split(" ").at(-1)), at })
      }
    })
    yield* Effect.forever(Effect.zipRight(Effect.ignore(look), Effect.sleep("100 millis")))
  })

/** The addresses that a process owns. */
const ownedBy = (seen: ReadonlyArray<judge.Seen>, pid: number | undefined): ReadonlyArray<string> =>
  addresses.filter((address) => {
    const owners = seen.filter((owner) => owner.address === address).sort((a, b) => a.epoch - b.epoch)
    return owners.at(-1)?.pid === pid
  })

type Processes = readonly [ChildProcess, ...ReadonlyArray<ChildProcess>]

/** The process that owns the most addresses: what happens to it is seen. */
const busiest = (seen: ReadonlyArray<judge.Seen>, [first, ...others]: Processes): ChildProcess =>
  others.reduce(
    (most, child) => (ownedBy(seen, child.pid).length > ownedBy(seen, most.pid).length ? child : most),
    first
  )

interface Disturbed {
  readonly at: number
  readonly addresses: ReadonlyArray<string>
}

const writesIn = (file: string): ReadonlyArray<Write> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Schema.decodeUnknownSync(Schema.parseJson(Write))(line))

interface Totals {
  readonly exports: number | string
  readonly complete: number | string
  readonly failing: number | string
}

const totals = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<Totals>`SELECT count(*) AS exports,
    sum(CASE WHEN coverage LIKE '%"complete"%' THEN 1 ELSE 0 END) AS complete,
    sum(CASE WHEN attempts > 0 OR state = 'stopped' THEN 1 ELSE 0 END) AS failing FROM venue_fleet_exports`
  return { exports: Number(row?.exports), complete: Number(row?.complete), failing: Number(row?.failing) }
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

/** How many rows the sandboxes have, and the accounts whose rows in Postgres are not those. */
const compared = (exchanges: ReadonlyArray<world.Exchange>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const found = new Map<string, Array<string>>()
    const rows = yield* sql<{ readonly name: string; readonly id: string }>`SELECT venue_export AS name,
      "execId" AS id FROM venue_executions`
    for (const { id, name } of rows) found.set(name, [...(found.get(name) ?? []), id])
    const expected = yield* Effect.forEach(exchanges, ({ executions }) => executions)
    const sorted = (ids: ReadonlyArray<string>) => [...ids].sort().join(" ")
    const accounts = expected.flatMap((executions) => [...executions])
    return {
      rows: accounts.reduce((sum, [, ids]) => sum + ids.length, 0),
      differing: accounts
        .filter(([name, ids]) => sorted(found.get(`${name}/executions-linear`) ?? []) !== sorted(ids))
        .map(([name]) => name)
    }
  })

const idle = (exchanges: ReadonlyArray<world.Exchange>, { addresses, at }: Disturbed) =>
  Effect.map(
    Effect.forEach(
      exchanges.filter(({ address }) => addresses.includes(address)),
      ({ log }) =>
        Effect.map(log, (entries) =>
          judge.longestGap(
            entries.map(({ at }) => at),
            at,
            at + 40_000
          )
        )
    ),
    (gaps) => Math.max(0, ...gaps)
  )

const measured = (options: Options) =>
  Effect.gen(function* () {
    const out = yield* folder
    const postgres = yield* postgresServer.make
    const perAddress = Math.ceil(options.accounts / addresses.length)
    const exchanges = yield* Effect.forEach(addresses, (address) => world.make(address, perAddress))
    const begun = yield* Clock.currentTimeMillis
    const files = { accounts: join(out, "accounts.json"), writes: join(out, "writes.ndjson") }
    writeFileSync(files.accounts, JSON.stringify(exchanges.flatMap(({ accounts }) => accounts)))
    writeFileSync(files.writes, "")

    const member = Effect.flatMap(processes.freePort, (port) => {
      const order: Order = {
        ...{ ...files, postgres: postgres.url, port, addresses },
        ...{ from: begun - options.days * day, every: options.every }
      }
      return processes.started(new URL("./internal/fleetCluster/member.ts", import.meta.url), order)
    })

    const seen: Array<judge.Seen> = []
    const disturb = (child: ChildProcess, signal: NodeJS.Signals) =>
      Effect.map(Clock.currentTimeMillis, (at): Disturbed => {
        const disturbed = { at, addresses: ownedBy(seen, child.pid) }
        child.kill(signal)
        return disturbed
      })

    /** Which addresses fall to a process follows from its port: one that has none ends, and another one joins. */
    const joining = (attempts: number): Effect.Effect<ChildProcess, never, Scope.Scope> =>
      Effect.gen(function* () {
        const child = yield* member
        yield* Effect.sleep("25 seconds")
        if (attempts <= 1 || ownedBy(seen, child.pid).length > 0) return child
        child.kill("SIGTERM")
        return yield* joining(attempts - 1)
      })

    return yield* Effect.gen(function* () {
      yield* Effect.forkScoped(watching(seen))
      const trades = Effect.forEach(exchanges, ({ trade }) => trade, { discard: true })
      const trading = yield* Effect.forkScoped(Effect.forever(Effect.zipRight(trades, Effect.sleep("1 second"))))
      const first = yield* member
      const second = yield* member
      yield* Effect.sleep("40 seconds")
      const joined = yield* joining(4)
      const ownedByJoined = ownedBy(seen, joined.pid).length
      const all: Processes = [first, second, joined]
      const killed = busiest(seen, all)
      const kill = yield* disturb(killed, "SIGKILL")
      yield* Effect.sleep("40 seconds")
      const [survivor = killed, ...others] = all.filter((child) => child !== killed)
      const survivors: Processes = [survivor, ...others]
      const frozen = busiest(seen, survivors)
      const freeze = yield* disturb(frozen, "SIGSTOP")
      yield* Effect.sleep("40 seconds")
      frozen.kill("SIGCONT")
      yield* Effect.sleep("30 seconds")
      yield* postgres.stop
      yield* Effect.sleep("3 seconds")
      yield* postgres.start
      const restart = { at: yield* Clock.currentTimeMillis, addresses }
      yield* Effect.sleep("30 seconds")
      yield* Fiber.interrupt(trading)
      const behind = yield* covering(yield* Clock.currentTimeMillis)
      const { differing, rows } = yield* compared(exchanges)
      const ended = { ...(yield* Effect.retry(totals, { times: 20 })) }
      const living = survivors.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      for (const child of survivors) child.kill("SIGKILL")

      const nameOf = (child: ChildProcess) =>
        child === killed ? "killed" : child === frozen ? "frozen" : child === joined ? "joined" : "undisturbed"
      const names = new Map(all.map((child) => [child.pid, nameOf(child)]))
      const at = (instant: number) => ((instant - begun) / 1000).toFixed(1)
      const owners = seen.map(
        (owner) => `${at(owner.at)} ${owner.address} ${owner.epoch} ${names.get(owner.pid) ?? ""}`
      )
      const disturbances = `killed ${at(kill.at)}, frozen ${at(freeze.at)}, restarted ${at(restart.at)}`
      yield* Console.error([disturbances, ...owners].join("\n"))
      const arrivals = yield* Effect.forEach(exchanges, ({ log }) => log)
      const trespasses = judge.trespassesOf(writesIn(files.writes), seen)
      return {
        ...ended,
        behind,
        rows,
        differing: differing.length,
        calls: arrivals.reduce((sum, entries) => sum + entries.length, 0),
        refused: arrivals.flat().filter(({ executed }) => !executed).length,
        fullest: Math.max(
          ...arrivals.map((entries) =>
            judge.mostWithin(
              entries.map(({ at }) => at),
              limit.window
            )
          )
        ),
        ownerships: seen.length,
        ownedByJoined,
        ownedByKilled: kill.addresses.length,
        ownedByFrozen: freeze.addresses.length,
        trespasses: trespasses.length,
        idleAfterKill: yield* idle(exchanges, kill),
        idleAfterFreeze: yield* idle(exchanges, freeze),
        idleAfterRestart: yield* idle(exchanges, restart),
        living: living.length
      }
    }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(postgres.url) })))
  }).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  const read = Arguments.read(process.argv.slice(2), { accounts: 500, days: 200, every: 30 })
  if (read._tag === "Left") {
    yield* Console.error(`fleet-cluster: ${read.left}`)
    return 2
  }
  const report = yield* measured(read.right)
  const isComplete = report.complete === report.exports && report.failing === 0 && report.behind === 0
  const isExact = report.rows > 0 && report.differing === 0
  const isDisturbed = [report.ownedByJoined, report.ownedByKilled, report.ownedByFrozen].every((count) => count > 0)
  const isAlone = report.refused === 0 && report.trespasses === 0 && report.fullest <= limit.calls
  const isQuick = report.idleAfterKill <= 25_000 && report.idleAfterFreeze <= 30_000
  const ok = isComplete && isExact && isDisturbed && isAlone && isQuick && report.living === 2
  yield* Console.log(JSON.stringify({ run: "fleet-cluster", ok, ...report }))
  return ok ? 0 : 1
})

NodeRuntime.runMain(program, {
  teardown: (exit, onExit) => {
    onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : 1)
  }
})
