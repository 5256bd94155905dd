import * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Ids from "../trading/ids.js"
import * as Money from "../trading/money.js"
import * as Random from "../state/random.js"
import type * as Refusal from "./refusal.js"

/** The input of the handler of a public operation. */
export interface Public {
  readonly state: Exchange.State
  /** Milliseconds. */
  readonly now: number
}

/** The input of the handler of a signed operation, which includes the caller. */
export interface Context extends Public {
  readonly account: Exchange.Account
  /** The number of orders of a batch that the caller's rate limit allows. */
  readonly places?: number
}

export interface Answer<out A> {
  readonly result: A
  readonly state: Exchange.State
}

export type Handled<A> = Either.Either<Answer<A>, Refusal.Refusal>

/** A pure function from a decoded request to a result and the next state, or to a refusal that changes nothing. */
export type Handler<E extends Endpoint.Any, C extends Public = Context> = (
  request: Endpoint.Accepted<Endpoint.Request<E>>,
  context: C
) => Handled<Endpoint.Result<E>>

/** Returns a result without a change of state. */
export const read = <A>(context: Public, result: A): Handled<A> => Either.right({ result, state: context.state })

/** Returns a result and the next state. */
export const write = <A>(state: Exchange.State, result: A): Handled<A> => Either.right({ result, state })

/** Returns the decimal of a decoded request, which is known to be valid. */
export const decimal = (input: Decimal.Input): BigDecimal.BigDecimal =>
  Option.getOrElse(Decimal.fromInput(input), () => Money.zero)

export const optionalDecimal = (input: Decimal.Input | undefined): Option.Option<BigDecimal.BigDecimal> =>
  input === undefined ? Option.none() : Decimal.fromInput(input)

/** Returns the id that follows `count` earlier ids. */
export const idOf = (seed: number, count: number, now: number): string =>
  Ids.makeTimed(now, Ids.ending(count, Random.make(seed, `id ${count}`).hex(11)))

/** Returns the next id and the state after it was issued. */
export const issue = (state: Exchange.State, now: number): readonly [id: string, state: Exchange.State] => [
  idOf(state.seed, state.issued, now),
  { ...state, issued: state.issued + 1 }
]

/** Returns the context after a change, with the current account. */
export const after = (context: Context, state: Exchange.State): Context => ({
  ...context,
  state,
  account: state.accounts.get(context.account.uid) ?? context.account
})
