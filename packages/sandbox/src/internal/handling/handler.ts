import * as Decimal from "@effect-venue/schemas/Decimal"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as State from "../../State.js"
import * as Ids from "../records/ids.js"
import * as Money from "../trading/money.js"
import * as Random from "../state/random.js"
import type * as Refusal from "../edge/refusal.js"

/** What a public operation is answered from. */
export interface Public {
  readonly state: State.State
  /** Milliseconds. */
  readonly now: number
}

/** What a signed operation is answered from: also who asks. */
export interface Context extends Public {
  readonly account: State.Account
  /** For how many orders of a batch the caller's rate limit has room. */
  readonly places?: number
}

export interface Answer<out A> {
  readonly result: A
  readonly state: State.State
}

export type Handled<A> = Either.Either<Answer<A>, Refusal.Refusal>

/** A pure function from a decoded request to a result and the next state, or to a refusal that changes nothing. */
export type Handler<E extends Endpoint.Any, C extends Public = Context> = (
  request: Endpoint.Request<E>,
  context: C
) => Handled<Endpoint.Result<E>>

/** An answer that changes nothing. */
export const read = <A>(context: Public, result: A): Handled<A> => Either.right({ result, state: context.state })

/** An answer, and the state it leaves. */
export const write = <A>(state: State.State, result: A): Handled<A> => Either.right({ result, state })

/** The decimal of a request that was decoded already: it is one. */
export const decimal = (input: Decimal.Input): BigDecimal.BigDecimal =>
  Option.getOrElse(Decimal.fromInput(input), () => Money.zero)

export const optionalDecimal = (input: Decimal.Input | undefined): Option.Option<BigDecimal.BigDecimal> =>
  input === undefined ? Option.none() : Decimal.fromInput(input)

/** The id that a world gives out after `count` others. */
export const idOf = (seed: number, count: number, now: number): string =>
  Ids.timed(now, Ids.ending(count, Random.make(seed, `id ${count}`).hex(11)))

/** The next id, and the state that has given it out. */
export const issue = (state: State.State, now: number): readonly [id: string, state: State.State] => [
  idOf(state.seed, state.issued, now),
  { ...state, issued: state.issued + 1 }
]

/** The same call after a change: what follows sees the account as it is then. */
export const after = (context: Context, state: State.State): Context => ({
  ...context,
  state,
  account: state.accounts.get(context.account.uid) ?? context.account
})
