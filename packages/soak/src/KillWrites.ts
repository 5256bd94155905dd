/**
 * Writes that are killed: a process that sends orders, batches and transfers over sockets with a journal, SIGKILL at random instants while
 * answers are late or lost, and another process that reconciles. The exchange's own state judges what the journal says of each write.
 *
 * @since 0.1.0
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Venue from "@effect-venue/services/Venue"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Chunk from "effect/Chunk"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Dice from "./internal/dice.js"
import * as Child from "./internal/kill/child.js"
import * as Records from "./internal/killWrites/records.js"
import * as Work from "./internal/killWrites/work.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How many processes are killed. */
  readonly runs: number
  readonly seed: number
  /** What is done to the folder of the journal after each kill, for a test that must fail. */
  readonly meddle?: ((folder: string) => void) | undefined
}

/**
 * The figures of a run. `writes`: those that left a process, parts of batches counted singly. `open`: those that a killed process left without an
 * outcome, or with an unknown one. `violations`: writes that the journal and the exchange disagree about, and wishes that were fulfilled twice or
 * not at all.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly seed: number
  readonly kills: number
  readonly wishes: number
  readonly writes: number
  readonly open: number
  /** Those of them without an outcome: the process was killed between sending and recording the answer. */
  readonly inFlight: number
  readonly foundExecuted: number
  readonly foundNotExecuted: number
  readonly transfersRepeated: number
  readonly violations: number
  readonly examples: ReadonlyArray<string>
}

const writer = fileURLToPath(new URL("internal/killWrites/writer.ts", import.meta.url))
const home = fileURLToPath(new URL("..", import.meta.url))

// The exchange takes 500 open orders of a symbol: enough for 100 runs.
const wishesPerRun = 6

/** Processes that are left alone, one after the other, until every wish is fulfilled: answers are lost of theirs too. */
const mostLast = 12

const recvWindow = Duration.millis(600)

/** Longer than a late request takes to be executed. */
const listedWithin = Duration.millis(500)

const faults: Sandbox.Options["faults"] = {
  rules: [
    {
      fault: { kind: "dropAfter" },
      operations: ["orders.create", "orders.createBatch", "assets.transfer"],
      probability: 0.1
    },
    { fault: { kind: "dropBefore" }, operations: ["orders.create", "orders.createBatch"], probability: 0.1 },
    {
      fault: { kind: "delay", millis: 150, executed: "atOnce" },
      operations: ["orders.create", "orders.createBatch", "assets.transfer"],
      probability: 0.4
    },
    {
      fault: { kind: "delay", millis: 250, executed: "afterwards" },
      operations: ["orders.create", "orders.createBatch", "assets.transfer"],
      probability: 0.7
    }
  ]
}

type Verdict = "yes" | "no" | "repeat"

/** What the journal says of each id after the reconciliation. */
const verdictsOf = (
  records: ReadonlyMap<string, Records.Record>,
  resolved: ReadonlyArray<OpenWrites.Closed | OpenWrites.StillOpen>
): { readonly verdicts: ReadonlyMap<string, Verdict>; readonly problems: ReadonlyArray<string> } => {
  const verdicts = new Map<string, Verdict>()
  const problems: Array<string> = []
  const closed = new Map(resolved.map((item) => [item.entry.intent.id, item]))
  for (const [entry, { ids, operation, outcome }] of records) {
    const item = closed.get(entry)
    if (outcome !== undefined && outcome._tag !== "Unknown") {
      if (item !== undefined) problems.push(`${operation} ${entry} was closed by its answer, and is reconciled again`)
      ids.forEach((id, index) => {
        const isDone = outcome._tag === "Done" && (outcome.codes?.[index] ?? 0) === 0
        verdicts.set(id, isDone ? "yes" : "no")
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
  return { verdicts, problems }
}

/** What the exchange has executed under each id. */
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

/** The wishes as writes: orders singly and in batches, and transfers. */
const workOf = (ids: ReadonlyMap<number, string>): ReadonlyArray<Work.Write> => {
  const all = [...ids]
  const transfers = all.filter(([wish]) => wish % 4 === 3)
  const orders = all.filter(([wish]) => wish % 4 !== 3).map(([, id]) => id)
  const batches = orders.filter((_, index) => index % 2 === 1)
  return [
    ...orders.filter((_, index) => index % 2 === 0).map((id): Work.Write => ({ kind: "order", ids: [id] })),
    ...batches.flatMap((_, index): ReadonlyArray<Work.Write> =>
      index % 3 === 0 ? [{ kind: "batch", ids: batches.slice(index, index + 3) }] : []
    ),
    ...transfers.map(([, id]): Work.Write => ({ kind: "transfer", ids: [id] }))
  ]
}

/**
 * @since 0.1.0
 * @category running
 */
export const killWrites = ({ meddle, runs, seed }: Options): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const dice = Dice.make(seed)
    const own = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "venue-kill-writes-"))),
      (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
    )
    const [folder, workFile] = [path.join(own, "journal"), path.join(own, "work.json")]
    const sandbox = yield* Sandbox.make({ seed, limits: "off", prices: "still", faults })
    let onWrite: Effect.Effect<void> = Effect.void
    const listened: Sandbox.Sandbox.Shape = {
      ...sandbox,
      handle: (request) =>
        Effect.zipRight(
          request.method === "POST" ? Effect.suspend(() => onWrite) : Effect.void,
          sandbox.handle(request)
        )
    }
    const server = yield* Effect.orDie(Effect.provideService(Server.serve(), Sandbox.Sandbox, listened))
    const { apiKey, apiSecret, baseUrl } = server.credentials.main
    const env = {
      VENUE_BASE_URL: baseUrl,
      VENUE_API_KEY: Redacted.value(apiKey),
      VENUE_API_SECRET: Redacted.value(apiSecret),
      VENUE_RECV_WINDOW: String(Duration.toMillis(recvWindow))
    }

    const reconciled = Effect.map(
      Stream.runCollect(OpenWrites.reconcile({ listedWithin, concurrency: 16 })),
      Chunk.toReadonlyArray
    ).pipe(
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

    /** One process; it is killed so long after its n-th write has arrived, or when it is done. */
    const attempt = (kill: { readonly after: number; readonly millis: number } | undefined) =>
      Effect.gen(function* () {
        let arrived = 0
        const reached = yield* Deferred.make<void>()
        onWrite = Effect.suspend(() =>
          ++arrived === kill?.after ? Effect.asVoid(Deferred.succeed(reached, undefined)) : Effect.void
        )
        const doom =
          kill === undefined
            ? Effect.never
            : Effect.zipRight(Deferred.await(reached), Effect.sleep(Duration.millis(kill.millis)))
        return yield* Child.run("--import", ["tsx", writer, folder, workFile], { cwd: home, env, doom })
      })

    const attempts = new Map<number, number>()
    const fulfilled = new Map<number, string>()
    const verdicts = new Map<string, Verdict>()
    const problems: Array<string> = []
    let [kills, open, inFlight, writes, foundExecuted, foundNotExecuted, transfersRepeated] = [0, 0, 0, 0, 0, 0, 0]
    let next = 0

    for (let run = 0; run < runs + mostLast; run++) {
      // The last processes are left alone, and have no new wishes.
      const isLast = run >= runs
      for (let more = 0; more < wishesPerRun && !isLast; more++) attempts.set(next++, 0)
      const ids = new Map<number, string>()
      for (const [wish, tries] of attempts) if (!fulfilled.has(wish)) ids.set(wish, Work.idOf(wish, tries))
      if (isLast && ids.size === 0) break
      fs.writeFileSync(workFile, JSON.stringify(workOf(ids)))
      const ended = yield* attempt(isLast ? undefined : { after: 1 + dice.roll(5), millis: dice.roll(200) })
      if (ended.isKilled) kills++
      else if (ended.code !== 0) return yield* Effect.dieMessage(`the program failed: ${ended.err}`)
      meddle?.(folder)
      const records = Records.read(folder)
      const resolved = yield* reconciled
      const found = verdictsOf(records, resolved)
      problems.push(...found.problems)
      open += resolved.length
      inFlight += resolved.filter(({ entry }) => entry.outcome === undefined).length
      writes += [...records.values()].reduce((sum, record) => sum + record.ids.length, 0)
      const executed = yield* executedIn(sandbox)
      for (const [wish, id] of ids) {
        const verdict = found.verdicts.get(id) ?? "no"
        verdicts.set(id, verdict)
        const times = executed.get(id) ?? 0
        if (verdict === "yes") fulfilled.set(wish, id)
        // A transfer keeps its id: sent again it is executed once.
        else if (wish % 4 !== 3) attempts.set(wish, (attempts.get(wish) ?? 0) + 1)
        else if (verdict === "repeat") transfersRepeated++
        if (verdict === "yes" ? times !== 1 : verdict === "no" && times !== 0) {
          problems.push(`run ${run}: the journal says ${verdict} of ${id}, which was executed ${times} times`)
        }
      }
      for (const item of resolved) {
        if (item._tag !== "Closed") continue
        foundExecuted += item.parts.filter(({ executed }) => executed === "yes").length
        foundNotExecuted += item.parts.filter(({ executed }) => executed === "no").length
      }
      // Each process has a journal without the closed entries of the one before, so that all of them are counted once.
      fs.rmSync(folder, { recursive: true, force: true })
    }

    const executed = yield* executedIn(sandbox)
    const perWish = new Map<number, number>()
    for (const [id, times] of executed) {
      if (!id.startsWith("00000000-0000-4000-8000-")) continue
      if (!verdicts.has(id)) problems.push(`${id} was executed, and no journal has it`)
      if (verdicts.get(id) === "no") problems.push(`${id} was executed after it was called not executed`)
      perWish.set(Work.wishOf(id), (perWish.get(Work.wishOf(id)) ?? 0) + times)
    }
    for (const wish of attempts.keys()) {
      const times = perWish.get(wish) ?? 0
      if (times !== 1) problems.push(`wish ${wish} was fulfilled ${times} times`)
    }
    return {
      seed,
      kills,
      wishes: attempts.size,
      writes,
      open,
      inFlight,
      foundExecuted,
      foundNotExecuted,
      transfersRepeated,
      violations: problems.length,
      examples: problems.slice(0, 10)
    }
  }).pipe(Effect.scoped)
