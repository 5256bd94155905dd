import { AccountFailed } from "@effect-venue/history/ExportFailure"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Assets from "@effect-venue/services/Assets"
import * as Instruments from "@effect-venue/services/Instruments"
import type * as Transport from "@effect-venue/transport/Transport"
import { listAlternatives, nearest, suggest } from "@effect-venue/schemas/siblings/Words"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { categories } from "../options/subjects.js"
import * as Output from "../output/output.js"

type Parameters = Readonly<Record<string, unknown>>

// More would not be read.
const mostSuggestions = 4

const hint = (meant: ReadonlyArray<string>): string => (meant.length === 0 ? "" : `: ${suggest(meant)}`)

/** The service refused a symbol, which it does not list. */
export class UnknownSymbol extends Data.TaggedError("UnknownSymbol")<{ readonly message: string }> {}

/** Describes a symbol that the service does not list in the categories of the requests, with those that were perhaps meant. */
const describeSymbol = (transport: Transport.Transport.Shape, requests: ReadonlyArray<Parameters>, symbol: string) =>
  Effect.gen(function* () {
    const { listStream } = Instruments.make(transport)
    const lists = yield* Effect.forEach(
      categories.filter((category) => requests.some((request) => request.category === category)),
      (category) =>
        Effect.map(Stream.runCollect(listStream({ category, limit: 1000 })), (listed) => ({ category, listed }))
    )
    const lacking = lists.filter(({ listed }) => !Chunk.some(listed, (instrument) => instrument.symbol === symbol))
    const listed = lacking.flatMap(({ listed }) => [...listed])
    const close = nearest(
      symbol,
      listed.map((instrument) => instrument.symbol)
    )
    const ofCoin = listed.flatMap((instrument) => (symbol.startsWith(instrument.baseCoin) ? [instrument.symbol] : []))
    const meant = [...new Set(close.length > 0 ? close : ofCoin)].slice(0, mostSuggestions)
    const where = listAlternatives(lacking.map(({ category }) => category))
    return lacking.length === 0
      ? Option.none()
      : Option.some(`the service lists no ${symbol} in ${where}${hint(meant)}`)
  })

/**
 * Names the parameter if the service refuses a symbol that it does not list. Any other failure stays, also if the list cannot be read. A symbol that is not
 * listed is sent: a delisted one has a history.
 */
export const explainSymbol =
  (transport: Transport.Transport.Shape, parameter: string, requests: ReadonlyArray<Parameters>) =>
  <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | UnknownSymbol, R> =>
    Effect.catchAll(call, (failure) =>
      Effect.gen(function* () {
        const { _tag } = failure instanceof AccountFailed ? failure.failure : failure
        const [symbol] = requests.flatMap(({ symbol }) => (typeof symbol === "string" ? [symbol] : []))
        if (_tag !== "Rejected" || symbol === undefined) return yield* Effect.fail(failure)
        const found = yield* Effect.orElseSucceed(describeSymbol(transport, requests, symbol), Option.none)
        return yield* Option.match(found, {
          onNone: (): Effect.Effect<never, E | UnknownSymbol> => Effect.fail(failure),
          onSome: (text) => new UnknownSymbol({ message: `${parameter}: ${text}` })
        })
      })
    )

/**
 * Warns if no part of a coin has rows and the service does not list the coin: it answers such a request without rows instead of refusing it. Does not fail if the
 * list cannot be read.
 */
export const warnOfCoin = (
  transport: Transport.Transport.Shape,
  option: string,
  parts: ReadonlyArray<Pick<Manifest.Part, "parameters"> & { readonly hasRows: boolean }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const ofCoins = parts.filter(({ parameters }) => parameters.coin !== undefined)
    const coin = ofCoins[0]?.parameters.coin
    if (coin === undefined || ofCoins.some(({ hasRows }) => hasRows)) return
    const { rows } = yield* Assets.make(transport).coins()
    const listed = rows.map((row) => row.coin)
    if (listed.some((name) => name === coin)) return
    yield* Output.warn(
      `${option}: the service lists no ${coin}${hint(nearest(coin, listed).slice(0, mostSuggestions))}`
    )
  }).pipe(Effect.ignore)
