const Sandbox = require("@effect-venue/sandbox/Sandbox")
const Executions = require("@effect-venue/services/Executions")
const Venue = require("@effect-venue/services/Venue")
const { BigDecimal, Console, DateTime, Effect, Stream } = require("effect")

const program = Effect.gen(function* () {
  const { history } = yield* Executions.Executions
  const to = yield* DateTime.now
  const trades = history({ category: "linear", execType: "Trade", from: DateTime.subtract(to, { days: 30 }), to })
  const zero = BigDecimal.fromBigInt(0n)
  const fees = yield* Stream.runFold(trades, zero, (sum, { execFee }) => BigDecimal.sum(sum, execFee))
  yield* Console.log(`${BigDecimal.format(fees)} USDT`)
})

void Effect.runPromise(program.pipe(Effect.provide(Venue.layer), Effect.provide(Sandbox.layer({ seed: 7 }))))
