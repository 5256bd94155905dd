/** An option that is not valid is refused with its name, before anything is created. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import * as Sandbox from "../src/sandbox/Sandbox.js"
import * as Server from "../src/sandbox/Server.js"

/** Values of each option that are not valid. The compiler finds an option that is missing here. */
const ofSandbox: { readonly [Name in keyof Required<Sandbox.Options>]: ReadonlyArray<unknown> } = {
  seed: ["x", 1.5, Number.NaN, null, Infinity],
  world: ["full", 1, null],
  state: ["x", {}, null, 7],
  limits: ["on", true, null],
  prices: ["fast", 0, null],
  baseUrl: ["sandbox", "ftp://sandbox.invalid", "http://sandbox.invalid?x=1", 7, null],
  faults: [
    "x",
    null,
    { seed: "x" },
    { logSize: -1 },
    { logsize: 5 },
    { rules: {} },
    { rules: [{ fault: { kind: "dropAfter" }, times: 1 }] },
    { rules: [{}] },
    { rules: [{ fault: { kind: "none" } }] }
  ]
}

const ofServer: { readonly [Name in keyof Required<Server.ServeOptions>]: ReadonlyArray<unknown> } = {
  port: [99_999, -1, 1.5, "80", null],
  host: ["", 7, null],
  exposed: ["yes", 1, null],
  control: ["yes", 1, null],
  controlToken: ["secret", 7, null],
  grace: ["long", {}, null]
}

const rows = (options: Readonly<Record<string, ReadonlyArray<unknown>>>) =>
  Object.entries(options).flatMap(([name, values]) => values.map((value) => [name, value] as const))

describe("an option that is not valid", () => {
  it.effect.each(rows(ofSandbox))("of a sandbox ends its creation with OptionInvalid: %s %j", ([name, value]) =>
    Effect.gen(function* () {
      const options = { [name]: value } as unknown as Sandbox.Options
      for (const made of [Sandbox.make(options), Effect.scoped(Layer.build(Sandbox.layer(options)))].map(
        Effect.asVoid<unknown, never, never>
      )) {
        const exit = yield* Effect.exit(made)
        const refused = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        expect(refused).toBeInstanceOf(Sandbox.OptionInvalid)
        const { message, option } = refused as Sandbox.OptionInvalid
        expect(option.startsWith(name)).toBe(true)
        expect(message.length).toBeLessThan(400)
        expect(message).toMatch(new RegExp(`^${name}[\\w.]* (must|is) `))
      }
    })
  )

  it.effect.each(rows(ofServer))("of a server is a ServeFailed: %s %j", ([name, value]) =>
    Effect.gen(function* () {
      const options = { [name]: value } as unknown as Server.ServeOptions
      const failure = yield* Effect.flip(Effect.scoped(Layer.build(Server.layer(options))))
      expect(failure).toMatchObject({ _tag: "ServeFailed", reason: "InvalidOption" })
      expect(failure.message).toMatch(new RegExp(`^${name} must `))
    })
  )

  it.effect("names the option that was meant, if it is misspelt in a value that no compiler has read", () =>
    Effect.gen(function* () {
      const read: Sandbox.Options = JSON.parse('{"wolrd":"empty","seed":7}')
      const refused = Cause.squash(Option.getOrThrow(Exit.causeOption(yield* Effect.exit(Sandbox.make(read)))))
      expect(refused).toMatchObject({ message: "wolrd is not an option: did you mean world?" })
      const served = (options: object) =>
        Effect.map(Effect.flip(Effect.scoped(Layer.build(Server.layer(options)))), ({ message }) => message)
      expect(yield* served(read)).toBe("wolrd is not an option: did you mean world?")
      expect(yield* served({ prot: 8080 })).toBe("prot is not an option: did you mean port?")
      expect(yield* served({ nonsense: 1 })).toBe("nonsense is not an option")
    })
  )

  it.effect("is not one that is undefined", () =>
    Effect.gen(function* () {
      const nothing = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, undefined]))
      yield* Sandbox.make(nothing(ofSandbox))
      yield* Effect.scoped(Layer.build(Server.layer({ ...nothing(ofSandbox), ...nothing(ofServer) })))
    })
  )
})
