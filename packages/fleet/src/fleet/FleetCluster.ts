/**
 * A fleet on several machines: the processes share a ledger in Postgres, and each egress address is owned by one of them at a time.
 * `@effect/cluster` chooses the process, and starts the owner on another one when that process ends, dies or hangs.
 *
 * Every process declares the same accounts and the same addresses, can send from each of them, and exports into shared storage.
 *
 * An owner has a lease: every few seconds it confirms in the ledger that its epoch is the latest, and it makes no call if the last confirmation is
 * older than 9 seconds. That is shorter than the time after which the cluster assigns the address to another process, so a frozen process makes no
 * call when it wakes. The next owner first waits for one window.
 */
import type * as RunnerAddress from "@effect/cluster/RunnerAddress"
import type { Sharding } from "@effect/cluster/Sharding"
import type { ShardingConfig } from "@effect/cluster/ShardingConfig"
import * as Singleton from "@effect/cluster/Singleton"
import type * as Egress from "@effect-venue/transport/Egress"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Refusal } from "../accounts/Accounts.js"
import type { CredentialSource } from "../accounts/CredentialSource.js"
import * as Fleet from "./Fleet.js"
import * as Declared from "../accounts/declared.js"
import * as LedgerGauges from "../owner/gauges.js"
import * as Idle from "../ledger/idle.js"
import * as Lease from "../ledger/lease.js"
import { Ledger, type LedgerFailed } from "../ledger/Ledger.js"
import * as Owner from "../owner/Owner.js"
import * as Status from "../owner/Status.js"

/**
 * As for a fleet of one process. With `untilIdle`, `ended` ends when no export of the whole ledger is due or running in any process: each
 * process then ends by itself.
 */
export interface Options<R, SinkR> extends Fleet.Options<R, SinkR> {}

const shardGroup = "egress"

const shardLockExpiration = Duration.seconds(12)

/** How long an owner makes calls after the ledger has confirmed its ownership. */
const leaseFor = Duration.seconds(9)

/**
 * The configuration of the cluster for `NodeClusterSocket.layer({ storage: "sql", shardingConfig })`: an address has another owner within 25 seconds
 * after its process has died. `runner` is the address of this process for the others.
 *
 * Locks are rows and not advisory locks: a process that hangs keeps its connection, and so its advisory locks, for good.
 */
export const shardingConfig = (runner: RunnerAddress.RunnerAddress): Partial<ShardingConfig["Type"]> => ({
  runnerAddress: Option.some(runner),
  availableShardGroups: ["default", shardGroup],
  assignedShardGroups: ["default", shardGroup],
  shardLockExpiration,
  shardLockRefreshInterval: Duration.seconds(4),
  shardLockDisableAdvisory: true,
  refreshAssignmentsInterval: Duration.seconds(1),
  runnerHealthCheckInterval: Duration.seconds(3),
  entityMessagePollInterval: Duration.seconds(1)
})

/**
 * Owns an address as long as the cluster runs its singleton here. A lost ownership is claimed again after a pause, in which the cluster ends
 * this singleton if another process has it.
 */
const owning = <R, SinkR>(
  options: Options<R, SinkR>,
  { find }: Declared.Declared,
  owner: string,
  egress: Egress.Egress<never, R>
): Effect.Effect<never, never, R | SinkR | Ledger | CredentialSource> => {
  const owned = Effect.gen(function* () {
    const ledger = yield* Ledger
    const { lease, ownership } = yield* Lease.make(ledger, egress.name, owner, leaseFor)
    yield* Effect.logInfo(`owns ${egress.name} in epoch ${ownership.epoch}`)
    const { accountsAtOnce, pollEvery, sink } = options
    yield* Owner.run({ egress, ownership, lease, find, sink, accountsAtOnce, pollEvery })
  }).pipe(Effect.scoped)
  return owned.pipe(
    Effect.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : Effect.logWarning("the ownership has ended", cause)
    ),
    Effect.zipRight(Effect.sleep(shardLockExpiration)),
    Effect.forever,
    Effect.orDie,
    Effect.annotateLogs("egress", egress.name)
  )
}

/** A fleet whose addresses are owned by the processes of a cluster, over a ledger in the Postgres that they share. */
export const layer = <R, SinkR>(
  options: Options<R, SinkR>
): Layer.Layer<Fleet.Fleet, Refusal | LedgerFailed, R | SinkR | Ledger | CredentialSource | Sharding> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { accounts, egresses, rebalance = false } = options
      const ledger = yield* Ledger
      const declared = yield* Declared.make(egresses.map(({ name }) => name))
      yield* declared.declare(accounts, rebalance)
      const owner = yield* Declared.self
      const fleet: Fleet.Fleet.Shape = {
        declare: (accounts) => declared.declare(accounts, false),
        setPaused: ledger.setPaused,
        status: Status.current(ledger),
        ended: options.untilIdle === true ? Idle.awaitIdle(ledger, options.pollEvery) : Effect.never
      }
      const singletons = egresses.map((egress) =>
        Singleton.make(`egress/${egress.name}`, owning(options, declared, owner, egress), { shardGroup })
      )
      const gauges = Layer.scopedDiscard(LedgerGauges.register(ledger))
      return Layer.mergeAll(Layer.succeed(Fleet.Fleet, fleet), gauges, ...singletons)
    })
  )
