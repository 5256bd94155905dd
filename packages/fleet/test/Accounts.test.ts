import * as Accounts from "@effect-venue/fleet/Accounts"
import * as Secrets from "@effect-venue/testing/Secrets"
import { Duration, Either, Option } from "effect"
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"

const file = {
  baseUrl: "https://api.venue.example",
  from: "2025-01-01",
  datasets: ["executions", "deposits"],
  accounts: { alice: { masterUid: "1" } }
}

const alice = (more: object) => ({ ...file, accounts: { alice: { masterUid: "1", ...more } } })

const parsed = (value: unknown, options: Accounts.ParseOptions = {}) => Accounts.parse(JSON.stringify(value), options)

describe("a file of accounts", () => {
  it("has defaults: one address that the system chooses, keys in the environment, every day", () => {
    const { accounts, credentials, egresses } = Either.getOrThrow(parsed(file))
    expect(credentials).toEqual({ _tag: "Environment" })
    expect(egresses.map(({ name }) => name)).toEqual(["default"])
    const [account] = accounts
    expect(account).toMatchObject({
      name: "alice",
      masterUid: "1",
      egress: "any",
      isPaused: false,
      from: Date.UTC(2025, 0, 1),
      datasets: ["executions", "deposits"],
      categories: []
    })
    expect(account === undefined ? undefined : Duration.toHours(account.every)).toBe(24)
  })

  it("can be that of docs/fleet.md", () => {
    const page = fs.readFileSync(new URL("../../../docs/fleet.md", import.meta.url), "utf8")
    const [, text = ""] = /## accounts\.json.*?```json\n(.*?)```/s.exec(page) ?? []
    const { accounts } = Either.getOrThrow(Accounts.parse(text))
    expect(accounts.map(({ name }) => name)).toEqual(["alice", "bob", "bob-sub"])
  })

  it("lets an account differ from the file", () => {
    const [account] = Either.getOrThrow(
      parsed(
        alice({
          datasets: ["executions"],
          categories: ["linear"],
          from: "2026-01-01",
          to: "2026-02-01",
          every: "6 hours",
          paused: true,
          uid: "9"
        })
      )
    ).accounts
    expect(account).toMatchObject({
      from: Date.UTC(2026, 0, 1),
      to: Option.some(Date.UTC(2026, 1, 1)),
      uid: Option.some("9"),
      isPaused: true
    })
  })

  it.each([
    ["a file that is no object", [], "", "must be an object with accounts"],
    ["a file without accounts", { ...file, accounts: {} }, "accounts", "must have at least one account"],
    ["an unknown setting", alice({ key: "x" }), "accounts.alice.key", "is not a setting"],
    ["no master UID", { ...file, accounts: { alice: {} } }, "accounts.alice.masterUid", "is required"],
    [
      "an unknown dataset",
      alice({ datasets: ["executions", "trades"] }),
      "accounts.alice.datasets.1",
      /must be one of executions/
    ],
    [
      "an unknown category",
      alice({ categories: ["option"] }),
      "accounts.alice.categories.0",
      "must be linear, inverse or spot"
    ],
    [
      "a dataset without the categories",
      alice({ datasets: ["executions", "closed-pnl"], categories: ["spot"] }),
      "accounts.alice.categories",
      /has no category of closed-pnl/
    ],
    ["no beginning", { ...file, from: undefined }, "accounts.alice.from", /is required/],
    ["a beginning that is no instant", alice({ from: "yesterday" }), "accounts.alice.from", /must be an instant/],
    ["an end before the beginning", alice({ to: "2024-01-01" }), "accounts.alice.to", "must be after from"],
    ["a period that is too short", alice({ every: "1 second" }), "accounts.alice.every", /at least 1 minute/],
    [
      "an http address of another machine",
      alice({ baseUrl: "http://api.venue.example" }),
      "accounts.alice.baseUrl",
      /use https/
    ],
    ["an address that is not there", alice({ egress: "b" }), "accounts.alice.egress", "must be any, or one of default"],
    ["an address twice", { ...file, egresses: [{ name: "a" }, { name: "a" }] }, "egresses", "has the name a twice"],
    [
      "an address with a proxy too",
      { ...file, egresses: [{ name: "a", localAddress: "127.0.0.2", proxy: "http://secret@x" }] },
      "egresses.0",
      /not both/
    ],
    ...[" alice", "alice ", "a lice", "", "Zo\u00eb"].map(
      (name) =>
        [
          `the name "${name}"`,
          { ...file, accounts: { [name]: { masterUid: "1" } } },
          `accounts.${name}`,
          /is not a name/
        ] as const
    ),
    ["a name that is a path", { ...file, accounts: { "../x": { masterUid: "1" } } }, "accounts.../x", /is not a name/],
    [
      "names that a file system takes for one",
      { ...file, accounts: { bob: { masterUid: "1" }, Bob: { masterUid: "2" } } },
      "accounts.Bob",
      /upper and lower case/
    ],
    [
      "names with the same variables",
      { ...file, accounts: { "a-b": { masterUid: "1" }, a_b: { masterUid: "2" } } },
      "accounts.a_b",
      /VENUE_A_B_API_KEY/
    ]
  ] as const)("is refused with %s, by its path", (_, value, path, rule) => {
    const failure = Either.getOrThrow(Either.flip(parsed(value, { file: "x.json" })))
    expect({ file: failure.file, path: failure.path }).toEqual({ file: "x.json", path })
    expect(failure.rule).toMatch(rule)
    expect(failure.message).not.toContain("secret")
  })

  it.each([
    ["an account", `{ "accounts": { "alice": { "masterUid": "1" }, "bob": {}, "\\u0061lice": {} } }`, "accounts.alice"],
    ["a setting", `{ "from": "2025-01-01", "accounts": {}, "from": "2026-01-01" }`, "from"],
    [
      "a setting in a list",
      `{ "egresses": [{ "name": "a:{" }, { "name": "b", "proxy": [], "name": "c" }] }`,
      "egresses.1.name"
    ]
  ])("is refused when it has %s twice, of which a parser drops one", (_, text, path) => {
    expect(Either.flip(Accounts.parse(text))).toMatchObject(Either.right({ path, rule: "is there twice" }))
  })

  it("is refused when it is not JSON, without a piece of its text", () => {
    const failure = Either.getOrThrow(Either.flip(Accounts.parse('{ "apiSecret": "hush" ')))
    expect(failure.message).toBe("accounts.json: is not JSON")
  })

  it("keeps the password of a proxy out of what is printed", () => {
    const declaration = Either.getOrThrow(
      parsed({ ...file, egresses: [{ name: "a", proxy: "http://user:hush@proxy:3128" }] })
    )
    expect(JSON.stringify(declaration)).not.toContain("hush")
  })

  it.each(Object.entries(Secrets.makeMalformedUrls("http")))(
    "is refused if a proxy is a URL with %s, which is not printed",
    (_, proxy) => {
      const outcome = parsed({ ...file, egresses: [{ name: "a", proxy }] })
      expect(Option.getOrThrow(Either.getLeft(outcome)).message).toMatch(
        /egresses\.0\.proxy must be a URL such as http:/
      )
      expect(Secrets.printValue(outcome)).not.toContain(Secrets.password)
    }
  )
})
