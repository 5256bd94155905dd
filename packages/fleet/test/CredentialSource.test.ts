import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import type { Layer } from "effect"
import { ConfigProvider, Effect, Exit, Redacted } from "effect"
import { account } from "./utils/world.js"
import { variablesOf } from "../src/accounts/AccountsFile.js"

const alice = account("alice", { baseUrl: "https://api.venue.example" })

const get = Effect.flatMap(CredentialSource.CredentialSource, (source) => source.get(alice))

const key = { apiKey: "EXAMPLEKEY0001", apiSecret: "example-secret-not-real-0001" }

/** The key that a source has of alice, or why it has none. */
const found = <R>(layer: Layer.Layer<CredentialSource.CredentialSource, never, R>) =>
  Effect.provide(get, layer).pipe(
    Effect.exit,
    Effect.map(
      Exit.match({
        onFailure: (cause) => {
          // Neither the failure nor what is printed of it has a part of a key.
          expect(String(cause)).not.toContain("example-secret")
          return cause._tag === "Fail" ? cause.error.reason : String(cause)
        },
        onSuccess: ({ apiKey, apiSecret, baseUrl }) => [Redacted.value(apiKey), Redacted.value(apiSecret), baseUrl]
      })
    )
  )

const expected = [key.apiKey, key.apiSecret, "https://api.venue.example"]

describe("a file of keys", () => {
  it.scopedLive.each([
    { title: "has the key of an account", text: JSON.stringify({ accounts: { alice: key } }), result: expected },
    { title: "lacks an account", text: JSON.stringify({ accounts: { bob: key } }), result: "Missing" },
    {
      title: "has an account without a secret",
      text: JSON.stringify({ accounts: { alice: { ...key, apiSecret: "" } } }),
      result: "Invalid"
    },
    {
      title: "has a key that no header carries",
      text: JSON.stringify({ accounts: { alice: { ...key, apiKey: "a\nb" } } }),
      result: "Invalid"
    },
    {
      title: "is being written",
      text: '{ "accounts": { "alice": { "apiSecret": "example-secret',
      result: "Unavailable"
    },
    {
      title: "has an account twice",
      text: `{ "accounts": { "alice": ${JSON.stringify(key)}, "alice": ${JSON.stringify(key)} } }`,
      result: "Unavailable"
    },
    { title: "is not there", text: undefined, result: "Unavailable" }
  ])("$title", ({ result, text }) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/keys.json`
      if (text !== undefined) yield* fs.writeFileString(file, text)
      expect(yield* found(CredentialSource.layerFile(file))).toEqual(result)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("is read each time, so that a new key is used", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/keys.json`
      const write = (apiKey: string) =>
        fs.writeFileString(file, JSON.stringify({ accounts: { alice: { ...key, apiKey } } }))
      yield* write("first")
      const source = yield* Effect.provide(CredentialSource.CredentialSource, CredentialSource.layerFile(file))
      yield* write("second")
      expect(Redacted.value((yield* source.get(alice)).apiKey)).toBe("second")
    }).pipe(Effect.provide(NodeContext.layer))
  )
})

describe("keys in the environment", () => {
  const variables = (map: Record<string, string>) =>
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(map))))

  it.effect("are in the variables of the account's name", () =>
    Effect.gen(function* () {
      const both = { VENUE_ALICE_API_KEY: key.apiKey, VENUE_ALICE_API_SECRET: key.apiSecret }
      expect(yield* variables(both)(found(CredentialSource.layerEnvironment))).toEqual(expected)
      expect(yield* variables({ VENUE_ALICE_API_KEY: "x" })(found(CredentialSource.layerEnvironment))).toBe("Missing")
      expect(variablesOf("bob-sub.2").apiKey).toBe("VENUE_BOB_SUB_2_API_KEY")
    })
  )
})

describe("keys of a program", () => {
  const program = (script: string) => CredentialSource.layerCommand(process.execPath, "-e", script)

  it.scopedLive.each([
    {
      title: "are those that it prints for the account in its last argument",
      script: `console.log(JSON.stringify({ apiKey: process.argv.at(-1) + "key", apiSecret: "${key.apiSecret}" }))`,
      result: ["alicekey", key.apiSecret, "https://api.venue.example"]
    },
    {
      title: "are unavailable when it fails",
      script: `console.log("example-secret"); process.exit(3)`,
      result: "Unavailable"
    },
    { title: "are invalid when it prints something else", script: `console.log("example-secret")`, result: "Invalid" }
  ])("$title", ({ result, script }) =>
    Effect.gen(function* () {
      expect(yield* found(program(script))).toEqual(result)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("are unavailable when there is no such program", () =>
    Effect.gen(function* () {
      expect(yield* found(CredentialSource.layerCommand("/nowhere/program"))).toBe("Unavailable")
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
