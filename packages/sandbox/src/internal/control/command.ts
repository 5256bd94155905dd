import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { ControlRefused } from "../../Control.js"
import type * as Faults from "../../Faults.js"
import type * as State from "../../State.js"

/** What commands work on. */
export interface World {
  readonly state: Ref.Ref<State.State>
  /** What `reset` goes back to. */
  readonly initial: State.State
  readonly faults: Faults.Control
}

/** Something to be done, for both faces: programs call `run`, the control path `runJson`. */
export interface Command<in A, out R> {
  readonly name: string
  /** One line on what it does. */
  readonly summary: string
  readonly argument: Schema.Schema.AnyNoContext
  readonly result: Schema.Schema.AnyNoContext
  readonly run: (argument: A, world: World) => Effect.Effect<R, ControlRefused>
  /** From and to JSON. */
  readonly runJson: (body: unknown, world: World) => Effect.Effect<unknown, ControlRefused>
}

/** Why a pure transition is not done, and which field of the argument is to blame. */
export interface Refusal {
  readonly reason: ControlRefused["reason"]
  readonly field: string
  readonly detail: string
}

export const refuse = (reason: Refusal["reason"], field: string, detail: string): Either.Either<never, Refusal> =>
  Either.left({ reason, field, detail })

// A message of a schema stands for itself, `path` says what it is about.
const invalid = (issue: ParseResult.ParseIssue): Refusal => {
  const [first] = ParseResult.ArrayFormatter.formatIssueSync(issue)
  return {
    reason: "InvalidArgument",
    field: (first?.path ?? []).map(String).join("."),
    detail: first?.message ?? "is not as it should be"
  }
}

/** What a command is, and what it does to the world. */
export const make = <A, AWire, R, RWire>(options: {
  readonly name: string
  readonly summary: string
  readonly argument: Schema.Schema<A, AWire>
  readonly result: Schema.Schema<R, RWire>
  readonly run: (argument: A, world: World) => Effect.Effect<R, Refusal>
}): Command<A, R> => {
  const { argument, name, result, run, summary } = options
  const validate = ParseResult.validateEither(argument)
  // A name that is not known is a slip of the pen, and what it was to say would be lost.
  const decode = ParseResult.decodeUnknownEither(argument, { onExcessProperty: "error" })
  const encode = Schema.encodeSync(result)
  const refused = (refusal: Refusal) => new ControlRefused({ command: name, ...refusal })
  const runChecked = (checked: Either.Either<A, ParseResult.ParseIssue>, world: World) =>
    Effect.mapError(
      Effect.flatMap(Either.mapLeft(checked, invalid), (argument) => run(argument, world)),
      refused
    )
  return {
    name,
    summary,
    argument,
    result,
    run: (argument, world) => runChecked(validate(argument), world),
    runJson: (body, world) => Effect.map(runChecked(decode(body), world), encode)
  }
}

/** The answer to a command, and the state that it leaves. */
export type Transition<R> = Either.Either<readonly [result: R, state: State.State], Refusal>

/** A command that is a pure function of the state. */
export const transition = <A, AWire, R, RWire>(options: {
  readonly name: string
  readonly summary: string
  readonly argument: Schema.Schema<A, AWire>
  readonly result: Schema.Schema<R, RWire>
  readonly step: (argument: A, state: State.State, now: number) => Transition<R>
}): Command<A, R> =>
  make({
    ...options,
    run: (argument, { state }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatten(
          Ref.modify(state, (before): readonly [Either.Either<R, Refusal>, State.State] => {
            const done = options.step(argument, before, now)
            return Either.isLeft(done) ? [Either.left(done.left), before] : [Either.right(done.right[0]), done.right[1]]
          })
        )
      )
  })
