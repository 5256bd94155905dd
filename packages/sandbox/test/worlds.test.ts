import * as Breadth from "@effect-venue/testing/Breadth"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as StateText from "@effect-venue/sandbox/State"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck, Option, TestClock } from "effect"
import * as Digest from "./utils/digest.js"
import * as Raw from "./utils/raw.js"
import { readFileSync } from "node:fs"

interface Recorded {
  readonly seed: number
  readonly now: number
  readonly digests: Readonly<Record<string, string>>
}

const recorded: ReadonlyArray<Recorded> = JSON.parse(
  readFileSync(new URL("./fixtures/world-digests.json", import.meta.url), "utf8")
)

/** The lists of records of an account, by name. */
const historyOf = (
  account: Exchange.Account
): ReadonlyArray<readonly [string, Exchange.PerCategory<unknown>["linear"]]> => [
  ["closedOrders", account.closedOrders],
  ["preUpgradeOrders", account.preUpgradeOrders],
  ...(["executions", "preUpgradeExecutions", "closedPnl", "preUpgradeClosedPnl"] as const).flatMap((field) =>
    Exchange.categories.map((category) => [`${field}.${category}`, account[field][category]] as const)
  )
]

/** Whether an account was created: a field that was not read has a getter. */
const isMade = (account: Exchange.Account): boolean =>
  Object.getOwnPropertyDescriptor(account, "wallets")?.get === undefined

const madeAccounts = (state: Exchange.State) =>
  Array.from(state.accounts.values())
    .filter(isMade)
    .map(({ uid }) => uid)

const mainOf = (state: Exchange.State) => Option.getOrThrow(Option.fromNullable(state.accounts.get(Seed.uids.main)))

const mainAccount = `accounts.${Seed.uids.main}.`

describe("worlds", () => {
  it("are as they were recorded: the small accounts of one", () => {
    const [{ digests, now, seed } = { digests: {}, now: 0, seed: 1 }] = recorded
    const small = (paths: ReadonlyArray<string>) => paths.filter((path) => !path.startsWith(mainAccount))
    const found = Digest.digests(Seed.make({ seed, now }).state, small)
    expect(Object.keys(found).length).toBeGreaterThan(20)
    expect(digests).toMatchObject(found)
  })

  for (const { digests, now, seed } of recorded) {
    it.runIf(Breadth.isLong)(`of seed ${seed} at ${now} equal the recorded one, digit for digit`, () => {
      expect(Digest.digests(Seed.make({ seed, now }).state)).toEqual(digests)
    })
  }

  it.runIf(Breadth.isLong)("have the same content for any order of access", () => {
    const [world] = recorded
    FastCheck.assert(
      FastCheck.property(FastCheck.infiniteStream(FastCheck.nat()), (draws) => {
        // Only the latest worlds are kept: the one in question is made anew.
        for (const now of [1, 2, 3]) Seed.make({ seed: 2, now })
        const shuffled = (paths: ReadonlyArray<string>) =>
          paths
            .map((path) => [draws.next().value ?? 0, path] as const)
            .sort(([one], [other]) => one - other)
            .map(([, path]) => path)
        const { now = 0, seed = 1 } = world ?? {}
        expect(Digest.digests(Seed.make({ seed, now }).state, shuffled)).toEqual(world?.digests)
      }),
      { numRuns: 2, seed: 20_260_701 }
    )
  })

  it.effect("create no records until they are read", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_001)
      const sandbox = yield* Sandbox.make({ seed: 11 })
      expect(madeAccounts(yield* sandbox.snapshot)).toEqual([])
    })
  )

  it.effect("create only the account that is read", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_002)
      const sandbox = yield* Sandbox.make({ seed: 11 })
      const read = (path: string, parameters: Readonly<Record<string, unknown>>) =>
        Effect.map(Effect.provideService(Raw.call(path, parameters), Sandbox.Sandbox, sandbox), ({ code }) => code)
      expect(yield* read("/cloud/trade/v3/account/wallet-balance", { accountType: "UNIFIED" })).toBe(0)
      expect(yield* read("/cloud/trade/v3/execution/list", { category: "inverse" })).toBe(0)
      expect(madeAccounts(yield* sandbox.snapshot)).toEqual([Seed.uids.main])
    })
  )

  it.effect("are shared by sandboxes, but changes are not", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([Sandbox.make({ seed: 11 }), Sandbox.make({ seed: 11 })])
      const before = mainOf(yield* other.snapshot)
      yield* one.control.deposit({ uid: Seed.uids.main, coin: "USDT", amount: "5" })
      const after = mainOf(yield* one.snapshot)
      expect(after.deposits.length).toBe(before.deposits.length + 1)
      expect(after.executions).toBe(before.executions)
      expect(mainOf(yield* other.snapshot)).toBe(before)
      yield* one.control.reset
      expect(mainOf(yield* one.snapshot)).toBe(before)
    })
  )

  it("are written to a state file in full, even before any access", () => {
    const { state } = Seed.make({ seed: 12, now: 5 })
    const one = state.accounts.get(Seed.uids.classic)
    const small = { ...state, accounts: new Map(one === undefined ? [] : [[one.uid, one]]) }
    const back = Either.getOrThrow(StateText.parse(StateText.print(small)))
    expect(back.accounts.get(Seed.uids.classic)?.executions.linear.length).toBeGreaterThan(20)
    expect(Digest.digest(back)).toBe(Digest.digest(small))
  })

  it.effect("with world: empty contain keys and markets, but no money and no history", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.make({ seed: 11, world: "empty" })
      const state = yield* sandbox.snapshot
      expect([...state.keys.values()].map(({ uid }) => uid).every((uid) => state.accounts.has(uid))).toBe(true)
      for (const account of state.accounts.values()) {
        expect(historyOf(account).filter(([, list]) => list.length > 0)).toEqual([])
        expect([account.openOrders, account.positions, account.deposits, account.transfers]).toEqual([[], [], [], []])
        expect(Object.values(account.wallets).map(({ size }) => size)).toEqual([0, 0, 0, 0])
      }
      const seeded = Seed.make({ seed: 11, now: state.openedAt }).state
      expect(state.listings).toEqual(seeded.listings)
      expect(sandbox.credentials.main.apiKey).toEqual((yield* Sandbox.make({ seed: 11 })).credentials.main.apiKey)
      yield* sandbox.control.deposit({ uid: sandbox.uids.main, coin: "USDT", amount: "1000" })
      expect(mainOf(yield* sandbox.snapshot).wallets.FUND.size).toBe(1)
    })
  )
})
