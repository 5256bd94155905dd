import * as SandboxControl from "@effect-venue/sandbox/Control"
import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Assets from "@effect-venue/services/Assets"
import * as Venue from "@effect-venue/services/Venue"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Fiber, TestClock } from "effect"
import { topUp } from "../src/transfer.js"

const requestId = "6f1c3a52-8a4d-4c67-9d9e-0f4b7c1f0a55"

/** Tops up under faults; gives the outcome and how much has arrived, once all faults are over. */
const toppedUp = (rules: ReadonlyArray<Faults.Rule>) =>
  Effect.gen(function* () {
    const control = yield* SandboxControl.SandboxControl
    const assets = yield* Assets.Assets
    yield* control.faults.set(rules)
    const call = yield* Effect.fork(topUp(requestId, "USDT", "25"))
    yield* TestClock.adjust("5 minutes")
    const outcome = yield* Fiber.join(call)
    yield* control.faults.set([])
    const { list } = yield* assets.transfers({ transferId: requestId })
    return { outcome, made: list.map(({ amount }) => BigDecimal.format(amount)) }
  }).pipe(Effect.provide(Venue.layer), Effect.provide(Sandbox.layer({ seed: 7 })))

const onTransfer = { operations: ["assets.transfer"] }

describe("a transfer", () => {
  const done = (by: "answer" | "look-up") => ({ outcome: { _tag: "done", by }, made: ["25"] })
  const unknown = (made: ReadonlyArray<string>) => ({ outcome: { _tag: "unknown", requestId }, made })
  const lost = { ...onTransfer, fault: { kind: "dropAfter" } } as const
  const cases: ReadonlyArray<readonly [claim: string, rules: ReadonlyArray<Faults.Rule>, expected: object]> = [
    ["is done when the answer says so", [], done("answer")],
    ["is made once though its first answers are lost", [{ ...lost, count: 3 }], done("answer")],
    ["is found by looking it up when no answer ever comes", [lost], done("look-up")],
    [
      "stays unknown, with its id, when it never arrived and nothing proves that it will not",
      [{ ...onTransfer, fault: { kind: "internal", executed: false } }],
      unknown([])
    ],
    [
      "stays unknown when the list cannot be read either",
      [lost, { operations: ["assets.transfers"], fault: { kind: "status", status: 502, executed: false } }],
      unknown(["25"])
    ]
  ]
  for (const [claim, rules, expected] of cases) {
    it.effect(claim, () => Effect.map(toppedUp(rules), (seen) => expect(seen).toEqual(expected)))
  }
})
