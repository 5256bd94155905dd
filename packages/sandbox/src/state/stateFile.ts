/** The JSON of a state file. */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as StateCodec from "./stateCodec.js"
import * as StateShape from "./stateShape.js"
import type * as Exchange from "./Exchange.js"

// Text of another version is refused.
const version = 1

/** The position of a mistake, such as `state.accounts.10000001.openOrders.0.price`; empty for the whole text. */
interface Mistake {
  readonly path: string
  readonly reason: string
}

const format = "effect-venue sandbox state"

const invalid = (path: ReadonlyArray<PropertyKey>, reason: string): Either.Either<never, Mistake> =>
  Either.left({ path: path.map(String).join("."), reason })

const Header = Schema.Struct({
  format: Schema.Literal(format),
  version: Schema.Literal(version),
  state: Schema.Unknown
})

const readHeader = ParseResult.decodeUnknownEither(Header)

/** Converts a state to JSON. Throws a `TypeError` if the state contains a value that no state has, such as a function. */
export const toJson = (state: Exchange.State): typeof Header.Encoded => ({
  format,
  version,
  state: StateCodec.encode(state)
})

/** Reads the result of `toJson`. Wire records are validated; unknown fields are kept. */
export const fromJson = (json: unknown): Either.Either<Exchange.State, Mistake> =>
  Either.gen(function* () {
    const { state } = yield* Either.orElse(readHeader(json), (issue) => {
      const [first] = ParseResult.ArrayFormatter.formatIssueSync(issue)
      return invalid(first?.path ?? [], first?.message ?? "has no header")
    })
    return yield* StateCodec.decode(state).pipe(
      Either.flatMap(StateShape.judge),
      Either.orElse(({ path, reason }) => invalid(["state", ...path], reason))
    )
  })
