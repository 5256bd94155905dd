import * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import * as fs from "node:fs"
import * as Raw from "./utils/raw.js"

type Call = Effect.Effect<void, never, Faults.Faults>

/** The calls of each kind, by name. The compiler refuses a kind that is missing. */
const calls: { readonly [K in Faults.Fault["kind"]]: Readonly<Record<string, (hits: Faults.Hits) => Call>> } = {
  dropBefore: { dropRequest: (hits) => Faults.dropRequest("orders.amend", hits) },
  dropAfter: { dropAnswer: (hits) => Faults.dropAnswer("orders.amend", hits) },
  delay: {
    delayAnswer: (hits) => Faults.delayAnswer("orders.amend", "3 seconds", hits),
    delayRequest: (hits) => Faults.delayRequest("orders.amend", "3 seconds", hits)
  },
  truncated: {
    truncate: (hits) => Faults.truncate("orders.amend", hits),
    breakOff: (hits) => Faults.breakOff("orders.amend", hits)
  },
  html: { answerPage: (hits) => Faults.answerPage("orders.amend", hits) },
  empty: { answerNothing: (hits) => Faults.answerNothing("orders.amend", hits) },
  status: { answerStatus: (hits) => Faults.answerStatus("orders.amend", 502, hits) },
  ban: { ban: (hits) => Faults.ban("orders.amend", hits) },
  rateRefusal: { refuseRate: (hits) => Faults.refuseRate("orders.amend", hits) },
  skew: { refuseTimestamp: (hits) => Faults.refuseTimestamp("orders.amend", "7 seconds", hits) },
  clock: { shiftClock: (hits) => Faults.shiftClock("orders.amend", "3 seconds", hits) },
  internal: { failInternally: (hits) => Faults.failInternally("orders.amend", hits) },
  wrongEnvelope: { wrapWrongly: (hits) => Faults.wrapWrongly("orders.amend", hits) },
  nullResult: { nullResult: (hits) => Faults.nullResult("orders.amend", hits) },
  repeatedPage: { repeatPage: (hits) => Faults.repeatPage("orders.amend", hits) },
  repeatedCursor: { repeatCursor: (hits) => Faults.repeatCursor("orders.amend", hits) },
  missingCursor: { omitCursor: (hits) => Faults.omitCursor("orders.amend", hits) },
  missingRow: { omitRow: (hits) => Faults.omitRow("orders.amend", hits) },
  unknownField: { addField: (hits) => Faults.addField("orders.amend", hits) },
  unknownEnumValue: { addEnumValue: (hits) => Faults.addEnumValue("orders.amend", hits) }
}

/** The rules that a call adds. */
const added = (call: Call) => {
  const rules: Array<Faults.Rule> = []
  const control = {
    set: () => Effect.void,
    add: (more: ReadonlyArray<Faults.Rule>) => Effect.sync(() => void rules.push(...more)),
    clear: Effect.void,
    log: Effect.succeed([])
  }
  return Effect.as(Effect.provideService(call, Faults.Faults, control), rules)
}

/** Kinds and their calls, as docs/faults.md has them. */
const page = new Map(
  fs
    .readFileSync(new URL("../../../docs/faults.md", import.meta.url), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, kind = "", names = ""] = /^\| `(\w+)` +\| ([^|]+)\|/.exec(line) ?? []
      return kind === "" ? [] : [[kind, Array.from(names.matchAll(/`Faults\.(\w+)`/g), ([, name]) => name)] as const]
    })
)

describe("the calls that add faults", () => {
  it("are on the page, kind by kind, and no other is", () => {
    const kinds = Faults.Fault.members.map(({ fields }) => fields.kind.literals[0])
    expect(Array.from(page.keys())).toEqual(kinds)
    for (const [kind, names] of page) expect([kind, names]).toEqual([kind, Object.keys(Object(calls)[kind])])
  })

  for (const [kind, named] of Object.entries(calls)) {
    for (const [name, call] of Object.entries(named)) {
      it.effect(`${name} adds ${kind}, for as many requests as it is to hit`, () =>
        Effect.gen(function* () {
          const rules = yield* added(call({ times: 2, skip: 1, probability: 0.5, during: "1 minute" }))
          expect(rules).toMatchObject([
            { fault: { kind }, operations: ["orders.amend"], count: 2, skip: 1, probability: 0.5, forMillis: 60_000 }
          ])
        })
      )
    }
  }

  it.effect("add to what is set, whose counting goes on", () =>
    Effect.gen(function* () {
      const status = Raw.call("/cloud/trade/v3/account/wallet-balance", { accountType: "UNIFIED" }).pipe(
        Effect.map(({ status }) => status),
        Effect.catchTag("ConnectionReset", ({ _tag }) => Effect.succeed(_tag))
      )
      yield* Faults.answerStatus("all", 502, { times: 1 })
      expect(yield* status).toBe(502)
      yield* Faults.dropAnswer("account.walletBalance", { times: 1 })
      expect(yield* status).toBe("ConnectionReset")
      expect(yield* status).toBe(200)
      expect((yield* Faults.log).map(({ executed }) => executed)).toEqual([true, true, true])
      yield* Faults.ban(["account.walletBalance"])
      expect(yield* status).toBe(403)
      yield* Faults.clear
      expect(yield* status).toBe(200)
    }).pipe(Effect.provide(Sandbox.layer({ seed: 7, world: "empty" })))
  )

  it.effect("die of an operation that does not exist", () =>
    Effect.gen(function* () {
      const cause = yield* Effect.flip(Effect.sandbox(Faults.dropAnswer("orders.ammend")))
      expect(Cause.pretty(cause)).toContain("there is no operation orders.ammend")
    }).pipe(Effect.provide(Sandbox.layer({ seed: 7, world: "empty" })))
  )
})
