import * as Breadth from "@effect-venue/testing/Breadth"
import * as SandboxControl from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Account from "@effect-venue/services/Account"
import * as Positions from "@effect-venue/services/Positions"
import * as Venue from "@effect-venue/services/Venue"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Clock, Effect, Fiber, Option, TestClock } from "effect"
import { books, marketMaker } from "../src/marketMaker.js"

const funds = "100000"

/** What the exchange says: the position, what it cost, and the money. */
const standing = Effect.gen(function* () {
  const { list: positions } = yield* (yield* Positions.Positions).list({ category: "linear", symbol: "XRPUSDT" })
  const { list: wallets } = yield* (yield* Account.Account).walletBalance({ accountType: "UNIFIED", coin: ["USDT"] })
  const position = yield* Option.fromNullable(positions[0])
  const signed = (amount: BigDecimal.BigDecimal) =>
    Option.contains(position.side, "Sell") ? BigDecimal.negate(amount) : amount
  return {
    mark: yield* position.markPrice,
    position: signed(position.size),
    entry: signed(Option.getOrElse(position.positionValue, () => BigDecimal.make(0n, 0))),
    wallet: (yield* Option.fromNullable(wallets[0]?.coin[0])).walletBalance
  }
})

/** The maker's books and the exchange's agree to the last digit. */
const expectAgreement = (from: number) =>
  Effect.gen(function* () {
    const to = (yield* Clock.currentTimeMillis) + 1
    yield* TestClock.adjust("10 seconds")
    const own = yield* books(from, to)
    const theirs = yield* standing
    expect(own.fills).toBeGreaterThan(5)
    expect(BigDecimal.format(own.position)).toBe(BigDecimal.format(theirs.position))
    // What was paid is in the position still, was lost, or went as fees.
    const expected = BigDecimal.sum(
      BigDecimal.subtract(BigDecimal.unsafeFromString(funds), BigDecimal.sum(own.paid, own.fees)),
      theirs.entry
    )
    expect(BigDecimal.format(BigDecimal.normalize(expected))).toBe(
      BigDecimal.format(BigDecimal.normalize(theirs.wallet))
    )
  })

const rounds = Breadth.repeats(60, 20)

describe("the market maker", () => {
  it.effect(`keeps books that agree with the exchange, ${rounds} minutes in the embedded one`, () =>
    Effect.gen(function* () {
      const control = yield* SandboxControl.SandboxControl
      const account = yield* control.openAccount({ funds: { USDT: funds } })
      const services = yield* Venue.account(account)
      const from = yield* Clock.currentTimeMillis
      yield* Effect.gen(function* () {
        const bot = yield* Effect.fork(marketMaker({ rounds, every: "1 minute" }))
        yield* TestClock.adjust(`${rounds + 2} minutes`)
        expect(yield* Fiber.join(bot)).toBeGreaterThan(5 * rounds)
        yield* expectAgreement(from)
      }).pipe(Effect.provide(services))
    }).pipe(Effect.scoped, Effect.provide(Venue.layerShared), Effect.provide(Sandbox.layer({ seed: 7 })))
  )
})
