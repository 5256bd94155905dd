/**
 * A state as text, to store it and start from it again. The text is JSON that can be read and edited, and lossless: decimals keep their
 * scale, and nones their spelling. Values without a JSON form are objects with one key: `$decimal`, `$some`, `$none`, `$utc`, `$map`,
 * `$secret`, `$bigint`, `$number`, `$undefined`, and `$object` for an object that has such a key. This module does not access files; the
 * program decides how to store the text.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as StateCodec from "./internal/state/stateCodec.js"
import * as StateShape from "./internal/state/stateShape.js"
import type * as State from "./shared/State.js"

/**
 * The current version. Text of another version is refused.
 *
 * @since 0.1.0
 * @category constants
 */
export const version = 1

const format = "effect-venue sandbox state"

/**
 * The text is not a state. `path` is the position of the mistake, such as `state.accounts.10000001.openOrders.0.price`; empty for the whole
 * text.
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
 * Converts a state to JSON. Throws a `TypeError` if the state contains a value that no state has, such as a function.
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
 * Reads the result of `toJson`. Wire records are validated; unknown fields are kept.
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
 * Prints a state as text. Throws as `toJson` does.
 *
 * @since 0.1.0
 * @category conversions
 */
export const print = (state: State.State): string => `${JSON.stringify(toJson(state))}\n`

/**
 * Parses the text of `print`.
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
