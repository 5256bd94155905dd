import * as SandboxControl from "@effect-venue/sandbox/Control"
import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Assets from "@effect-venue/services/Assets"
import * as Venue from "@effect-venue/services/Venue"
import { describe, expect, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
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
  it.effect("is done when the answer says so", () =>
    Effect.map(toppedUp([]), (seen) => expect(seen).toEqual({ outcome: { _tag: "done", by: "answer" }, made: ["25"] }))
  )

  it.effect("is made once though its first answers are lost", () =>
    Effect.map(toppedUp([{ ...onTransfer, fault: { kind: "dropAfter" }, count: 3 }]), (seen) =>
      expect(seen).toEqual({ outcome: { _tag: "done", by: "answer" }, made: ["25"] })
    )
  )

  it.effect("is found by looking it up when no answer ever comes", () =>
    Effect.map(toppedUp([{ ...onTransfer, fault: { kind: "dropAfter" } }]), (seen) =>
      expect(seen).toEqual({ outcome: { _tag: "done", by: "look-up" }, made: ["25"] })
    )
  )

  it.effect("stays unknown, with its id, when it never arrived and nothing proves that it will not", () =>
    Effect.map(toppedUp([{ ...onTransfer, fault: { kind: "internal", executed: false } }]), (seen) =>
      expect(seen).toEqual({ outcome: { _tag: "unknown", requestId }, made: [] })
    )
  )

  it.effect("stays unknown when the list cannot be read either", () =>
    Effect.map(
      toppedUp([
        { ...onTransfer, fault: { kind: "dropAfter" } },
        { operations: ["assets.transfers"], fault: { kind: "status", status: 502, executed: false } }
      ]),
      (seen) => expect(seen).toEqual({ outcome: { _tag: "unknown", requestId }, made: ["25"] })
    )
  )
})
