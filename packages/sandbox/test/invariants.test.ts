import * as Breadth from "@effect-venue/testing/Breadth"
import * as Edge from "@effect-venue/sandbox/siblings/Edge"
import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as Credentials from "@effect-venue/signing/Credentials"
import { expect, it } from "@effect/vitest"
import { BigDecimal, Config, Effect, Either, FastCheck, Ref, TestClock, TestContext } from "effect"
import * as Advance from "../src/engine/advance.js"
import * as Events from "../src/engine/events.js"
import { invariants } from "./utils/invariants.js"
import * as Raw from "./utils/raw.js"

// A model of nothing but what must always be so: whatever is done in whatever order, the books agree.

const start = 1_780_000_000_000
const perRun = 250

const traded = [
  ["linear", "BTCUSDT"],
  ["linear", "ETHUSDT"],
  ["linear", "SOLUSDT"],
  ["linear", "ADAUSDT"],
  ["inverse", "BTCUSD"],
  ["inverse", "ETHUSD"],
  ["spot", "BTCUSDT"],
  ["spot", "ETHUSDT"]
] as const

type Role = "main" | "sub" | "customer" | "classic"

interface World {
  readonly ref: Ref.Ref<Exchange.State>
  readonly edge: Edge.Edge
  readonly keys: { readonly [R in Seed.Role]: string }
}

/** Draws of one command: what they mean depends on where the market stands when it is run. */
interface Command {
  readonly kind: string
  readonly role: Role
  readonly market: number
  readonly side: "Buy" | "Sell"
  readonly type: "Market" | "Limit"
  readonly tif: string
  /** Of a typical size, and of the market price. */
  readonly size: number
  readonly near: number
  readonly flags: number
  readonly pick: number
}

const kinds = [
  ["create", 30],
  ["batch", 4],
  ["amend", 8],
  ["cancel", 6],
  ["cancelAll", 1],
  ["stop", 8],
  ["leverage", 2],
  ["margin", 3],
  ["risk", 1],
  ["mode", 1],
  ["transfer", 3],
  ["withdraw", 1],
  ["price", 10],
  ["release", 3],
  ["time", 8],
  ["fill", 4],
  ["liquidate", 1],
  ["deleverage", 1],
  ["mark", 1],
  ["confirm", 1],
  ["deposit", 1],
  ["grant", 1]
] as const

const command: FastCheck.Arbitrary<Command> = FastCheck.record({
  kind: FastCheck.oneof(...kinds.map(([kind, weight]) => ({ arbitrary: FastCheck.constant<string>(kind), weight }))),
  role: FastCheck.constantFrom<Array<Role>>("main", "main", "main", "sub", "customer", "classic"),
  market: FastCheck.nat(traded.length - 1),
  side: FastCheck.constantFrom<Array<"Buy" | "Sell">>("Buy", "Sell"),
  type: FastCheck.constantFrom<Array<"Market" | "Limit">>("Market", "Limit", "Limit"),
  tif: FastCheck.constantFrom("GTC", "GTC", "GTC", "IOC", "FOK", "PostOnly"),
  size: FastCheck.integer({ min: 1, max: 400 }),
  near: FastCheck.integer({ min: -80, max: 80 }),
  flags: FastCheck.nat(63),
  pick: FastCheck.nat(999)
})

const format = (amount: BigDecimal.BigDecimal) => BigDecimal.format(BigDecimal.normalize(amount))

const marketOf = (state: Exchange.State, { market }: Command) => {
  const [category, symbol] = traded[market]!
  return { category, symbol, listing: Exchange.listing(state, category, symbol)! }
}

/** A price this many thousandths off the market, on a tick. */
const priced = (listing: Exchange.Listing, thousandths: number): BigDecimal.BigDecimal => {
  const { tickSize } = listing.instrument.priceFilter
  const off = BigDecimal.multiply(listing.lastPrice, BigDecimal.make(BigInt(1000 + thousandths), 3))
  const ticks = BigDecimal.unsafeDivide(off, tickSize)
  const whole = BigDecimal.make(BigDecimal.scale(ticks, 0).value, 0)
  return BigDecimal.multiply(whole, tickSize)
}

/** A size of `size` times 20 dollars, in whole steps. */
const sized = (listing: Exchange.Listing, size: number): BigDecimal.BigDecimal => {
  const { basePrecision, qtyStep } = listing.instrument.lotSizeFilter
  const step =
    qtyStep._tag === "Some"
      ? qtyStep.value
      : basePrecision._tag === "Some"
        ? basePrecision.value
        : BigDecimal.make(1n, 0)
  const price = Number(format(listing.lastPrice))
  const units = (size * size * (listing.category === "inverse" ? 1 : 1 / price)) / Number(format(step))
  return BigDecimal.multiply(BigDecimal.make(BigInt(Math.max(1, Math.round(units))), 0), step)
}

const creation = (state: Exchange.State, account: Exchange.Account, one: Command): Record<string, unknown> => {
  const { category, listing, symbol } = marketOf(state, one)
  const has = (bit: number) => (one.flags & bit) !== 0
  const hedged = account.positions.find(
    (position) => position.category === category && position.symbol === symbol && position.positionIdx !== 0
  )
  const up = one.side === "Buy"
  const entry = one.type === "Limit" ? one.near : 0
  const stops = has(1) && has(2)
  const conditional = !stops && has(4) && has(8)
  const spot = category === "spot"
  return {
    symbol,
    side: one.side,
    orderType: one.type,
    qty:
      spot && one.type === "Market" && up && !(has(16) && account.unified)
        ? String(one.size)
        : format(sized(listing, one.size)),
    ...(one.type === "Limit" ? { price: format(priced(listing, entry)), timeInForce: one.tif } : {}),
    ...(spot && one.type === "Market" && !conditional && has(16) ? { marketUnit: "baseCoin" } : {}),
    ...(stops
      ? {
          takeProfit: format(priced(listing, up ? entry + 60 : entry - 60)),
          stopLoss: format(priced(listing, up ? entry - 40 : entry + 40)),
          ...(spot
            ? one.type === "Limit"
              ? {
                  tpOrderType: "Limit",
                  slOrderType: "Limit",
                  tpLimitPrice: format(priced(listing, entry)),
                  slLimitPrice: format(priced(listing, entry))
                }
              : {}
            : { tpslMode: has(32) ? "Partial" : "Full" })
        }
      : {}),
    ...(conditional
      ? spot
        ? { triggerPrice: format(priced(listing, one.near + 1)), orderFilter: "tpslOrder" }
        : { triggerPrice: format(priced(listing, one.near + 1)), triggerDirection: one.near >= 0 ? 1 : 2 }
      : {}),
    ...(!spot && hedged !== undefined ? { positionIdx: has(32) ? 1 : 2 } : {}),
    ...(!spot && !stops && has(16) && has(32) ? { reduceOnly: true } : {})
  }
}

const orderOf = (account: Exchange.Account, one: Command): Exchange.Order | undefined =>
  account.openOrders[one.pick % Math.max(1, account.openOrders.length)]

const positionOf = (account: Exchange.Account, one: Command): Exchange.Position | undefined => {
  const open = account.positions.filter((position) => !BigDecimal.isZero(position.size))
  return open[one.pick % Math.max(1, open.length)]
}

const run = (world: World, one: Command) =>
  Effect.gen(function* () {
    const state = yield* Ref.get(world.ref)
    const uid = Seed.uids[one.role]
    const account = state.accounts.get(uid)!
    const { category, listing, symbol } = marketOf(state, one)
    const now = yield* TestClock.currentTimeMillis
    const post = (path: string, parameters: Readonly<Record<string, unknown>>) => {
      const apiKey = world.keys[one.role]
      const credentials = Credentials.make({
        baseUrl: "http://sandbox.invalid",
        apiKey,
        apiSecret: state.keys.get(apiKey)!.apiSecret,
        uid
      })
      const request = Raw.request({ path, parameters, credentials, timestamp: now, method: "POST" })
      return Effect.map(world.edge.handle(request), Raw.read)
    }
    const v3 = (path: string, parameters: Readonly<Record<string, unknown>>) =>
      post(`/cloud/trade/v3/${path}`, parameters)
    const happen = (event: (state: Exchange.State) => Events.Happened) =>
      Ref.modify(world.ref, (before) => {
        const present = Advance.advance(before, now)
        return Either.match(event(present), {
          onLeft: (refused): readonly [string | number, Exchange.State] => [refused.reason, present],
          onRight: (next) => [0, next]
        })
      })
    const amount = (text: string) => BigDecimal.unsafeFromString(text)
    const position = positionOf(account, one)
    const held = position === undefined ? undefined : { ...position, uid }
    const order = orderOf(account, one)
    switch (one.kind) {
      case "create":
        return (yield* v3("order/create", { category, ...creation(state, account, one) })).code
      case "batch":
        return (yield* v3("order/create-batch", {
          category,
          request: [
            creation(state, account, one),
            creation(state, account, { ...one, flags: one.flags ^ 21, near: -one.near }),
            creation(state, account, { ...one, type: "Limit", size: one.pick + 1 })
          ]
        })).code
      case "amend": {
        if (order === undefined) return undefined
        const its = Exchange.listing(state, order.category, order.symbol)!
        return (yield* v3("order/amend", {
          category: order.category,
          symbol: order.symbol,
          orderId: order.orderId,
          ...(order.orderStatus === "Untriggered"
            ? {
                triggerPrice: format(
                  priced(its, order.triggerDirection._tag === "Some" && order.triggerDirection.value === 1 ? 9 : -9)
                )
              }
            : { price: format(priced(its, one.near)) }),
          ...((one.flags & 3) === 3 ? { qty: format(sized(its, one.size)) } : {})
        })).code
      }
      case "cancel":
        return order === undefined
          ? undefined
          : (yield* v3("order/cancel", { category: order.category, symbol: order.symbol, orderId: order.orderId })).code
      case "cancelAll":
        return (yield* v3("order/cancel-all", { category, symbol })).code
      case "stop": {
        if (position === undefined) return undefined
        const its = Exchange.listing(state, position.category, position.symbol)!
        const long = BigDecimal.isPositive(position.size)
        const has = (bit: number) => (one.flags & bit) !== 0
        const off = Math.abs(one.near) + 2
        return (yield* v3("position/trading-stop", {
          category: position.category,
          symbol: position.symbol,
          positionIdx: position.positionIdx,
          tpslMode: has(1) ? "Partial" : "Full",
          ...(has(2) ? { takeProfit: has(32) ? "0" : format(priced(its, long ? off : -off)) } : {}),
          ...(has(4) ? { stopLoss: format(priced(its, long ? -off : off)) } : {}),
          ...(has(8) && !has(1) ? { trailingStop: format(BigDecimal.subtract(its.lastPrice, priced(its, -off))) } : {})
        })).code
      }
      case "leverage":
        return (yield* v3("position/set-leverage", {
          category: category === "spot" ? "linear" : category,
          symbol,
          buyLeverage: String(1 + (one.pick % 60)),
          sellLeverage: String(1 + (one.pick % 60))
        })).code
      case "margin":
        return position === undefined
          ? undefined
          : (yield* v3("position/add-margin", {
              category: position.category,
              symbol: position.symbol,
              positionIdx: position.positionIdx,
              margin: String(one.near === 0 ? 1 : one.near)
            })).code
      case "risk":
        return (yield* v3("position/set-risk-limit", {
          category: category === "spot" ? "linear" : category,
          symbol,
          riskId: (category === "inverse" ? 101 : 1) + (one.pick % 3)
        })).code
      case "mode":
        return (yield* v3("position/set-tpsl-mode", {
          category: category === "spot" ? "linear" : category,
          symbol,
          tpSlMode: one.flags % 2 === 0 ? "Full" : "Partial"
        })).code
      case "transfer": {
        const wallets = account.unified ? ["UNIFIED", "FUND"] : ["CONTRACT", "SPOT", "FUND"]
        return (yield* post("/private/v1/asset/transfer/single-account-transfer", {
          requestId: `00000000-0000-4000-8000-${String(now % 1e12).padStart(12, "0")}`,
          coin: one.pick % 3 === 0 ? "BTC" : "USDT",
          amount: one.pick % 3 === 0 ? "0.01" : String(one.size),
          fromAccountType: wallets[one.flags % wallets.length],
          toAccountType: wallets[(one.flags + 1) % wallets.length]
        })).code
      }
      case "withdraw":
        return (yield* post("/private/v1/asset/withdraw/inner-create", {
          requestId: `w${now}`,
          coin: "USDT",
          addressType: 3,
          address: one.flags % 2 === 0 ? "50000001" : Seed.uids.customer,
          amount: String(one.size)
        })).code
      case "price":
        return yield* happen((state) =>
          Events.setPrice(
            state,
            { category, symbol, price: priced(listing, one.near * (one.flags % 8 === 0 ? 4 : 1)) },
            now
          )
        )
      case "release":
        return yield* happen((state) => Events.releasePrice(state, { category, symbol }, now))
      case "time":
        return yield* TestClock.adjust([1000, 1000, 5000, 60_000, 3_600_000, 86_400_000][one.pick % 6] ?? 1000)
      case "fill":
        return order === undefined
          ? undefined
          : yield* happen((state) => Events.fill(state, { orderId: order.orderId }, now))
      case "liquidate":
        return held === undefined ? undefined : yield* happen((state) => Events.liquidate(state, held, now))
      case "deleverage":
        return held === undefined ? undefined : yield* happen((state) => Events.deleverage(state, held, now))
      case "mark":
        return category === "spot"
          ? undefined
          : yield* happen((state) => Events.markReduceOnly(state, { uid, category, symbol }, now))
      case "confirm":
        return (yield* v3("position/confirm-pending-mmr", {
          category: category === "spot" ? "linear" : category,
          symbol
        })).code
      case "deposit":
        return yield* happen((state) =>
          Either.map(
            Events.deposit(
              state,
              { uid, coin: "USDT", amount: amount(String(one.size)), takes: one.pick * 100, fails: one.flags === 0 },
              now
            ),
            ([, after]) => after
          )
        )
      case "grant":
        return yield* happen((state) =>
          Events.grant(
            state,
            {
              uid,
              award: one.flags % 2 === 0 ? "bonus" : "coupon",
              coin: "USDT",
              amount: amount(String((one.size % 9) + 1))
            },
            now
          )
        )
    }
  })

/** One world and the commands in it; all invariants are checked after each. */
const play = (seed: number, commands: ReadonlyArray<Command>, tally: Map<string, number>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { keys, state } = Seed.make({ seed, now: start })
    const ref = yield* Ref.make(state)
    const world: World = { ref, keys, edge: Edge.make({ state: ref, limits: "off" }) }
    for (const one of commands) {
      const code = yield* run(world, one)
      const name = `${one.kind} ${String(code)}`
      tally.set(name, (tally.get(name) ?? 0) + 1)
      yield* TestClock.adjust(100)
      const after = yield* Ref.get(ref)
      const broken = invariants(after)
      if (broken.length > 0) return { broken, at: one }
    }
    return undefined
  })

it.live("the books agree after any sequence of operations", () =>
  Effect.gen(function* () {
    const total = yield* Config.integer("VENUE_MODEL_COMMANDS").pipe(Config.withDefault(Breadth.repeats(1500, 100)))
    const tally = new Map<string, number>()
    const property = FastCheck.asyncProperty(
      FastCheck.integer({ min: 1, max: 3 }),
      FastCheck.array(command, { minLength: perRun, maxLength: perRun, size: "max" }),
      (seed, commands) =>
        Effect.runPromise(
          Effect.map(Effect.provide(play(seed, commands, tally), TestContext.TestContext), (found) => {
            expect(found).toBeUndefined()
          })
        )
    )
    yield* Effect.promise(() =>
      FastCheck.assert(property, {
        numRuns: Math.max(1, Math.ceil(total / perRun)),
        seed: 20_260_701,
        endOnFailure: true
      })
    )
    // The run was not a row of refusals.
    expect(tally.get("create 0") ?? 0).toBeGreaterThan(total / 20)
    yield* Effect.logInfo(
      Array.from(tally)
        .sort()
        .map(([name, count]) => `${name}: ${count}`)
        .join(", ")
    )
  })
)
