import * as Breadth from "@effect-venue/testing/Breadth"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { ago, folder, linesOf, nowhere, sharedExchange, venue, type Ended } from "./utils/venue.js"

/** Words of a parser, of Node, of internal options and of TypeScript. */
const foreign =
  // eslint-disable-next-line no-control-regex -- the character that escape codes begin with
  /FileSystem\.|Received|Expected|options\.|\u001b|undefined|NaN|\[object|DateTime|BigDecimal|Option\b|ENOENT|ECONN|ENOTFOUND|EEXIST|ENOTDIR|at \w+ \(|must be an instant/

const expectRefusal = ({ code, err, out }: Ended, words: ReadonlyArray<string>): void => {
  const call = `venue ${words.join(" ")}`
  expect({ call, code, out }).toEqual({ call, code: 2, out: "" })
  expect(linesOf(err.replace(/^venue: warning: .*\n/gm, "")), call).toHaveLength(1)
  expect(err, call).toMatch(/^venue: \S/m)
  expect(err, call).not.toMatch(foreign)
  expect(err, call).not.toMatch(/: (is|must) /)
  if (words[0] !== "call") expect(err, call).not.toMatch(/ is not a parameter/)
  // A rule about two parameters names both.
  const [, field = ""] = / (\w+) must be (?!.* after )/.exec(err) ?? []
  const value = words.find((word) => word.startsWith(`${field}=`))
  if (value !== undefined) expect(/, not .*/.exec(err)?.[0] ?? "", call).toContain(value.slice(field.length + 1))
}

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["accounts"],
  ["call", "orders.open"],
  ["doctor"],
  ["export", "executions"],
  ["fleet", "run", "accounts.json"],
  ["fleet", "status"],
  ["init"],
  ["log", "nowhere"],
  ["operations"],
  ["report", "nowhere"],
  ["sandbox"],
  ["schema", "executions"],
  ["start"],
  ["tap"],
  ["verify", "nowhere"]
]

/** The options of a command, from its help; `takes` is the kind of value, empty for a flag. */
const optionsOf = async (command: ReadonlyArray<string>) => {
  const { out } = await venue([...command.slice(0, command[0] === "fleet" ? 2 : 1), "--help"])
  return [...out.matchAll(/^ {2}(?<name>--[a-z-]+)(?: (?<takes>\S+))?/gm)].map(({ groups }) => ({
    name: groups?.name ?? "",
    takes: groups?.takes ?? ""
  }))
}

describe("every command refuses in the words of its user, with code 2,", () => {
  for (const command of commands) {
    const name = command.join(" ")

    it(`${name} --no-such-option`, async () => {
      expectRefusal(await venue([...command, "--no-such-option"]), command)
    })

    it(`${name} with each option misspelt, without its value, or with a wrong one`, async () => {
      const options = await optionsOf(command)
      expect(options.length).toBeGreaterThan(0)
      expect(options.some(({ takes }) => takes !== "")).toBe(command[0] !== "operations")
      // Every fourth in `npm test`, all of them in `npm run accept -- large`.
      for (const { name, takes } of options.filter((_, index) => Breadth.isLong || index % 4 === 0)) {
        const misspelt = [...command, `${name}x`]
        const answer = await venue(misspelt)
        expectRefusal(answer, misspelt)
        expect(answer.err).toContain(`did you mean ${name}`)
        if (takes === "") continue
        expectRefusal(await venue([...command, name]), [...command, name])
        const wrong = [...command, name, "zz!", "--no-such-option"]
        expectRefusal(await venue(wrong), wrong)
      }
    })

    it(`${name} with too many arguments`, async () => {
      const words = [...command, "surplus", "surplus"]
      expectRefusal(await venue(words, nowhere), words)
    })
  }
})

const mistakes: ReadonlyArray<readonly [words: string, message: RegExp]> = [
  ["export executions", /--from is needed/],
  ["export executions --from 2026-11-31", /"2026-11-31" is not a date: there is no such day/],
  ["export executions --from soon", /"soon" is not a date such as .*yesterday/],
  ["export executions --from 2020-01-20 --to 2020-01-10", /--from 2020-01-20 is after --to 2020-01-10/],
  ["export executions --from 2020-01-20 --to 2020-01-20", /both 2020-01-20: --to is excluded/],
  [
    "export executions --from 2020-01 --to 2020-01",
    /"2020-01" is a month: 2020-01-01 ends before it, 2020-02-01 after/
  ],
  ["export executions --from 2999-01-01", /--from 2999-01-01 is in the future: it is \d{4}-/],
  ["export executions --year 2999", /--year: "2999" is in the future/],
  ["export executions --year 20", /"20" is not a year such as 2025/],
  ["export executions --year 2025 --from 7d", /--year cannot be combined/],
  ["export executions --from 7d --symbol btcusdt", /--symbol: "btcusdt" .*did you mean BTCUSDT/],
  ["export deposits --from 7d --coin usdt", /--coin: "usdt" .*did you mean USDT/],
  ["export executions --from 7d --account nobody", /--account nobody: there is no venue.config.json/],
  ["call orders.open categroy=linear", /categroy is not a parameter: did you mean category/],
  ["call orders.open category=linear symbol=btcusdt", /did you mean BTCUSDT/],
  ["call orders.open category=linear settleCoin=USDT limit=1000", /limit must be a whole number .*, not 1000/],
  ["call executions.list category=spot limit=0", /limit must be .*, not 0/],
  ["call executions.list category=spot startTime=2026-01-01 endTime=2026-03-01", /endTime must be at most 7 days/],
  ["call executions.list category=spot startTime=2026-13-01", /a date such as 2026-01-31T18:00Z/],
  ["sandbox --port 99999", /--port must be a port from 0 to 65535, not 99999/],
  ["sandbox --metrics-port 99999", /--metrics-port must be a port from 0 to 65535, not 99999/],
  ["sandbox --host 0.0.0.0", /--allow-remote allows this/],
  ["sandbox --state bad.json", /bad\.json: /],
  ["tap", /--config is missing/],
  ["tap --config bad.json", /bad\.json/],
  ["accounts --config bad.json", /bad\.json: /],
  ["accounts --config text.json", /text\.json is not JSON/],
  ["fleet run text.json", /text\.json is not JSON/],
  ["export deposits --from 7d --category spot", /there is no category of deposits/],
  ["export deposits --from 7d --symbol BTCUSDT", /deposits cannot be limited to one symbol/],
  ["accounts --config missing.json", /there is no missing\.json/],
  ["fleet run bad.json", /bad\.json: /],
  ["fleet run missing.json", /missing\.json: it does not exist, or cannot be read/],
  ["tap --config missing.json", /missing\.json does not exist/],
  ["call orders.createBatch category=linear request=@missing.json", /missing\.json does not exist/],
  ["export executions --from 7d --category linear,spot", /"linear,spot" is unknown: repeat the option/],
  ["operations extra", /"extra" is one argument too many/]
]

describe("venue", () => {
  for (const [words, message] of mistakes) {
    it(`explains the mistake in: venue ${words}`, async () => {
      fs.writeFileSync(path.join(folder(), "bad.json"), '{"a": 1}', { mode: 0o600 })
      fs.writeFileSync(path.join(folder(), "text.json"), "{ not json", { mode: 0o600 })
      const answer = await venue(words.split(" "), words.includes("--config") ? {} : nowhere)
      expectRefusal(answer, words.split(" "))
      expect(answer.err).toMatch(message)
    })
  }

  it("names the variables without an account, with code 2", async () => {
    const answer = await venue(["doctor"])
    expectRefusal(answer, ["doctor"])
    expect(answer.err).toMatch(/no account is configured: set VENUE_BASE_URL/)
  })

  it("explains an address without a scheme", async () => {
    const answer = await venue(["doctor"], { ...nowhere, VENUE_BASE_URL: "localhost:18080" })
    expectRefusal(answer, ["doctor"])
    expect(answer.err).toMatch(/must be an absolute http or https address, such as https:/)
  })

  it("explains a service that does not answer", async () => {
    const { code, err } = await venue(["call", "orders.open", "category=linear", "symbol=BTCUSDT"], nowhere)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/nothing listens at 127\.0\.0\.1:9/) })
    expect(err).not.toMatch(foreign)
  })

  it("ends silently when the reader of its output has gone", async () => {
    const { err } = await venue(["operations"], {}, new Error("write EPIPE"))
    expect(err).toBe("")
  })
})

describe("a key that is refused", () => {
  const exchange = sharedExchange()

  it("is explained by every command that uses it", async () => {
    const { variables } = exchange.current()
    for (const [change, message] of [
      [{ VENUE_API_SECRET: "wrong" }, /the secret is not that of the key \(Signature\)/],
      [{ VENUE_API_KEY: "wrong" }, /the key is unknown there, or has expired \(Key\)/]
    ] as const) {
      for (const words of ["accounts", "doctor --days 1", "call account.feeRate category=linear symbol=BTCUSDT"]) {
        const { code, err, out } = await venue(words.split(" "), { ...variables, ...change })
        expect({ words, code, text: `${out}${err}` }).toEqual({ words, code: 1, text: expect.stringMatching(message) })
        expect(`${out}${err}`).not.toMatch(/unauthorized/)
      }
      const { err } = await venue(["export", "executions", "--from", "2d", "--out", "refused"], {
        ...variables,
        ...change
      })
      expect(err).toMatch(message)
    }
  })
})

describe("a symbol that the service does not list", () => {
  const exchange = sharedExchange()
  const refuse = async (words: string) => {
    const { code, err } = await venue(words.split(" "), exchange.current().variables)
    expect({ words, code }).toEqual({ words, code: 1 })
    expect(err).not.toMatch(/10001|Rejected/)
    return linesOf(err).at(-1)
  }

  it("is explained by the option, with those that were perhaps meant", async () => {
    expect(await refuse("export executions --from 2d --symbol DOGEMOON --out moon")).toBe(
      "venue: --symbol: the service lists no DOGEMOON in linear: did you mean DOGEUSDT?"
    )
    expect(
      await refuse("export executions --from 2d --symbol XRPUSDT --category linear --category spot --out moon")
    ).toMatch(/^venue: --symbol: the service lists no XRPUSDT in spot: did you mean [A-Z]+USDT/)
    expect(await refuse("export closed-pnl --from 2d --symbol ZZ --category inverse --out moon")).toBe(
      "venue: --symbol: the service lists no ZZ in inverse"
    )
  })

  it("is explained by the parameter of a call", async () => {
    expect(await refuse("call orders.open category=linear symbol=BTCUSTD")).toBe(
      "venue: orders.open: symbol: the service lists no BTCUSTD in linear: did you mean BTCUSDT?"
    )
    expect(
      await refuse(
        "call orders.create category=spot symbol=DOGEUSD side=Buy orderType=Market qty=1 orderLinkId=m-1 --yes"
      )
    ).toMatch(/^venue: orders\.create: symbol: the service lists no DOGEUSD in spot/)
  })

  it("is explained by the field of a tap's configuration", async () => {
    const config = { start_date: ago(2), datasets: ["executions"], categories: ["linear"], symbol: "DOGEMOON" }
    fs.writeFileSync(path.join(folder(), "moon.json"), JSON.stringify(config), { mode: 0o600 })
    expect(await refuse("tap --config moon.json")).toBe(
      "venue: --config: symbol: the service lists no DOGEMOON in linear: did you mean DOGEUSDT?"
    )
  })

  it("is not the reason of another refusal", async () => {
    const { code, err } = await venue(
      "call orders.cancel category=linear symbol=BTCUSDT orderLinkId=none --yes".split(" "),
      exchange.current().variables
    )
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/Rejected: orders\.cancel: .*110001/) })
  })
})

describe("a coin that the service does not list", () => {
  const exchange = sharedExchange()
  const warnings = async (coin: string) => {
    const words = `export deposits transfers --from 2d --coin ${coin} --out of-${coin}`
    const { code, err } = await venue(words.split(" "), exchange.current().variables)
    expect(code).toBe(0)
    return linesOf(err).filter((line) => line.startsWith("--coin"))
  }

  it("is named, since the service answers without rows", async () => {
    expect(await warnings("USTD")).toEqual(["--coin: the service lists no USTD: did you mean USDT?"])
    expect(await warnings("ZZZZZZ")).toEqual(["--coin: the service lists no ZZZZZZ"])
  })

  it("is named by the field of a tap's configuration", async () => {
    const config = { start_date: ago(2), datasets: ["deposits"], coin: "USTD" }
    fs.writeFileSync(path.join(folder(), "coin.json"), JSON.stringify(config), { mode: 0o600 })
    const { code, err } = await venue(["tap", "--config", "coin.json"], exchange.current().variables)
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining("--config: coin: the service lists no USTD: did you mean USDT?\n")
    })
  })

  it("is not supposed of a coin that is listed", async () => {
    expect(await warnings("USDT")).toEqual([])
    expect(await warnings("DOGE")).toEqual([])
  })
})

describe("a folder that cannot be created", () => {
  const exchange = sharedExchange()

  // Node's own recursive creation never ends in such a folder.
  it("ends every command at once", async () => {
    const { variables } = exchange.current()
    const run = (words: string) => venue(words.split(" "), variables)
    expect(await run(`export executions --from ${ago(2)} --out there`)).toMatchObject({ code: 0 })
    for (const [words, code] of [
      [`export executions --from ${ago(2)} --out /proc/none`, 1],
      [`export executions --from ${ago(2)} --format sqlite --out /proc/none/x`, 1],
      [`export executions --from ${ago(2)} --partition month --out /proc/none/x`, 1],
      ["log there --as rotki --out /proc/none/x", 1],
      ["log there --out /proc/none/x", 1],
      ["report there --out /proc/none/x", 1],
      ["doctor --days 1 --bundle /proc/none/x", 1],
      ["sandbox --state /proc/none/x", 2]
    ] as const) {
      const ended = await run(words)
      expect({ words, code: ended.code, err: ended.err }).toEqual({
        ...{ words, code },
        err: expect.stringMatching(/^venue: .*\/proc\/none.*\n$/m)
      })
      expect(ended.err).not.toMatch(foreign)
      expect(ended.err).not.toMatch(/another export|another process/)
    }
  })
})

describe("dates", () => {
  const exchange = sharedExchange()
  const fromOf = async (words: ReadonlyArray<string>): Promise<unknown> => {
    const name = words.join("").replace(/\W/g, "")
    const { code, err, out } = await venue(
      ["export", "executions", ...words, "--out", name, "--json"],
      exchange.current().variables
    )
    expect({ code, err }).toEqual({ code: 0, err: expect.any(String) })
    const { from }: { readonly from?: unknown } = JSON.parse(out) as object
    return from
  }

  it("can be relative to today", async () => {
    expect(await fromOf(["--from", "2d"])).toBe(`${ago(2)}T00:00:00.000Z`)
    expect(await fromOf(["--from", "yesterday"])).toBe(`${ago(1)}T00:00:00.000Z`)
  })

  it("can be a month", async () => {
    const month = ago(0).slice(0, 7)
    expect(await fromOf(["--from", "this-month"])).toBe(`${month}-01T00:00:00.000Z`)
    expect(await fromOf(["--from", month])).toBe(`${month}-01T00:00:00.000Z`)
  })

  it("can be a year", async () => {
    const year = ago(0).slice(0, 4)
    expect(await fromOf(["--year", year])).toBe(`${year}-01-01T00:00:00.000Z`)
  })
})
