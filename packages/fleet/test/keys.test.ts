import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as Credentials from "@effect-venue/signing/Credentials"
import { NodeContext } from "@effect/platform-node"
import { describe, expect } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"
import { account, day, fleetOf, ledger, settle, testsIn, today } from "./utils/world.js"

// What becomes of the exports of an account whose API key is replaced.

type Keys = Map<string, Credentials.Credentials.Shape>

const world = ledger.pipe(
  Layer.provideMerge(Sandbox.layer({ seed: 3, prices: "still" })),
  Layer.provideMerge(NodeContext.layer)
)

const test = testsIn(world)

/** Without its UID nothing but the rows can show whose key it is. */
const withoutUid = (credentials: Credentials.Credentials.Shape) => ({ ...credentials, uid: undefined })

const openKey = (uid: string) =>
  Effect.flatMap(Sandbox.Sandbox, ({ control }) => Effect.map(Effect.orDie(control.openKey({ uid })), withoutUid))

const sourceOf = (keys: Keys) => CredentialSource.layer(({ name }) => Effect.orDie(Effect.fromNullable(keys.get(name))))

/** Runs the exports of an account, replaces its key, and runs them again a day later. */
const rotating = (
  subject: FleetAccount,
  keys: Keys,
  replacement: Effect.Effect<Credentials.Credentials.Shape, never, Sandbox.Sandbox>
) =>
  Effect.gen(function* () {
    const fleet = yield* fleetOf([subject])
    const source = sourceOf(keys)
    const run = Effect.provide(settle(fleet.own()), source)
    yield* run
    const rows = Object.fromEntries(
      (yield* fleet.ledger.exports).map(({ coverage, part }) => [part, Option.getOrThrow(coverage).rows])
    )
    keys.set(subject.name, yield* replacement)
    yield* TestClock.adjust("1 day")
    yield* run
    const states = Effect.map(fleet.ledger.exports, (all) =>
      all.map(({ coverage, lastFailure, part, state }) => ({
        part,
        state,
        isUpToDate: Option.exists(coverage, ({ to }) => to >= today + day),
        failure: Option.getOrNull(lastFailure)
      }))
    )
    return { fleet, rows, run, states }
  })

const accountOf = (name: string) =>
  account(name, { datasets: ["executions", "closed-pnl", "transfers"], categories: ["spot", "inverse"] })

describe("an account whose key is replaced", () => {
  test("exports its empty datasets further, because rows of its other exports are read again under the new key", function* () {
    const sandbox = yield* Sandbox.Sandbox
    const keys: Keys = new Map([["main", withoutUid(sandbox.credentials.main)]])
    const rotated = openKey(sandbox.uids.main)
    const { rows, states } = yield* rotating(accountOf("main"), keys, rotated)
    expect(Object.values(rows).some((count) => count > 0)).toBe(true)
    expect(Object.values(rows)).toContain(0)
    for (const found of yield* states)
      expect(found).toMatchObject({ state: "waiting", isUpToDate: true, failure: null })
  })

  test("stops every export when the new key is of another account, the empty ones too", function* () {
    const sandbox = yield* Sandbox.Sandbox
    const keys: Keys = new Map([["main", withoutUid(sandbox.credentials.main)]])
    const { states } = yield* rotating(accountOf("main"), keys, Effect.succeed(withoutUid(sandbox.credentials.sub)))
    for (const found of yield* states) {
      expect(found).toMatchObject({ state: "stopped", isUpToDate: false })
      expect(found.failure).toMatch(/this API key does not have the rows/)
    }
  })

  test("without any rows is stopped until it is declared unchanged, and the failure names that setting", function* () {
    const { control } = yield* Sandbox.Sandbox
    const opened = yield* control.openAccount()
    const keys: Keys = new Map([["quiet", withoutUid(opened)]])
    const subject = accountOf("quiet")
    const { fleet, run, states } = yield* rotating(subject, keys, openKey(opened.uid))
    for (const found of yield* states) {
      expect(found).toMatchObject({ state: "stopped", isUpToDate: false })
      expect(found.failure).toMatch(/declare it with "sameAccount": true of this account/)
      expect(found.failure).not.toContain("--same-account")
    }
    fleet.declared.set("quiet", { ...subject, sameAccount: true })
    yield* fleet.register
    yield* run
    for (const found of yield* states) expect(found).toMatchObject({ state: "waiting", isUpToDate: true })
    // The manifests know the key now.
    fleet.declared.set("quiet", subject)
    yield* fleet.register
    yield* TestClock.adjust("1 day")
    yield* run
    for (const found of yield* states) expect(found).toMatchObject({ state: "waiting", failure: null })
  })
})
