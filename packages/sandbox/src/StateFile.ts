/**
 * A state as text, to be stored and started from again. It is lossless: decimals keep their scale, and nones their spelling. The
 * text is JSON that a person can read and edit. What is no plain JSON is written as an object with one key: `$decimal`, `$some`,
 * `$none`, `$utc`, `$map`, `$secret`, `$bigint`, `$number`, `$undefined`, and `$object` for an object with such a key of its own.
 *
 * This module does not access files: where the text is stored is up to the program.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as StateCodec from "./internal/state/stateCodec.js"
import * as StateShape from "./internal/state/stateShape.js"
import type * as State from "./State.js"

/**
 * The version that is written. A text of another version is refused.
 *
 * @since 0.1.0
 * @category constants
 */
export const version = 1

const format = "effect-venue sandbox state"

/**
 * The text is no state. `path`: the place in it, such as `state.accounts.10000001.openOrders.0.price`; empty for all of it.
 *
 * @since 0.1.0
 * @category failures
 */
export class StateFileInvalid extends Schema.TaggedError<StateFileInvalid>("@effect-venue/sandbox/StateFileInvalid")(
  "StateFileInvalid",
  { path: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `not a state of the sandbox: ${this.path === "" ? "" : `${this.path} `}${this.reason}`
  }
}

const invalid = (path: ReadonlyArray<PropertyKey>, reason: string): Either.Either<never, StateFileInvalid> =>
  Either.left(new StateFileInvalid({ path: path.map(String).join("."), reason }))

const Header = Schema.Struct({
  format: Schema.Literal(format),
  version: Schema.Literal(version),
  state: Schema.Unknown
})

const readHeader = ParseResult.decodeUnknownEither(Header)

/**
 * The JSON of a state. Throws a `TypeError` when the state holds what no state has, such as a function.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toJson = (state: State.State): typeof Header.Encoded => ({
  format,
  version,
  state: StateCodec.encode(state)
})

/**
 * Reads what `toJson` has returned. Records of the wire are checked by their schemas; unknown fields are kept.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fromJson = (json: unknown): Either.Either<State.State, StateFileInvalid> =>
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

/**
 * The text of a state. Throws as `toJson` does.
 *
 * @since 0.1.0
 * @category conversions
 */
export const print = (state: State.State): string => `${JSON.stringify(toJson(state))}\n`

/**
 * Reads what `print` has written.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (text: string): Either.Either<State.State, StateFileInvalid> =>
  Either.flatMap(
    Either.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => new StateFileInvalid({ path: "", reason: `is not JSON: ${String(cause)}` })
    }),
    fromJson
  )
