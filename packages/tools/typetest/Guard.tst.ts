import * as Guard from "@effect-venue/transport/Guard"
import type * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import type * as WriteJournal from "@effect-venue/transport/WriteJournal"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, test } from "tstyche"

type Made = Effect.Effect.Success<ReturnType<typeof Guard.makeJournalled>>

declare const made: Made
declare const options: Guard.Options
declare const journal: Layer.Layer<WriteJournal.WriteJournal, FileWriteJournal.Options>

describe("a guard that counts the writes of a journal", () => {
  test("is not complete without the journal", () => {
    expect(Layer.launch(Guard.layerJournalled(options))).type.not.toBeAssignableTo<Effect.Effect<never, unknown>>()
    expect(Layer.launch(Layer.provide(Guard.layerJournalled(options), journal))).type.toBeAssignableTo<
      Effect.Effect<never, unknown>
    >()
  })

  test("brings this journal to what it is provided to", () => {
    expect(Guard.layerJournalled(options)).type.toBeAssignableTo<
      Layer.Layer<Guard.Guard | WriteJournal.WriteJournal, unknown, WriteJournal.WriteJournal>
    >()
  })

  test("cannot be provided without it", () => {
    expect<Made>().type.toBe<Context.Context<Guard.Guard | WriteJournal.WriteJournal>>()
    expect<Made>().type.not.toBeAssignableTo<Guard.Guard.Shape>()
    expect(Layer.succeed).type.not.toBeCallableWith(Guard.Guard, made)
    expect(Layer.succeedContext).type.toBeCallableWith(made)
    expect(Effect.provideService).type.not.toBeCallableWith(Effect.void, Guard.Guard, made)
  })
})
