import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Option, Redacted } from "effect"
import * as ConfigFile from "../src/config/configFile.js"

const secret = "example-secret-0001"
const main = { apiKey: "EXAMPLEKEY0001", apiSecret: secret }
const baseUrl = "https://venue.test"

const read = (content: unknown) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = `${yield* fs.makeTempDirectoryScoped()}/accounts.json`
    yield* fs.writeFileString(file, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 })
    return Option.map(yield* ConfigFile.read(file), ({ accounts }) => accounts)
  }).pipe(Effect.provide(NodeContext.layer))

describe("a config file", () => {
  it.scoped("contains the accounts by name, in order, with redacted secrets", () =>
    Effect.gen(function* () {
      const accounts = Option.getOrThrow(
        yield* read({
          baseUrl,
          accounts: { main, fund: { ...main, baseUrl: "https://other.test/api/", uid: "7", recvWindow: 9000 } }
        })
      )
      expect([...accounts.keys()]).toEqual(["main", "fund"])
      const one = yield* Option.getOrThrow(Option.fromNullable(accounts.get("main")))
      expect(one.baseUrl).toBe(baseUrl)
      expect(Redacted.value(one.apiSecret)).toBe(secret)
      expect(JSON.stringify(one)).not.toMatch(/EXAMPLEKEY0001|example-secret/)
      const other = yield* Option.getOrThrow(Option.fromNullable(accounts.get("fund")))
      expect([other.baseUrl, other.uid, Duration.toMillis(other.recvWindow)]).toEqual([
        "https://other.test/api",
        "7",
        9000
      ])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("can refer to a secret in a file or from a program, read when its account is used", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/secret`
      yield* fs.writeFileString(file, `${secret}\n`, { mode: 0o600 })
      let keys = 0
      const keyed = <A extends object>(secret: A) => ({ apiKey: `EXAMPLEKEY000${++keys}`, ...secret })
      const program = (...words: ReadonlyArray<string>) => keyed({ apiSecretCommand: words })
      const accounts = Option.getOrThrow(
        yield* read({
          baseUrl,
          accounts: {
            file: keyed({ apiSecretFile: file }),
            command: program(process.execPath, "-e", `console.log("${secret}")`),
            failing: program(process.execPath, "-e", `console.log("${secret}"); process.exit(3)`),
            silent: program(process.execPath, "-e", ""),
            absent: program("no-such-program"),
            lost: keyed({ apiSecretFile: `${file}.none` })
          }
        })
      )
      const of = (name: string) => Option.getOrThrow(Option.fromNullable(accounts.get(name)))
      expect(Redacted.value((yield* of("file")).apiSecret)).toBe(secret)
      expect(Redacted.value((yield* of("command")).apiSecret)).toBe(secret)
      const refusals = yield* Effect.forEach(["failing", "silent", "absent", "lost"], (name) => Effect.flip(of(name)))
      expect(refusals.map(({ message }) => message.replace(/^.*?accounts\.json: /, ""))).toEqual([
        "accounts.failing: apiSecretCommand ended with exit code 3",
        "accounts.silent: apiSecretCommand printed nothing",
        "accounts.absent: apiSecretCommand could not be started: no-such-program",
        `accounts.lost: the file of the secret, ${file}.none, cannot be read`
      ])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("that does not exist has no accounts", () =>
    Effect.gen(function* () {
      expect(yield* Effect.provide(ConfigFile.read("nowhere.json"), NodeContext.layer)).toEqual(Option.none())
    })
  )

  for (const [content, rule] of [
    [`{ "accounts": { "main": { "apiSecret": "${secret}" `, "is not JSON"],
    [secret, "is not JSON"],
    [`"${secret}"`, "must be an object with accounts"],
    [{}, "accounts is required"],
    [{ accounts: secret }, "accounts must be an object, with an account by each name"],
    [{ baseUrl, accounts: { main: secret } }, "accounts.main must be an object with apiKey and apiSecret"],
    [{ baseUrl, accounts: { main: { apiSecret: secret } } }, "accounts.main.apiKey is required"],
    [{ baseUrl, accounts: { main: { ...main, apiSecret: 1234567 } } }, "accounts.main.apiSecret must be text"],
    [
      { baseUrl, accounts: { main, fund: main } },
      "accounts.fund.apiKey is that of main: remove one of the two accounts"
    ],
    [{ baseUrl, accounts: { main: { ...main, apiKey: " " } } }, "accounts.main.apiKey must not be empty"],
    [{ baseUrl, accounts: { main: { ...main, apiSekret: secret } } }, "accounts.main.apiSekret is not a setting"],
    [
      { baseUrl, accounts: { main: { ...main, recvWindow: "1234567" } } },
      "accounts.main.recvWindow must be a whole number of milliseconds greater than 0"
    ],
    [
      { baseUrl: `https://user:${secret}@venue.test`, accounts: { main } },
      "baseUrl must be an absolute http or https address, without user, query or fragment"
    ],
    [{ accounts: { main } }, "accounts.main.baseUrl is required, here or for all accounts"],
    [
      { baseUrl: "http://venue.example", accounts: { main } },
      "accounts.main.baseUrl is http to another machine: use https, or set VENUE_ALLOW_INSECURE=1"
    ],
    [
      { baseUrl, accounts: { main: { ...main, apiKey: "EXAMPLEKEY 0001" } } },
      "accounts.main.apiKey must consist of visible ASCII characters, because a header carries it"
    ]
  ] as const) {
    it.scoped(`is refused with the path and without the value: ${rule}`, () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(read(content))
        expect(message).toMatch(/^\S+\/accounts\.json: /)
        expect(message.slice(message.indexOf(": ") + 2)).toBe(rule)
        expect(message).not.toMatch(/example-secret|EXAMPLEKEY|1234567/)
      })
    )
  }

  it.scoped("can contain an http URL if that is allowed", () =>
    Effect.gen(function* () {
      const accounts = yield* Effect.withConfigProvider(
        read({ baseUrl: "http://venue.example", accounts: { main } }),
        ConfigProvider.fromMap(new Map([["VENUE_ALLOW_INSECURE", "1"]]))
      )
      const account = yield* Option.getOrThrow(Option.fromNullable(Option.getOrThrow(accounts).get("main")))
      expect(account.baseUrl).toBe("http://venue.example")
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
