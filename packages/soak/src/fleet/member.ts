/** One process of a fleet on several machines. */
import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import * as FleetCluster from "@effect-venue/fleet/FleetCluster"
import * as SqlLedger from "@effect-venue/fleet/SqlLedger"
import type * as Owner from "@effect-venue/fleet/siblings/Owner"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Egress from "@effect-venue/transport/Egress"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { appendFileSync, readFileSync } from "node:fs"
import { Account, Order, type Write } from "./Order.js"

const order = Schema.decodeUnknownSync(Schema.parseJson(Order))(process.argv[2])

const accounts = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Account)))(readFileSync(order.accounts, "utf8"))

const byName = new Map(accounts.map((account) => [account.name, account]))

const declared = accounts.map(({ baseUrl, egress, name, uid }): FleetAccount => ({
  name,
  masterUid: uid,
  uid: Option.some(uid),
  baseUrl,
  egress,
  datasets: ["executions"],
  categories: ["linear"],
  from: order.from,
  to: Option.none(),
  every: Duration.seconds(order.every),
  isPaused: false
}))

const credentials = CredentialSource.layer(({ name }) => {
  const account = byName.get(name)
  return account === undefined
    ? Effect.dieMessage(`there is no account ${name}`)
    : Effect.succeed(
        Credentials.make({
          baseUrl: account.baseUrl,
          apiKey: account.apiKey,
          apiSecret: Redacted.make(account.apiSecret),
          uid: account.uid
        })
      )
})

/** Notes when a write that was accepted began. */
const noteWrite = <A, E, R>(call: string, address: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const begunAt = yield* Clock.currentTimeMillis
    const result = yield* write
    const line: Write = { pid: process.pid, call, address, begunAt }
    appendFileSync(order.writes, `${JSON.stringify(line)}\n`)
    return result
  })

const sink: Owner.SinkOf<SqlClient.SqlClient> = ({ egress, name }, part, fence) => {
  const call = `${name}/${part}`
  const tables = SqlSink.make({ name: call, fence })
  return {
    ...tables,
    open: (parts, options) =>
      Effect.map(tables.open(parts, options), (store) => ({
        ...store,
        begin: (checkpoint) => noteWrite(call, egress, store.begin(checkpoint)),
        append: (rows) => noteWrite(call, egress, store.append(rows)),
        publish: (manifest) => noteWrite(call, egress, store.publish(manifest))
      }))
  }
}

const egressOf = (address: string) => Egress.make(address, NodeConnections.layerAddress(address))

const [first, ...rest] = order.addresses

const fleet = FleetCluster.layer({
  accounts: declared,
  egresses: [egressOf(first), ...rest.map(egressOf)],
  sink
})

const cluster = NodeClusterSocket.layer({
  storage: "sql",
  shardingConfig: FleetCluster.shardingConfig(RunnerAddress.make("127.0.0.1", order.port))
})

const main = fleet.pipe(
  Layer.provide(cluster),
  Layer.provide([SqlLedger.layer(), credentials, NodeContext.layer]),
  Layer.provide(PgClient.layer({ url: Redacted.make(order.postgres), maxConnections: 20 }))
)

NodeRuntime.runMain(Layer.launch(main))
