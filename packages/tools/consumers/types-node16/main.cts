import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Executions from "@effect-venue/services/Executions"
import * as Venue from "@effect-venue/services/Venue"
import { BigDecimal, Console, DateTime, Effect, Stream } from "effect"

const program = Effect.gen(function* () {
  const { history } = yield* Executions.Executions
  const to = yield* DateTime.now
  const trades = history({ category: "linear", execType: "Trade", from: DateTime.subtract(to, { days: 30 }), to })
  const zero = BigDecimal.fromBigInt(0n)
  const fees = yield* Stream.runFold(trades, zero, (sum, { execFee }) => BigDecimal.sum(sum, execFee))
  yield* Console.log(`${BigDecimal.format(fees)} USDT`)
})

void Effect.runPromise(program.pipe(Effect.provide(Venue.layer), Effect.provide(Sandbox.layer({ seed: 7 }))))
