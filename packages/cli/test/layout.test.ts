import * as Breadth from "@effect-venue/testing/Breadth"
import { beforeAll, describe, expect, it } from "vitest"
import * as Layout from "../src/output/layout.js"
import { ago, nowhere, sharedExchange, venue, type Ended } from "./utils/venue.js"

// Figures that follow a price are the same in every run.
const exchange = sharedExchange({ prices: "still" })

const widths = [40, 80, 200] as const

/** Words that a program put together without looking at the number, units that nobody reads, and values that have no text. */
const careless =
  /(?<![\d.,-])1 (?!is\b|was\b|has\b|this\b|less\b)[a-z]+[^s\W]s\b|\d{5,} ?ms\b|\bNaN\b|\bundefined\b|\[object|Infinity/

/** A line that cannot be broken: one word, perhaps after the subject of the line. */
const isOneWord = (line: string): boolean => /^\s*(\S+ {2,})?\S+$/.test(line)

const isTooWide = (columns: number) => (line: string) =>
  Array.from(line).length > columns && !isOneWord(line) && !line.startsWith("export VENUE_")

/** Amounts, in the order of their text. A broken one is two others. */
const figuresOf = (text: string): ReadonlyArray<string> =>
  (text.match(/(?<![\w.-])-?\d[\d,]*\.\d+(?![\w.-])/g) ?? []).sort()

const textOf = ({ err, out }: Ended): string => `${out}\n${err}`

const expectReadable = (words: string, ended: Ended, columns: number): void => {
  const lines = textOf(ended).split("\n")
  if (columns > 0)
    expect({ words, columns, wide: lines.filter(isTooWide(columns)) }).toEqual({ words, columns, wide: [] })
  expect({ words, careless: lines.filter((line) => careless.test(line)) }).toEqual({ words, careless: [] })
  expect({ words, escapes: lines.filter((line) => line.includes("")) }).toEqual({ words, escapes: [] })
}

/** The redrawn lines of standard error, without the codes that redraw them. */
const redrawn = ({ progress = "" }: Ended): ReadonlyArray<string> =>
  // eslint-disable-next-line no-control-regex -- the code that clears a line
  progress.split(/\r\u001b\[2K|\n/)

const helps = [
  ...["", "accounts", "call", "doctor", "export", "fleet", "fleet run", "fleet status", "init", "log", "operations"],
  ...["report", "sandbox", "schema", "start", "tap", "verify", "call orders.createBatch"]
].map((name) => `${name} --help`.trim())

/** What each command prints whose output does not depend on the moment. */
const commands: ReadonlyArray<readonly [words: string, code: number]> = [
  ...helps.map((words) => [words, 0] as const),
  ["operations", 0],
  ["accounts", 0],
  ["call instruments.list category=linear", 0],
  ["call orders.history category=linear", 0],
  ["call account.walletBalance accountType=UNIFIED", 0],
  ["call positions.list category=linear settleCoin=USDT", 0],
  ["verify year", 0],
  ["report year", 0],
  ["call orders.create category=linear symbol=BTCUSDT side=Buy orderType=Limit qty=0.01 price=20000", 2],
  ["call orders.open categroy=linear", 2],
  ["export executions --from soon", 2],
  ["export nothing --from 7d", 2],
  ["sandbox --host 0.0.0.0", 2],
  ["verify nowhere", 1],
  ["fleet status", 1],
  ["fleet run missing.json", 2],
  ["init", 2]
]

describe("every command", () => {
  beforeAll(async () => {
    const { variables } = exchange.current()
    const words = ["export", "executions", "closed-pnl", "deposits", "--from", ago(20), "--out", "year"]
    const { code, progress = "" } = await venue(words, variables, undefined, undefined, 80)
    expect(code).toBe(0)
    const lines = redrawn({ code, signal: null, out: "", err: "", progress })
    expect(lines.filter((line) => Array.from(line).length >= 80 || careless.test(line))).toEqual([])
    expect(lines.at(-2)).toMatch(/\d+ rows?\b/)
  })

  for (const [words, code] of commands) {
    it(`fits narrow and wide terminals: venue ${words}`, async () => {
      const { variables } = exchange.current()
      // Where a terminal would be asked, the question is answered with no.
      const run = (columns: number) => {
        const isQuestion = code === 2 && columns > 0 && /^(call orders\.create|init)/.test(words)
        return isQuestion
          ? Promise.resolve(undefined)
          : venue(words === "" ? [] : words.split(" "), variables, undefined, undefined, columns)
      }
      const piped = await run(0)
      expect({ words, code: piped?.code, err: piped?.err }).toMatchObject({ words, code })
      if (piped !== undefined) expectReadable(words, piped, 0)
      for (const columns of Breadth.some(widths, 2, 0)) {
        const ended = await run(columns)
        if (ended === undefined || piped === undefined) continue
        expectReadable(words, ended, columns)
        expect(figuresOf(textOf(ended)), words).toEqual(figuresOf(textOf(piped)))
      }
    })
  }

  it("fits a terminal while it works: export, doctor, start", async () => {
    const { variables } = exchange.current()
    for (const [words, env] of [
      [`export executions --from ${ago(9)} --overwrite --out narrow`, variables],
      ["doctor --days 1", variables],
      ["call orders.open category=linear symbol=BTCUSDT", nowhere],
      ["start --out started", {}]
    ] as const) {
      const ended = await venue(words.split(" "), env, undefined, undefined, 40)
      expectReadable(words, ended, 40)
      const lines = redrawn(ended)
      expect({ words, wide: lines.filter((line) => Array.from(line).length >= 40) }).toEqual({ words, wide: [] })
      expect({ words, careless: lines.filter((line) => careless.test(line)) }).toEqual({ words, careless: [] })
    }
  })
})

describe("NO_COLOR", () => {
  it("leaves the colours out of a question, and nothing else", async () => {
    const answers = [nowhere.VENUE_BASE_URL, "", nowhere.VENUE_API_KEY, nowhere.VENUE_API_SECRET]
    const ask = async (value: string) => {
      const { out } = await venue("init --overwrite".split(" "), { NO_COLOR: value }, undefined, answers)
      return out.slice(0, out.indexOf("venue.config.json is written"))
    }
    // eslint-disable-next-line no-control-regex -- the codes of colours
    const colours = /\u001b\[[\d;]*m/g
    const [plain, coloured] = [await ask("1"), await ask("")]
    expect(coloured).toMatch(colours)
    expect(plain).toBe(coloured.replaceAll(colours, ""))
    expect(plain).toContain("Base URL of the service")
  })
})

describe("a wrapped line", () => {
  it("keeps an instant and a number with its unit together", () => {
    expect(Layout.wrapLines("it was read at 2026-01-31 18:00:00 UTC, 12 h ago", 35)).toBe(
      ["it was read at", "    2026-01-31 18:00:00 UTC, 12 h", "    ago"].join("\n")
    )
  })

  it("continues below what it says about its subject", () => {
    expect(Layout.wrapLines("note      several words about it", 31)).toBe("note      several words about\n          it")
  })
})

describe("a table", () => {
  const amounts = {
    heads: ["Coin", "Net", "Note"],
    rows: [
      ["BTC", "-0.02367003", "a"],
      ["USDT", "1,300.5", ""]
    ]
  }

  it("aligns amounts at their points", () => {
    expect(Layout.table(amounts, 80)).toBe(
      ["Coin             Net  Note", "BTC      -0.02367003  a", "USDT  1,300.5"].join("\n")
    )
  })

  it("becomes a block for each row if it is too wide, without empty cells", () => {
    expect(Layout.table(amounts, 20)).toBe(
      ["BTC", "  Net   -0.02367003", "  Note  a", "USDT", "  Net   1,300.5"].join("\n")
    )
  })

  it("cannot command the terminal", () => {
    expect(Layout.table({ heads: ["a"], rows: [["\u001b[2J\u202e"]] }, 80)).toBe("a\n\\u001b[2J\\u202e")
  })
})
