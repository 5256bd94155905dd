/**
 * Writes that are killed: a process that sends orders, batches and transfers over sockets with a journal, SIGKILL at random instants while answers are
 * late or lost, and this process, which reconciles. The exchange's state judges what the journal reports of each write.
 */
import type * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Venue from "@effect-venue/services/Venue"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Chunk from "effect/Chunk"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Dice from "./shared/Dice.js"
import * as Exchange from "./shared/Exchange.js"
import * as Processes from "./shared/Processes.js"
import type * as Workload from "./shared/Workload.js"
import * as Records from "./writes/Records.js"
import * as Work from "./writes/Work.js"

export interface Options {
  /** How many processes are killed. */
  readonly runs: number
  readonly seed: number
  /** Changes the folder of the journal after each kill, for a test that must fail. */
  readonly meddle?: (folder: string) => void
}

// The exchange takes 500 open orders of a symbol: enough for 100 runs.
const wishesPerRun = 6

/** Processes that are left alone, one after the other, until every wish is fulfilled: answers are lost of theirs too. */
const mostLast = 12

/** Longer than a late request takes to be executed. */
const listedWithin = Duration.millis(500)

const orders = ["orders.create", "orders.createBatch"] as const

const faults: Sandbox.Options["faults"] = {
  rules: [
    { fault: { kind: "dropAfter" }, operations: [...orders, "assets.transfer"], probability: 0.1 },
    { fault: { kind: "dropBefore" }, operations: orders, probability: 0.1 },
    ...[[150, "atOnce", 0.4] as const, [250, "afterwards", 0.7] as const].map(([millis, executed, probability]) => ({
      fault: { kind: "delay" as const, millis, executed },
      operations: [...orders, "assets.transfer" as const],
      probability
    }))
  ]
}

type Verdict = "yes" | "no" | "repeat"

type Resolved = ReadonlyArray<OpenWrites.Closed | OpenWrites.StillOpen>

/** What is known of the wishes: orders and transfers, each to be executed once. */
interface Books {
  /** How often each wish was tried. An order has another id in each try; a transfer keeps its id, which the service honours once. */
  readonly tries: Map<number, number>
  readonly fulfilled: Map<number, string>
  readonly verdicts: Map<string, Verdict>
  readonly problems: Array<string>
  readonly figures: Record<
    "kills" | "writes" | "open" | "inFlight" | "foundExecuted" | "foundNotExecuted" | "repeated",
    number
  >
}

const isTransfer = (wish: number): boolean => wish % 4 === 3

/** What the journal reports of each id after the reconciliation. */
const verdictsOf = (records: ReadonlyMap<string, Records.Record>, resolved: Resolved, problems: Array<string>) => {
  const verdicts = new Map<string, Verdict>()
  const closed = new Map(resolved.map((item) => [item.entry.intent.id, item]))
  for (const [entry, { ids, operation, outcome }] of records) {
    const item = closed.get(entry)
    if (outcome !== undefined && outcome._tag !== "Unknown") {
      if (item !== undefined) problems.push(`${operation} ${entry} was closed by its answer, and is reconciled again`)
      ids.forEach((id, index) => {
        verdicts.set(id, outcome._tag === "Done" && (outcome.codes?.[index] ?? 0) === 0 ? "yes" : "no")
      })
    } else if (item?._tag !== "Closed") {
      problems.push(`${operation} ${entry} is ${item === undefined ? "not reconciled" : "still open"}`)
    } else {
      ids.forEach((id, index) => {
        const executed = item.parts[index]?.executed
        if (executed === "yes" || executed === "no") verdicts.set(id, executed)
        else if (item.mayRepeat) verdicts.set(id, "repeat")
        else problems.push(`${operation} ${id} is ${executed ?? "not judged"}: ${item.reason}`)
      })
    }
  }
  return verdicts
}

/** How often the exchange has executed each id. */
const executedIn = (sandbox: Sandbox.Sandbox.Shape) =>
  Effect.map(sandbox.snapshot, (state) => {
    const counts = new Map<string, number>()
    const count = (id: string) => counts.set(id, (counts.get(id) ?? 0) + 1)
    const account = state.accounts.get(sandbox.uids.main)
    for (const { orderLinkId } of [...(account?.openOrders ?? []), ...(account?.closedOrders ?? [])]) {
      Option.map(orderLinkId, count)
    }
    for (const { transferId } of account?.transfers ?? []) count(transferId)
    return counts
  })

/** The wishes as writes: orders singly and in batches of three, and transfers. */
const writesOf = (ids: ReadonlyMap<number, string>): ReadonlyArray<Work.Write> => {
  const all = [...ids]
  const placed = all.flatMap(([wish, id]) => (isTransfer(wish) ? [] : [id]))
  const batched = placed.filter((_, index) => index % 2 === 1)
  return [
    ...placed.filter((_, index) => index % 2 === 0).map((id): Work.Write => ({ kind: "order", ids: [id] })),
    ...batched.flatMap((_, index): ReadonlyArray<Work.Write> =>
      index % 3 === 0 ? [{ kind: "batch", ids: batched.slice(index, index + 3) }] : []
    ),
    ...all.flatMap(([wish, id]): ReadonlyArray<Work.Write> =>
      isTransfer(wish) ? [{ kind: "transfer", ids: [id] }] : []
    )
  ]
}

/** Reconciles what a process left open. */
const reconciled = (folder: string, env: Readonly<Record<string, string>>): Effect.Effect<Resolved> =>
  Effect.map(Stream.runCollect(OpenWrites.reconcile({ listedWithin, concurrency: 16 })), Chunk.toReadonlyArray).pipe(
    Effect.provide(
      Venue.layerConfig.pipe(
        Layer.provideMerge(FileWriteJournal.layer({ folder, compactAt: 1e9 })),
        Layer.provide([NodeConnections.layer, NodeContext.layer])
      )
    ),
    Effect.provideService(Limits.Limits, Limits.none),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)))),
    Effect.orDie
  )

/** Compares the verdicts on the ids of a run with what the exchange has executed, and notes what is to be tried again. */
const judge = (
  books: Books,
  run: number,
  ids: ReadonlyMap<number, string>,
  found: ReadonlyMap<string, Verdict>,
  executed: ReadonlyMap<string, number>
) => {
  for (const [wish, id] of ids) {
    const verdict = found.get(id) ?? "no"
    const times = executed.get(id) ?? 0
    books.verdicts.set(id, verdict)
    if (verdict === "yes") books.fulfilled.set(wish, id)
    else if (!isTransfer(wish)) books.tries.set(wish, (books.tries.get(wish) ?? 0) + 1)
    else if (verdict === "repeat") books.figures.repeated++
    if (verdict === "yes" ? times !== 1 : verdict === "no" && times !== 0) {
      books.problems.push(`run ${run}: the journal reports ${verdict} of ${id}, which was executed ${times} times`)
    }
  }
}

/** Every wish is fulfilled once, and nothing was executed that no journal has or that was reported as not executed. */
const judgeAll = ({ problems, tries, verdicts }: Books, executed: ReadonlyMap<string, number>) => {
  const perWish = new Map<number, number>()
  for (const [id, times] of executed) {
    if (!id.startsWith(Work.prefix)) continue
    if (!verdicts.has(id)) problems.push(`${id} was executed, and no journal has it`)
    if (verdicts.get(id) === "no") problems.push(`${id} was executed after it was reported as not executed`)
    perWish.set(Work.wishOf(id), (perWish.get(Work.wishOf(id)) ?? 0) + times)
  }
  for (const wish of tries.keys()) {
    const times = perWish.get(wish) ?? 0
    if (times !== 1) problems.push(`wish ${wish} was fulfilled ${times} times`)
  }
}

const count = ({ figures }: Books, records: ReadonlyMap<string, Records.Record>, resolved: Resolved) => {
  figures.open += resolved.length
  figures.inFlight += resolved.filter(({ entry }) => entry.outcome === undefined).length
  figures.writes += [...records.values()].reduce((sum, record) => sum + record.ids.length, 0)
  const parts = resolved.flatMap((item) => (item._tag === "Closed" ? item.parts : []))
  figures.foundExecuted += parts.filter(({ executed }) => executed === "yes").length
  figures.foundNotExecuted += parts.filter(({ executed }) => executed === "no").length
}

export const killWrites = ({ meddle, runs, seed }: Options) =>
  Effect.gen(function* () {
    const dice = Dice.make(seed)
    const home = yield* Processes.temporaryFolder
    const [folder, workFile] = [path.join(home, "journal"), path.join(home, "work.json")]
    const exchange = yield* Exchange.make({ seed, faults }, ({ method }) => method === "POST")
    const env = { ...exchange.env, VENUE_RECV_WINDOW: "600" }
    const writer = [...Processes.typescript(new URL("./writes/writer.ts", import.meta.url)), folder, workFile]
    const figures = { kills: 0, writes: 0, open: 0, inFlight: 0, foundExecuted: 0, foundNotExecuted: 0, repeated: 0 }
    const books: Books = { tries: new Map(), fulfilled: new Map(), verdicts: new Map(), problems: [], figures }

    for (let run = 0; run < runs + mostLast; run++) {
      // The last processes are left alone, and have no new wishes.
      const isLast = run >= runs
      for (let more = 0; more < wishesPerRun && !isLast; more++) books.tries.set(books.tries.size, 0)
      const ids = new Map<number, string>()
      for (const [wish, tries] of books.tries) if (!books.fulfilled.has(wish)) ids.set(wish, Work.idOf(wish, tries))
      if (isLast && ids.size === 0) break
      fs.writeFileSync(workFile, JSON.stringify(writesOf(ids)))
      yield* exchange.restart
      const killed = Effect.zipRight(exchange.reached(1 + dice.roll(5)), Effect.sleep(Duration.millis(dice.roll(200))))
      const ended = yield* Processes.run(writer, { cwd: home, env, doom: isLast ? Effect.never : killed })
      if (ended.isKilled) figures.kills++
      else if (ended.code !== 0) return yield* Effect.dieMessage(`the program failed: ${ended.err}`)
      meddle?.(folder)
      const records = Records.read(folder)
      const resolved = yield* reconciled(folder, env)
      count(books, records, resolved)
      const found = verdictsOf(records, resolved, books.problems)
      judge(books, run, ids, found, yield* executedIn(exchange.sandbox))
      // Each process has a journal without the closed entries of the one before, so that all of them are counted once.
      fs.rmSync(folder, { recursive: true, force: true })
    }
    judgeAll(books, yield* executedIn(exchange.sandbox))
    return { problems: books.problems, figures: { wishes: books.tries.size, ...figures } }
  })

export const workload: Workload.Workload = {
  title: "writes with a journal that are killed between sending and answer",
  defaults: { runs: 20, seed: 1 },
  run: (option) => killWrites({ runs: option("runs"), seed: option("seed") })
}
