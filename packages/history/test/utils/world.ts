import * as Part from "@effect-venue/history/Part"
import type * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, HttpClient, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { it } from "@effect/vitest"
import { type DateTime, Duration, Effect, Layer, type Scope, TestClock, Option } from "effect"
import type { YieldWrap } from "effect/Utils"

export const today = Date.parse("2026-06-15T12:34:56.789Z")
export const day = Duration.toMillis("1 day")

export const onThatDay = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.zipRight(TestClock.setTime(today), effect)

/** A sandbox and a transport to it. */
export const exchange = (options: Sandbox.Options = {}) =>
  Transport.layerStandalone.pipe(Layer.provideMerge(Sandbox.layer({ seed: 3, ...options })))

type Exchange = Layer.Layer.Success<ReturnType<typeof exchange>>

type Body<R> = () => Generator<YieldWrap<Effect.Effect<unknown, unknown, R>>, void, never>

type Files = NodeContext.NodeContext | Scope.Scope

/** Defines a test that needs the file system. */
export const withFiles = (title: string, body: Body<Files>) => {
  it.scoped(title, () => Effect.provide(Effect.gen(body), NodeContext.layer))
}

/** Returns what defines tests on the day of the tests, with an exchange and the file system. */
export const exchanging = (options: Sandbox.Options) => (title: string, body: Body<Exchange | Files>) => {
  it.scoped(title, () =>
    Effect.gen(body).pipe(Effect.provide(exchange(options)), onThatDay, Effect.provide(NodeContext.layer))
  )
}

/** Defines a test on the day of the tests, with an exchange and the file system. */
export const onExchange = exchanging({})

/** The same, on an exchange whose prices do not move. */
export const onStillExchange = exchanging({ prices: "still" })

/** A transport of another of the sandbox's accounts. */
export const transportOf = (role: keyof Sandbox.Sandbox.Shape["credentials"]) =>
  Effect.gen(function* () {
    const { credentials } = yield* Sandbox.Sandbox
    const client = yield* HttpClient.HttpClient
    return yield* Effect.provide(
      Transport.Transport,
      Transport.layerStandalone.pipe(
        Layer.provide([
          Layer.succeed(HttpClient.HttpClient, client),
          Layer.succeed(Credentials.Credentials, credentials[role])
        ])
      )
    )
  })

export const folder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

/** All files of a folder and of those in it, by name, as text that says every byte. */
export const filesOf = (
  directory: string
): Effect.Effect<ReadonlyArray<readonly [string, string]>, unknown, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const found = (yield* fs.readDirectory(directory, { recursive: true })).toSorted()
    const isFile = (name: string) => Effect.map(fs.stat(path.join(directory, name)), ({ type }) => type === "File")
    return yield* Effect.forEach(yield* Effect.filter(found, isFile), (name) =>
      Effect.map(fs.readFile(path.join(directory, name)), (bytes) => {
        const text = Buffer.from(bytes).toString("latin1")
        // How a run went is the last that the manifest says, and differs from run to run.
        return [name, name === "manifest.json" ? text.slice(0, text.lastIndexOf('"run": {')) : text] as const
      })
    )
  })

export const linesOf = (file: string) =>
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(file)),
    (text) =>
      text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  )

/** A process unlike any other, which is dead for every process but itself. */
export const mortal = (pid: number): ProcessIdentity.Processes.Shape => ({
  self: Effect.succeed({ pid, startedAt: "", machine: "" }),
  isAlive: (id) => Effect.succeed(id.pid === pid)
})

const within =
  (from: number, to: number) =>
  (at: DateTime.Utc): boolean =>
    at.epochMillis >= from && at.epochMillis < to

/** What every dataset of the sandbox is to give, as the ids of its rows, or what they say where they have none. */
export const subjects = [
  {
    part: Part.make(Datasets.executions, { category: "linear" }),
    held: ({ executions }: Exchange.Account, from: number, to: number) =>
      executions.linear.filter(({ execTime }) => within(from, to)(execTime)).map(({ execId }) => execId)
  },
  {
    part: Part.make(Datasets.executions, { category: "spot" }),
    held: ({ executions }: Exchange.Account, from: number, to: number) =>
      executions.spot.filter(({ execTime }) => within(from, to)(execTime)).map(({ execId }) => execId)
  },
  {
    part: Part.make(Datasets.closedPnl, { category: "linear" }),
    held: ({ closedPnl }: Exchange.Account, from: number, to: number) =>
      closedPnl.linear
        .filter(({ createdTime }) => within(from, to)(createdTime))
        .map(({ createdTime, orderId }) => `${orderId} ${createdTime.epochMillis}`)
  },
  {
    part: Part.make(Datasets.orderHistory, { category: "linear" }),
    /** What the service has forgotten by the end of an export: it forgets on while it is read. */
    forgotten: ({ closedOrders, executions }: Exchange.Account, end: number) => {
      const filled = new Set(Array.from(executions.linear, ({ orderId }) => orderId))
      return closedOrders
        .filter(({ createdTime, orderId }) => !filled.has(orderId) && createdTime.epochMillis < end - 7 * day)
        .map(({ orderId }) => orderId)
    },
    held: ({ closedOrders, executions }: Exchange.Account, from: number, to: number) => {
      const filled = new Set(Array.from(executions.linear, ({ orderId }) => orderId))
      return closedOrders
        .filter(({ category, createdTime }) => category === "linear" && within(from, to)(createdTime))
        .filter(({ createdTime, orderId }) => filled.has(orderId) || createdTime.epochMillis >= today - 7 * day)
        .map(({ orderId }) => orderId)
    }
  },
  {
    part: Part.make(Datasets.preUpgradeExecutions, { category: "linear" }),
    held: ({ preUpgradeExecutions }: Exchange.Account, from: number, to: number) =>
      preUpgradeExecutions.linear.filter(({ execTime }) => within(from, to)(execTime)).map(({ execId }) => execId)
  },
  {
    part: Part.make(Datasets.preUpgradeClosedPnl, { category: "linear" }),
    held: ({ preUpgradeClosedPnl }: Exchange.Account, from: number, to: number) =>
      preUpgradeClosedPnl.linear
        .filter(({ updatedTime }) => within(from, to)(updatedTime))
        .map(({ orderId, updatedTime }) => `${orderId} ${updatedTime.epochMillis}`)
  },
  {
    part: Part.make(Datasets.deposits, {}),
    held: ({ deposits }: Exchange.Account, from: number, to: number) =>
      deposits.filter(({ createTime }) => within(from, to)(createTime)).map(({ transactionId }) => transactionId)
  },
  {
    part: Part.make(Datasets.transfers, {}),
    held: ({ transfers }: Exchange.Account, from: number, to: number) =>
      transfers.filter(({ timestamp }) => within(from, to)(timestamp)).map(({ transferId }) => transferId)
  },
  {
    part: Part.make(Datasets.subAccountTransfers, {}),
    held: ({ subAccountTransfers }: Exchange.Account, from: number, to: number) =>
      subAccountTransfers.filter(({ timestamp }) => within(from, to)(timestamp)).map(({ transferId }) => transferId)
  },
  {
    part: Part.make(Datasets.bonusUsage, {}),
    held: ({ bonusUsage }: Exchange.Account, from: number, to: number) =>
      bonusUsage
        .filter(({ time }) => within(from, to)(time))
        .map(({ symbol, time }) => `${time.epochMillis / 1000} ${Option.getOrElse(symbol, () => "")}`)
  },
  {
    part: Part.make(Datasets.brokerVolume, {}),
    held: ({ customers }: Exchange.Account) => customers.map(({ uid }) => uid)
  }
] as const

/** The identity of a row of a file, in the words of `subjects`. */
export const idOf = (dataset: string, row: Readonly<Record<string, unknown>>): string => {
  const said = (...names: ReadonlyArray<string>) =>
    names
      .map((name) => row[name])
      .map((value) => (typeof value === "string" || typeof value === "number" ? String(value) : ""))
      .join(" ")
  switch (dataset) {
    case "executions":
    case "pre-upgrade-executions":
      return said("execId")
    case "order-history":
      return said("orderId")
    case "closed-pnl":
      return said("orderId", "createdTime")
    case "pre-upgrade-closed-pnl":
      return said("orderId", "updatedTime")
    case "deposits":
      return said("transaction_id")
    case "transfers":
      return said("transferId")
    case "sub-account-transfers":
      return said("transfer_id")
    case "bonus-usage":
      return said("time", "symbol")
    default:
      return said("user_id")
  }
}
