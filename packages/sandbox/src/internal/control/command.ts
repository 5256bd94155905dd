import * as Decoder from "@effect-venue/schemas/Decoder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { ControlRefused } from "../../Control.js"
import type * as Faults from "../../Faults.js"
import type * as State from "../../State.js"
import * as Advance from "../engine/advance.js"
import type * as Refusal from "./refusal.js"

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

// A message of a schema stands for itself, `path` says what it is about.
const invalid = (issue: ParseResult.ParseIssue): Refusal.Refusal => {
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
  readonly run: (argument: A, world: World) => Effect.Effect<R, Refusal.Refusal>
}): Command<A, R> => {
  const { argument, name, result, run, summary } = options
  const validate = ParseResult.validateEither(argument)
  // A name that is not known is a slip of the pen, and what it was to say would be lost.
  const decode = Decoder.total(argument.ast, ParseResult.decodeUnknownEither(argument, { onExcessProperty: "error" }))
  const encode = Schema.encodeSync(result)
  const refused = (refusal: Refusal.Refusal) => new ControlRefused({ command: name, ...refusal })
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

/** Changes the world once the market has come as far as the clock, as it has for every request. */
export const change = <A>(
  { state }: World,
  step: (state: State.State, now: number) => readonly [result: A, state: State.State]
): Effect.Effect<A> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Ref.modify(state, (before) => step(Advance.advance(before, now), now))
  )

/** A command that is a pure function of the state. One that is refused changes nothing but that time has passed. */
export const transition = <A, AWire, R, RWire>(options: {
  readonly name: string
  readonly summary: string
  readonly argument: Schema.Schema<A, AWire>
  readonly result: Schema.Schema<R, RWire>
  readonly step: (argument: A, state: State.State, now: number) => Refusal.Transition<R>
}): Command<A, R> =>
  make({
    ...options,
    run: (argument, world) =>
      Effect.flatten(
        change(world, (state, now): readonly [Either.Either<R, Refusal.Refusal>, State.State] =>
          Either.match(options.step(argument, state, now), {
            onLeft: (refusal) => [Either.left(refusal), state],
            onRight: ([result, after]) => [Either.right(result), after]
          })
        )
      )
  })
