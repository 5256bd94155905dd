import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import {
  ago,
  type Ended,
  exchange,
  filesOf,
  folder,
  interruptedWhen,
  launched,
  linesOf,
  nowhere,
  variablesOf,
  venue
} from "./utils/venue.js"

let world: Awaited<ReturnType<typeof exchange>>

beforeAll(async () => {
  world = await exchange({ limits: "off" })
})

const manifestOf = (out: string) => JSON.parse(fs.readFileSync(path.join(folder(), out, "manifest.json"), "utf8"))

const writeConfig = (name: string, config: unknown, mode = 0o600) =>
  fs.writeFileSync(path.join(folder(), name), typeof config === "string" ? config : JSON.stringify(config), { mode })

const all = [
  "executions",
  "pre-upgrade-executions",
  "closed-pnl",
  "pre-upgrade-closed-pnl",
  "order-history",
  "deposits",
  "transfers",
  "sub-account-transfers",
  "bonus-usage",
  "broker-volume"
]

/** Days with few records: the command waits for the rate limits of its calls by the clock. */
const quiet = ["--from", ago(63), "--to", ago(61)]

describe("venue export", () => {
  it("exports all ten datasets in one run, with every category", async () => {
    const args = ["export", "all", "broker-volume", "--from", ago(2), "--to", ago(1), "--out", "all"]
    const { code, err, out } = await venue(args, world.variables)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const { parts, verdict } = manifestOf("all")
    expect(verdict).toBe("complete")
    expect([...new Set(parts.map(({ dataset }: { dataset: string }) => dataset))]).toEqual(all)
    const names = parts.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining(["executions-spot", "executions-linear", "executions-inverse", "closed-pnl-inverse"])
    )
    expect(names).not.toContain("closed-pnl-spot")
    expect(Object.keys(filesOf("all"))).toEqual(
      [...names.map((name: string) => `${name}.ndjson`), "manifest.json", "views.sql"].sort()
    )
    const held = world.sandbox.holds({ category: "linear", from: `${ago(2)}T00:00:00Z`, to: `${ago(1)}T00:00:00Z` })
    const { executions } = await Effect.runPromise(held)
    expect(linesOf(filesOf("all")["executions-linear.ndjson"] ?? "")).toHaveLength(executions.count)
    expect(out).toMatch(/rows +[\d,]+\n/)
  })

  it("with --sandbox is compared with the sandbox, and can be limited to one symbol", async () => {
    const args = ["export", "executions", "--category", "linear", "--category", "spot", ...quiet]
    const ended = await venue([...args, "--sandbox", "--out", "own"])
    expect(ended).toMatchObject({ code: 0, err: "" })
    expect(ended.out).toMatch(/check +executions-linear: the sandbox holds [\d,]+ rows in this period/)
    expect(ended.out).toMatch(/check +executions-spot: the sandbox holds/)
    const again = await venue([...args, "--sandbox", "--out", "own"])
    expect(again.code).toBe(2)
    expect(again.err).toMatch(/^venue: own: there is an export here already, and a new sandbox has another history/)
    const one = await venue([...args, "--symbol", "BTCUSDT", "--sandbox", "--out", "own", "--overwrite"])
    expect(one).toMatchObject({ code: 0, err: "" })
    expect(Object.keys(filesOf("own"))).toEqual([
      "executions-linear-BTCUSDT.ndjson",
      "executions-spot-BTCUSDT.ndjson",
      "manifest.json",
      "views.sql"
    ])
  })

  it("takes of each dataset those of the categories that it has", async () => {
    const args = ["export", "executions", "closed-pnl", "transfers", "--category", "spot", "--category", "linear"]
    expect(await venue([...args, ...quiet, "--out", "some"], world.variables)).toMatchObject({ code: 0, err: "" })
    expect(manifestOf("some").parts.map(({ name }: { name: string }) => name)).toEqual([
      "executions-spot",
      "executions-linear",
      "closed-pnl-linear",
      "transfers"
    ])
  })

  for (const [format, more, file] of [
    ["ndjson", ["--gzip"], "deposits.ndjson.gz"],
    ["csv", [], "deposits.csv"],
    ["parquet", [], "deposits.parquet"],
    ["sqlite", [], "venue.sqlite"]
  ] as const) {
    it(`writes ${format}`, async () => {
      const args = ["export", "deposits", "--from", ago(90), "--to", ago(1), "--format", format, ...more]
      const ended = await venue([...args, "--out", `in-${format}`], world.variables)
      expect(ended).toMatchObject({ code: 0, err: "" })
      expect(Object.keys(filesOf(`in-${format}`))).toContain(file)
      expect(ended.out).toContain(`in-${format}/${file}`)
      // What is finished is not read again.
      const before = await requests()
      expect(await venue([...args, "--out", `in-${format}`], world.variables)).toMatchObject({ code: 0, err: "" })
      expect(await requests()).toBe(before)
    })
  }

  it("reads several accounts from a file, and warns if others can read it", async () => {
    const accounts = Object.fromEntries(
      (["main", "sub"] as const).map((role) => {
        const { VENUE_API_KEY: apiKey, VENUE_API_SECRET: apiSecret } = variablesOf(world.credentials[role])
        return [role, { apiKey, apiSecret }]
      })
    )
    writeConfig("venue.config.json", { baseUrl: world.variables.VENUE_BASE_URL, accounts })
    const args = ["export", "executions", ...quiet, "--account", "main", "--account", "sub"]
    const ended = await venue([...args, "--out", "accounts"])
    expect(ended).toMatchObject({ code: 0, err: "" })
    expect(Object.keys(filesOf("accounts"))).toEqual([
      "executions-main-linear.ndjson",
      "executions-sub-linear.ndjson",
      "manifest.json",
      "views.sql"
    ])
    const unnamed = await venue(["export", "executions", "--from", ago(3), "--out", "unnamed"])
    expect(unnamed.code).toBe(2)
    expect(unnamed.err).toBe("venue: venue.config.json has the accounts main, sub: choose one with --account\n")
    fs.chmodSync(path.join(folder(), "venue.config.json"), 0o644)
    const warned = await venue([...args.slice(0, -2), "--out", "warned"])
    fs.rmSync(path.join(folder(), "venue.config.json"))
    expect(warned.code).toBe(0)
    expect(warned.err).toBe(
      "venue: warning: venue.config.json can be read by others than you: chmod 600 venue.config.json\n"
    )
  })

  it("continues where an earlier one ended, without --from", async () => {
    const args = ["export", "executions", "--category", "spot", "--out", "since"]
    const none = await venue([...args, "--incremental"], world.variables)
    expect(none).toMatchObject({ code: 2, out: "" })
    expect(none.err).toBe("venue: since: there is no export here to continue: add --from\n")
    const first = await venue([...args, "--from", ago(9), "--to", ago(5)], world.variables)
    expect(first).toMatchObject({ code: 0, err: "" })
    const second = await venue([...args, "--incremental", "--to", ago(1)], world.variables)
    expect(second).toMatchObject({ code: 0, err: "" })
    expect(Object.keys(filesOf("since"))).toEqual([
      "executions-spot.2.ndjson",
      "executions-spot.ndjson",
      "manifest.json",
      "views.sql"
    ])
    const manifest = manifestOf("since")
    expect([manifest.from, manifest.to]).toEqual([`${ago(9)}T00:00:00.000Z`, `${ago(1)}T00:00:00.000Z`])
    const whole = await venue(
      ["export", "executions", "--category", "spot", "--from", ago(9), "--to", ago(1), "--out", "whole"],
      world.variables
    )
    expect(whole.code).toBe(0)
    const { "executions-spot.2.ndjson": later = "", "executions-spot.ndjson": earlier = "" } = filesOf("since")
    expect(earlier + later).toBe(filesOf("whole")["executions-spot.ndjson"])

    // What it is of, it says itself. Standard output has the result and nothing else.
    const unnamed = await venue(["export", "--incremental", "--out", "since", "--json"], world.variables)
    expect({ code: unnamed.code, err: unnamed.err }).toEqual({ code: 0, err: "" })
    const { parts, rows } = manifestOf("since")
    expect(JSON.parse(unnamed.out)).toMatchObject({
      verdict: "complete",
      rows,
      parts: [{ name: "executions-spot", files: parts[0].files.map(({ name }: { name: string }) => name) }]
    })
    expect(unnamed.progress).toMatch(/ windows? /)
    const verified = await venue(["verify", "since", "--json"])
    expect(JSON.parse(verified.out)).toMatchObject({ location: "since", verdict: "complete", findings: [], rows })
  })

  it("exits with 1 if rows can be missing, and prints the range", async () => {
    const ended = await venue(
      ["export", "executions", "--from", ago(735), "--to", ago(725), "--out", "old"],
      world.variables
    )
    expect(ended.code).toBe(1)
    expect(ended.out).toMatch(/lost +executions-linear, .*: the service remembers 730 days/)
    expect(ended.err).toMatch(/^venue: the export lacks rows that the service no longer gives/)
  })
})

describe("records that can still change", () => {
  let own: typeof world

  // Its clock is moved on.
  beforeAll(async () => {
    own = await exchange({ limits: "off", world: "empty", prices: "still" })
  })

  const market = ["category=linear", "symbol=XRPUSDT"]

  /** The lines of a run about them. */
  const unsettledIn = ({ code, err, out }: Ended): ReadonlyArray<string> => {
    expect({ code, err }).toEqual({ code: 0, err: "" })
    return linesOf(out).filter((line) => line.startsWith("unsettled"))
  }

  it("are a line for each kind, with the reason, until none is left", async () => {
    const { control } = own.sandbox
    const account = await Effect.runPromise(control.openAccount({ funds: { USDT: "1000" } }))
    const variables = { ...own.variables, ...variablesOf({ ...account, baseUrl: own.credentials.main.baseUrl }) }
    const rest = ["side=Buy", "orderType=Limit", "qty=100", "price=0.1", "--yes"]
    for (const name of ["one", "two"]) {
      const placed = await venue(["call", "orders.create", ...market, ...rest, `orderLinkId=${name}`], variables)
      expect(placed.code).toBe(0)
    }
    await Effect.runPromise(control.deposit({ uid: account.uid, coin: "USDT", amount: "50", takes: "4 days" }))
    const names = ["order-history", "deposits", "--category", "linear", "--symbol", "XRPUSDT", "--out", "unsettled"]
    const orders = "unsettled order-history-linear-XRPUSDT:"
    const deposit =
      "unsettled deposits: 1 deposit in progress: its status changes until it succeeds or fails. --incremental reads them again"
    expect(unsettledIn(await venue(["export", ...names, "--from", ago(1)], variables))).toEqual([
      `${orders} 2 open orders: their records change until they close. --incremental reads them again`,
      deposit
    ])
    const incremental = () => venue(["export", "--incremental", "--out", "unsettled"], variables)
    const cancel = (name: string) =>
      venue(["call", "orders.cancel", ...market, `orderLinkId=${name}`, "--yes"], variables)
    expect((await cancel("one")).code).toBe(0)
    expect(unsettledIn(await incremental())).toEqual([
      `${orders} 1 open order: its record changes until it closes. --incremental reads them again`,
      `${orders} 1 order that closed within the last hour: its record can still be late. --incremental reads them again`,
      deposit
    ])
    expect((await venue(["report", "unsettled"])).code).toBe(0)
    expect(fs.readFileSync(path.join(folder(), "unsettled", "report.html"), "utf8")).toContain(
      "deposits: 1 deposit in progress: its status changes until it succeeds or fails"
    )
    expect((await cancel("two")).code).toBe(0)
    // By the clock of the service, which is days ahead of this machine.
    await Effect.runPromise(control.setClock({ by: "5 days" }))
    expect(unsettledIn(await incremental())).toEqual([])
  })
})

/** How many requests the sandbox has had. */
const requests = async (): Promise<number> => {
  return (await Effect.runPromise(world.sandbox.faults.log)).length
}

/** The number of windows that an unfinished export has stored; `undefined` if it has stored no checkpoint. */
const storedWindows = (out: string): number | undefined => {
  const work = path.join(folder(), out, ".venue")
  if (!fs.existsSync(path.join(work, "checkpoint.json"))) return undefined
  const checkpoints = fs.readdirSync(work).filter((name) => name.endsWith(".checkpoint.ndjson"))
  return checkpoints.reduce((sum, name) => {
    // The first line is the state with the windows before, and each other line is a window.
    const [before = "{}", ...added] = linesOf(fs.readFileSync(path.join(work, name), "utf8"))
    const { windows = [] }: { readonly windows?: ReadonlyArray<unknown> } = JSON.parse(before)
    return sum + windows.length + added.length
  }, 0)
}

/** Runs an export of the world and stops it when it has stored so many windows. Its calls take long enough for that. */
const stopAt = async (windows: number, args: ReadonlyArray<string>, out: string): Promise<Ended> => {
  const { clear, set } = world.sandbox.faults
  await Effect.runPromise(set([{ fault: { kind: "delay", millis: 800, executed: "atOnce" } }]))
  const isReached = () => (storedWindows(out) ?? -1) >= windows
  const stopped = await interruptedWhen(isReached, [...args, "--out", out], world.variables)
  await Effect.runPromise(clear)
  return stopped
}

describe("an export that is stopped", () => {
  const range = ["--symbol", "XRPUSDT", "--from", ago(26), "--to", ago(1)]

  it("prints the command to continue, and ends byte for byte like one that was not stopped", async () => {
    const args = ["export", "executions", "closed-pnl", ...range]
    const undisturbed = await venue([...args, "--out", "undisturbed"], world.variables)
    expect(undisturbed).toMatchObject({ code: 0, err: "" })
    const ended = await stopAt(1, [...args, "--overwrite"], "stopped")
    expect(ended.code).toBe(130)
    const [said = "", command = ""] = linesOf(ended.err).slice(-2)
    expect(said).toMatch(/^Stopped: \d+ of 8 windows are kept\. Resume with:$/)
    expect(Number(/\d+/.exec(said)?.[0])).toBeGreaterThan(0)
    expect(Number(/\d+/.exec(said)?.[0])).toBe(storedWindows("stopped"))
    expect(command).toBe(`venue ${args.join(" ")} --out stopped`)
    expect(fs.readdirSync(path.join(folder(), "stopped"))).toEqual([".venue"])
    const resumed = await venue(command.split(" ").slice(1), world.variables)
    expect(resumed).toMatchObject({ code: 0, err: "" })
    expect(manifestOf("stopped").run.starts).toBe(2)
    expect(filesOf("stopped")).toEqual(filesOf("undisturbed"))
  })

  it("without --to continues to its original end", async () => {
    const begun = ["export", "executions", "--symbol", "XRPUSDT", "--from", ago(16)]
    const ended = await stopAt(0, begun, "open-ended")
    const args = [...begun, "--out", "open-ended"]
    expect(ended.code).toBe(130)
    const head = JSON.parse(fs.readFileSync(path.join(folder(), "open-ended", ".venue", "checkpoint.json"), "utf8"))
    const other = await venue([...args, "--category", "spot"], world.variables)
    expect(other.code).toBe(1)
    expect(other.err).toContain(
      "an export was started here with parameters category=linear symbol=XRPUSDT, not category=spot"
    )
    const resumed = await venue(args, world.variables)
    expect(resumed).toMatchObject({ code: 0, err: "" })
    expect(resumed.out).toContain("Continuing the unfinished export here, which ends at ")
    expect(manifestOf("open-ended")).toMatchObject({ to: head.plan.to, verdict: "complete" })
    const finished = await venue(args, world.variables)
    expect(finished.code).toBe(2)
    expect(finished.err).toMatch(
      /^venue: open-ended: there is an export here already, .*: continue it with --incremental/
    )
  })
})

describe("an export for spreadsheets", () => {
  const flags = ["--format", "csv", "--spreadsheet-safe"]

  it("is resumed, continued and verified as one", async () => {
    const args = ["export", "executions", "closed-pnl", "--symbol", "XRPUSDT", "--from", ago(26), "--to", ago(2)]
    const stopped = await stopAt(1, [...args, ...flags], "safe")
    expect(stopped.code).toBe(130)
    const begun = await venue(["verify", "safe"])
    expect(begun.err).toMatch(/--format csv --spreadsheet-safe --out safe$/m)
    const plain = await venue([...args, "--format", "csv", "--out", "safe"], world.variables)
    expect(plain).toMatchObject({ code: 1, err: expect.stringContaining("format csv.safe, not csv") })
    expect(await venue([...args, ...flags, "--out", "safe"], world.variables)).toMatchObject({ code: 0, err: "" })
    expect(manifestOf("safe").run.starts).toBe(2)
    const more = await venue(["export", "--incremental", "--to", ago(1), "--out", "safe"], world.variables)
    expect(more).toMatchObject({ code: 0, err: "" })
    expect(manifestOf("safe")).toMatchObject({ format: "csv.safe", verdict: "complete" })
    expect(await venue(["verify", "safe"])).toMatchObject({ code: 0, err: "" })
  })

  it.each<readonly [args: ReadonlyArray<string>]>([
    [["export", "deposits", "--from", ago(3)]],
    [["export", "deposits", "--from", ago(3), "--format", "parquet"]],
    [["export", "deposits", "--from", ago(3), "--format", "sqlite"]],
    [["log", "safe", "--format", "ndjson"]],
    [["log", "safe", "--as", "koinly"]]
  ])("is refused without --format csv: %j", async (args) => {
    const ended = await venue([...args, "--spreadsheet-safe", "--out", "none"], nowhere)
    expect(ended).toMatchObject({ code: 2, err: "venue: --spreadsheet-safe needs --format csv\n" })
  })
})

describe("an export that follows", () => {
  const order = ["category=linear", "symbol=XRPUSDT", "side=Buy", "orderType=Market", "qty=100"]
  const trade = async () => {
    expect(await venue(["call", "orders.create", ...order, "--yes"], world.variables)).toMatchObject({ code: 0 })
  }

  /** Follows until it has reported rows of a trade that it did not have, and stops it. */
  const follow = (args: ReadonlyArray<string>): Promise<Ended> => {
    let step: "started" | "traded" | "stopped" = "started"
    return launched(args, world.variables, (out, kill) => {
      if (step === "started" && out.includes("Following:")) {
        step = "traded"
        void trade()
      } else if (step === "traded" && /follow {4}\d+ rows? more, to /.test(out)) {
        step = "stopped"
        kill()
      }
    })
  }

  it("exports new rows once, even after a restart", async () => {
    const args = [
      "export",
      "executions",
      "--symbol",
      "XRPUSDT",
      "--from",
      ago(1),
      "--follow",
      "1s",
      "--out",
      "followed"
    ]
    expect((await follow(args)).code).toBe(130)
    const half = Number(manifestOf("followed").rows)
    await trade()
    expect((await follow(args)).code).toBe(130)
    const { rows, verdict } = manifestOf("followed")
    expect({ verdict, grew: rows >= half + 2 }).toEqual({ verdict: "complete", grew: true })
    expect(await venue(["verify", "followed"])).toMatchObject({ code: 0, err: "" })
    const lines = Object.entries(filesOf("followed")).flatMap(([name, text]) =>
      name.endsWith(".ndjson") ? linesOf(text).map((line) => JSON.parse(line).execId) : []
    )
    expect(lines).toHaveLength(rows)
    expect(new Set(lines).size).toBe(rows)
  })
})

describe("an export that cannot be done", () => {
  const from = ["--from", "2026-01-01"]
  const secret = { accounts: { main: { apiKey: "EXAMPLEKEY0001", apiSecret: "example-secret-0001" } } }
  const cases: ReadonlyArray<
    readonly [what: string, args: ReadonlyArray<string>, code: number, line: RegExp, env?: Record<string, string>]
  > = [
    [
      "an end of what is followed",
      ["executions", ...from, "--to", ago(1), "--follow", "1m", "--sandbox"],
      2,
      /--to cannot be combined/
    ],
    ["a pause that is none", ["executions", ...from, "--follow", "soon"], 2, /is not a length of time such as/],
    ["a date that is none", ["executions", "--from", "someday", "--sandbox"], 2, /"someday" is not a date/],
    [
      "an hour that does not exist",
      ["executions", "--from", "2026-01-31", "--to", "2026-11-30T24:00Z", "--sandbox"],
      2,
      /--to: "2026-11-30T24:00Z" is not a date: there is no such hour/
    ],
    [
      "no dataset",
      [...from],
      2,
      /^venue: <dataset> is missing: choose from executions, .*all \(see venue export --help\)$/
    ],
    [
      "no dataset, and a folder without an export",
      ["--incremental", "--out", "none"],
      2,
      /^venue: none: there is no finished export here to continue: name the datasets$/
    ],
    [
      "JSON of an export without end",
      ["executions", ...from, "--follow", "1m", "--json"],
      2,
      /^venue: --json cannot be combined/,
      nowhere
    ],
    ["a missing date", ["executions", "--sandbox"], 2, /^venue: --from is needed/],
    [
      "a format that is not compressed",
      ["executions", ...from, "--format", "csv", "--gzip"],
      2,
      /^venue: --gzip needs/
    ],
    [
      "a period that ends before it begins",
      ["executions", ...from, "--to", "2025-12-31", "--out", "none"],
      2,
      /^venue: --from 2026-01-01 is after --to 2025-12-31$/,
      nowhere
    ],
    [
      "a dataset that has none of the categories",
      ["executions", "closed-pnl", "--category", "spot", ...from],
      2,
      /^venue: closed-pnl: category must be linear or inverse$/,
      nowhere
    ],
    [
      "a category that no dataset has",
      ["deposits", "--category", "spot", ...from],
      2,
      /^venue: there is no category of deposits: leave it out$/
    ],
    [
      "a symbol that no dataset has",
      ["deposits", "--symbol", "X", ...from],
      2,
      /^venue: deposits cannot be limited to one symbol: leave it out$/
    ],
    [
      "a folder that cannot be written",
      ["executions", "--from", "2026-11-01", "--sandbox", "--out", "/dev/null/data"],
      1,
      /^venue: cannot write \/dev\/null\/data: .*not a directory/
    ],
    [
      "a sandbox that is gone by then",
      ["executions", ...from, "--sandbox", "--incremental"],
      2,
      /^venue: a new sandbox cannot/
    ],
    ["no credentials", ["executions", ...from], 2, /^venue: no account is configured: set VENUE_BASE_URL/],
    [
      "half the credentials",
      ["executions", ...from],
      2,
      /^venue: VENUE_API_KEY and VENUE_API_SECRET are not set: /,
      { VENUE_BASE_URL: nowhere.VENUE_BASE_URL }
    ],
    [
      "a config file that is not there",
      ["executions", ...from, "--config", "no.json"],
      2,
      /^venue: --config: there is no no\.json/
    ],
    [
      "a config file that is none",
      ["executions", ...from, "--config", "text.json"],
      2,
      /^venue: text\.json is not JSON$/
    ],
    [
      "an account that the config file does not have",
      ["executions", ...from, "--config", "good.json", "--account", "other"],
      2,
      /^venue: there is no account other in good\.json: it has main$/
    ],
    [
      "a service that is not there",
      ["executions", "--from", "2026-11-20", "--to", "2026-11-21"],
      1,
      /^venue: executions\.list: cannot connect: nothing listens at 127\.0\.0\.1:9/,
      nowhere
    ],
    [
      "an account of the sandbox that there is not",
      ["executions", ...from, "--sandbox", "--account", "unknown"],
      2,
      /^venue: there is no account unknown in the sandbox: it has main, sub, /
    ]
  ]

  beforeAll(() => {
    writeConfig("good.json", { ...secret, baseUrl: nowhere.VENUE_BASE_URL })
    writeConfig("text.json", '{ "accounts": { "main": { "apiSecret": "example-secret-0001" ')
  })

  for (const [what, args, code, line, env] of cases) {
    it(`because of ${what} exits with ${code} and prints one line`, async () => {
      const ended = await venue(["export", ...args], env)
      expect(linesOf(ended.err)).toHaveLength(1)
      expect(ended.err.trimEnd()).toMatch(line)
      expect(ended.code).toBe(code)
      expect(ended.err + ended.out).not.toMatch(/\n\s+at /)
      expect(ended.err + ended.out).not.toMatch(/example-secret-0001/)
    })
  }
})
