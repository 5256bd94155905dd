import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Exchange from "./Exchange.js"
import type * as StateCodec from "./stateCodec.js"

const mapOf = Schema.ReadonlyMapFromSelf({ key: Schema.String, value: Schema.Unknown })

// The failure of a map does not name the failing entry, so the entries of these maps are checked one by one.
const Top = Schema.Struct({ ...Exchange.State.fields, accounts: mapOf, keys: mapOf })

type Judged = Either.Either<unknown, StateCodec.Unreadable>

const judgeBy = <A, I>(schema: Schema.Schema<A, I>, ...path: ReadonlyArray<string>) => {
  const validate = ParseResult.validateEither(schema)
  return (value: unknown, ...further: ReadonlyArray<string>): Either.Either<A, StateCodec.Unreadable> =>
    Either.mapLeft(validate(value), (issue) => {
      const [first] = ParseResult.ArrayFormatter.formatIssueSync(issue)
      return {
        path: [...path, ...further, ...(first?.path ?? []).map(String)],
        reason: first?.message ?? "is not as it should be"
      }
    })
}

const judgeTop = judgeBy(Top)
const judgeKey = judgeBy(Exchange.Key, "keys")
const judgeAccount = judgeBy(Exchange.Account, "accounts")

const each = (
  map: ReadonlyMap<string, unknown>,
  judge: (value: unknown, key: string) => Judged
): Either.Either<void, StateCodec.Unreadable> => {
  for (const [key, value] of map) {
    const judged = judge(value, key)
    if (Either.isLeft(judged)) return Either.left(judged.left)
  }
  return Either.right(undefined)
}

/** Returns the same value if it is a state. */
export const judge = (value: unknown): Either.Either<Exchange.State, StateCodec.Unreadable> =>
  Either.gen(function* () {
    const { accounts, keys } = yield* judgeTop(value)
    yield* each(keys, judgeKey)
    yield* each(accounts, judgeAccount)
    // The schemas check the in-memory form and change nothing.
    return value as Exchange.State
  })
