/**
 * A fleet in a separate process, started by `fleet.ts`, with a ledger in a file: it exports many accounts from one address until some are
 * done, and then reports the duration and the heap after garbage collection.
 */
import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import * as FileLedger from "@effect-venue/fleet/FileLedger"
import * as Fleet from "@effect-venue/fleet/Fleet"
import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import * as Sink from "@effect-venue/history/Sink"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Egress from "@effect-venue/transport/Egress"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { heapUsed } from "../measure/cost.js"

const [baseUrl = "", folder = "", count = "0", enough = "0", from = "", to = "", limits = ""] = process.argv.slice(2)

const accountOf = (_: unknown, index: number): FleetAccount => ({
  name: `account-${index}`,
  masterUid: String(10_000_000 + index),
  uid: Option.none(),
  baseUrl,
  egress: "any",
  datasets: ["executions"],
  categories: ["linear"],
  from: Number(from),
  to: Option.some(Number(to)),
  every: Duration.days(1),
  isPaused: false
})

const credentials = CredentialSource.layer(({ baseUrl, name }) =>
  Effect.succeed({
    baseUrl,
    apiKey: Redacted.make(name),
    apiSecret: Redacted.make(`secret-of-${name}`),
    recvWindow: Credentials.defaultRecvWindow
  })
)

// The wait at the start occurs once and is not part of the rate.
const fleet = Fleet.layerLocal({
  accounts: Array.from({ length: Number(count) }, accountOf),
  egresses: [Egress.make("only", NodeConnections.layer, { rest: false })],
  sink: ({ name }, part) => Sink.ndjson(`${folder}/${name}/${part}`),
  untilIdle: limits === "documented"
}).pipe(Layer.provide([FileLedger.layer(`${folder}/ledger.db`), credentials]))

/** The time until all exports are done, under the limits; without limits, polls the ledger until enough of them are done. */
const run = Effect.gen(function* () {
  const started = performance.now()
  const { ended, status } = yield* Fleet.Fleet
  if (limits === "documented") yield* ended
  const seconds = (performance.now() - started) / 1000
  for (;;) {
    const { done, failing, stopped } = yield* status
    if (failing + stopped > 0) return yield* Effect.dieMessage(`${failing} exports fail, and ${stopped} are stopped`)
    if (done >= Number(enough)) break
    yield* Effect.sleep("100 millis")
  }
  return { seconds, heap: yield* heapUsed }
})

const program = run.pipe(
  Effect.provide(fleet),
  Effect.provide([NodeContext.layer, Logger.minimumLogLevel(LogLevel.Error)]),
  limits === "documented" ? (run) => run : Effect.provideService(Limits.Limits, Limits.none)
)

process.send?.(await Effect.runPromise(program))
process.disconnect()
