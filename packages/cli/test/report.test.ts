import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import { NodeContext } from "@effect/platform-node"
import { BigDecimal, Effect, Layer, Option } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { at } from "../src/export/exported.js"
import * as Books from "@effect-venue/books/siblings/BookParts"
import * as Period from "../src/figures/period.js"
import { page } from "../src/report/page.js"
import * as Report from "../src/figures/readReport.js"
import type { Line } from "../src/figures/monthly.js"
import * as Tally from "../src/figures/tally.js"
import * as Totals from "../src/figures/totals.js"
import { day, folder, venue as run } from "./utils/venue.js"

const venue = (...args: ReadonlyArray<string>) => run(args)

const within = (...names: ReadonlyArray<string>) => path.join(folder(), ...names)
const read = (...names: ReadonlyArray<string>) => fs.readFileSync(within(...names), "utf8")

const manifestOf = (name: string): Manifest.Manifest => Effect.runSync(Manifest.decode(read(name, Manifest.fileName)))
const writeManifest = (name: string, manifest: Manifest.Manifest) => {
  fs.writeFileSync(within(name, Manifest.fileName), Manifest.encode(manifest))
}

/** An export once more, without a page that was made of it. */
const copy = (from: string, to: string) => {
  fs.cpSync(within(from), within(to), { recursive: true, filter: (file) => !file.endsWith(".html") })
}

const rowsOf = (name: string, part: string) =>
  read(name, `${part}.ndjson`)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>)

/** The executions of a part that are trades. Rows of type Funding carry a payment, which is neither a fee nor volume. */
const tradesOf = (name: string, part: string) => rowsOf(name, part).filter(({ execType }) => execType !== "Funding")

const times = (text: string, what: string): number => text.split(what).length - 1

/** The section under a heading. */
const section = (page: string, heading: string): string => {
  const start = page.indexOf(`<h2>${heading}</h2>`)
  expect(start, heading).toBeGreaterThan(0)
  const end = page.indexOf("<h2>", start + 4)
  return page.slice(start, end === -1 ? undefined : end)
}

/** The group of marks of a class, of which there may be several in a section. */
const marks = (svg: string, name: string, mark: string): number =>
  [...svg.matchAll(new RegExp(`<g [^>]*class="${name}"[^>]*>(.*?)</g>`, "gs"))].reduce(
    (sum, [group]) => sum + times(group, `<${mark} `),
    0
  )

const sum = (texts: ReadonlyArray<string>) =>
  texts.reduce((total, text) => BigDecimal.sum(total, BigDecimal.unsafeFromString(text)), BigDecimal.fromBigInt(0n))

const shown = (amount: BigDecimal.BigDecimal) => {
  const [whole = "", ...fraction] = Decimal.format(BigDecimal.normalize(amount)).split(".")
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".").replace("-", "\u2212")
}

const sinks = {
  ndjson: Sink.ndjson,
  gz: (directory: string) => Sink.ndjson(directory, { gzip: true }),
  csv: Sink.csv,
  parquet: (directory: string) => Sink.parquet(directory)
}

const parts = [
  Part.make(Datasets.executions, { category: "linear" }),
  Part.make(Datasets.executions, { category: "inverse" }),
  Part.make(Datasets.executions, { category: "spot" }),
  Part.make(Datasets.closedPnl, { category: "linear" }),
  Part.make(Datasets.closedPnl, { category: "inverse" }),
  Part.make(Datasets.deposits, {})
]

/** The same pages for each sink: the service is asked for them once. */
const once = (part: Part.Part): Part.Part => {
  const pages = new Map<string, Dataset.Page>()
  return {
    ...part,
    page: (ask) => {
      const key = JSON.stringify(ask)
      const page = pages.get(key)
      return page === undefined
        ? Effect.tap(part.page(ask), (page) => Effect.sync(() => pages.set(key, page)))
        : Effect.succeed(page)
    }
  }
}

const now = Date.now()
const range = { from: now - 21 * day, to: now - 13 * day }

const remembered = parts.map((part) => once(part))

const exported = (parts: ReadonlyArray<Part.Part>, sink: Sink.Sink<NodeContext.NodeContext>) => {
  const world = Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 5, limits: "off" })))
  return Effect.runPromise(
    History.runAll(parts, range, sink).pipe(Effect.provide(Layer.merge(world, NodeContext.layer)))
  )
}

beforeAll(async () => {
  for (const [name, sink] of Object.entries(sinks)) await exported(remembered, sink(within(name)))
})

describe("venue report", () => {
  it("writes a page with the sums and marks of the rows", async () => {
    const { code, err, out } = await venue("report", "ndjson")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const total = manifestOf("ndjson").rows
    expect(total).toBeGreaterThan(1000)
    const lines = out.trimEnd().split("\n")
    expect(lines.at(-1)).toBe(`ndjson/report.html: ${total.toLocaleString("en-US")} rows in 6 parts, complete`)
    const page = read("ndjson", "report.html")

    const linear = rowsOf("ndjson", "closed-pnl-linear")
    const pnl = section(page, "Realised profit and loss")
    expect(pnl).toContain(
      `${shown(sum(linear.map(({ closedPnl }) => closedPnl ?? "")))} USDT from ${linear.length} rows`
    )
    // A point of the line, and a bar, for each step of each currency that has rows.
    const inverse = rowsOf("ndjson", "closed-pnl-inverse")
    const period = Period.make(range.from, range.to)
    const steps = new Set(
      [...linear.map((row) => ["USDT", row] as const), ...inverse.map((row) => [row.symbol ?? "", row] as const)].map(
        ([of, row]) => `${of} ${period.indexOf(Number(row.createdTime))}`
      )
    )
    expect(marks(pnl, "point", "circle") + marks(pnl, "point", "path")).toBe(steps.size)
    expect(marks(pnl, "step", "rect") + marks(pnl, "step", "path")).toBe(steps.size)

    // What was paid in USDT: all of linear, and what was sold on spot.
    const spot = rowsOf("ndjson", "executions-spot")
    const paid = [...tradesOf("ndjson", "executions-linear"), ...spot.filter(({ side }) => side === "Sell")].map(
      ({ execFee }) => execFee ?? ""
    )
    expect(section(page, "Fees")).toContain(`${shown(sum(paid))} USDT from ${paid.length.toLocaleString("en-US")} rows`)

    const volume = section(page, "Volume")
    for (const [name, values] of [
      ["linear, in USDT", tradesOf("ndjson", "executions-linear")],
      ["spot, in USDT", spot],
      ["inverse, in BTC", tradesOf("ndjson", "executions-inverse").filter(({ symbol }) => symbol === "BTCUSD")]
    ] as const) {
      expect(volume).toContain(`Volume by symbol: ${name}`)
      expect(volume).toContain(shown(sum(values.map(({ execValue }) => execValue ?? ""))))
    }
    const traded = new Set(
      ["linear", "inverse", "spot"].flatMap((category) =>
        rowsOf("ndjson", `executions-${category}`).map(({ symbol }) => `${category} ${symbol ?? ""}`)
      )
    )
    expect(marks(volume, "symbol", "rect") + marks(volume, "symbol", "path")).toBe(traded.size)
    // Linear and spot in USDT, inverse in two coins: each by value and by fills.
    const share = section(page, "Maker share")
    expect(marks(share, "maker", "rect")).toBe(8)
    expect(marks(share, "taker", "rect")).toBe(8)

    const coverage = section(page, "Coverage")
    // Parts without rows are folded.
    const { parts: all, run } = manifestOf("ndjson")
    const [filled, quiet] = [all.filter(({ rows }) => rows > 0), all.filter(({ rows }) => rows === 0)]
    expect(marks(coverage, "window", "rect")).toBe(filled.flatMap((part) => part.windows).length)
    expect(times(coverage, "<figure")).toBe(1)
    for (const { name } of quiet) expect(coverage).toContain(`<li>${name}</li>`)
    expect(marks(coverage, "gap", "rect")).toBe(0)

    // Money comes first, and what an auditor writes down is there.
    const money = section(page, "Money")
    expect(money).toContain(shown(sum(linear.map(({ closedPnl }) => closedPnl ?? ""))))
    expect(money).toContain(shown(sum(spot.filter(({ side }) => side === "Sell").map(({ execFee }) => execFee ?? ""))))
    expect(page.indexOf("<h2>")).toBe(page.indexOf("<h2>Money</h2>"))
    const about = section(page, "About this export")
    expect(about).toContain(createHash("sha256").update(read("ndjson", Manifest.fileName)).digest("hex"))
    expect(about).toContain(new Date(run.endedAt).toISOString().slice(0, 19).replace("T", " "))
    expect(about).toContain("sandbox.invalid")

    // It loads nothing, and lets nothing run.
    expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;`)
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed)\b|@import|\bon\w+=|url\((?!#)/i)
    // A name of XML's own, at which nothing is asked for.
    const addresses = [...page.matchAll(/https?:[^"'\s)]*/g)].map(([address]) => address)
    expect(new Set(addresses)).toEqual(new Set(["http://www.w3.org/2000/svg"]))
  })

  it("is the same page from every format of the same export", async () => {
    const pages = await Effect.runPromise(
      Effect.forEach(Object.keys(sinks), (name) =>
        Effect.map(Report.read(at(within(name))), (report) =>
          // Each was written at a time of its own, and has balances of its own.
          page({ ...report, statements: [] }).replace(/<h2>About this export.*?<\/section>/s, "")
        )
      ).pipe(Effect.provide(NodeContext.layer))
    )
    expect(pages).toHaveLength(4)
    expect(pages[0]?.length).toBeGreaterThan(100_000)
    expect(new Set(pages).size).toBe(1)
  })

  it("leaves out sections without data, with the reason", async () => {
    await exported(
      remembered.filter(({ dataset }) => dataset === Datasets.deposits),
      Sink.ndjson(within("deposits"))
    )
    expect(await venue("report", "deposits", "--out", "deposits.html")).toMatchObject({ code: 0, err: "" })
    expect(fs.existsSync(within("deposits", "report.html"))).toBe(false)
    const page = read("deposits.html")
    const omitted = section(page, "Left out")
    expect(omitted).toContain("<li>Money: there are no executions and no closed profits.</li>")
    expect(omitted).toContain("<li>Realised profit and loss: this export has no closed-pnl.</li>")
    expect(omitted).toContain("<li>Fees, Volume, Maker share: this export has no executions.</li>")
    expect(page).not.toContain("<h2>Fees</h2>")
  })

  it("shows the missing ranges of an incomplete export, with reasons", async () => {
    copy("csv", "incomplete")
    const manifest = manifestOf("csv")
    const because = "the same page came <b>again</b>"
    const changed = manifest.parts.map((part, index) => {
      if (index !== 1) return part
      const windows = part.windows.map((window, at) =>
        at === 1 ? { ...window, missing: [{ from: window.from, to: window.to, because, lost: false }] } : window
      )
      return Manifest.part(part, windows, part)
    })
    writeManifest("incomplete", Manifest.make(manifest, "csv", changed, manifest.run))
    const { code, err, out } = await venue("report", "incomplete")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/incomplete\n$/)
    const coverage = section(read("incomplete", "report.html"), "Coverage")
    expect(marks(coverage, "gap", "rect")).toBe(1)
    expect(marks(coverage, "gap-mark", "path")).toBe(1)
    expect(coverage).toContain("<td>the same page came &lt;b&gt;again&lt;/b&gt;</td>")
  })

  it("shows a missing window as a gap, and exits with 1", async () => {
    copy("ndjson", "gone")
    const manifest = manifestOf("ndjson")
    const [first, ...others] = manifest.parts
    if (first === undefined) throw new Error("no part")
    const windows = first.windows.filter((_, index) => index !== 1)
    writeManifest("gone", { ...manifest, parts: [{ ...first, windows }, ...others] })
    const { code, err } = await venue("report", "gone")
    expect(code).toBe(1)
    expect(err).toMatch(
      /^venue: the export was changed after it was written: manifest\.json, executions-linear, lacks the window/
    )
    const page = read("gone", "report.html")
    expect(page).toContain("<h2>The files are not as they were written</h2>")
    expect(marks(section(page, "Coverage"), "gap", "rect")).toBe(1)
  })

  it("starts with a warning about a changed file, and strikes only the figures that depend on it", async () => {
    copy("ndjson", "changed")
    const file = within("changed", "executions-spot.ndjson")
    fs.writeFileSync(
      file,
      fs.readFileSync(file, "utf8").replace(/"execFee":"0\.0*[1-8]/, (fee) => `${fee}9`)
    )
    const { code, err, out } = await venue("report", "changed", "--json")
    expect(code).toBe(1)
    expect(err).toMatch(/executions-spot\.ndjson was changed after it was written/)
    expect(JSON.parse(out)).toMatchObject({ verdict: "changed", changedParts: ["executions-spot"] })
    const page = read("changed", "report.html")
    expect(page.indexOf("The files are not as they were written")).toBeLessThan(page.indexOf('<dl class="tiles"'))
    const isStruck = (heading: string) => page.includes(`<section class="changed">\n    <h2>${heading}</h2>`)
    expect(["Fees", "Volume", "Maker share"].map(isStruck)).toEqual([true, true, true])
    expect(isStruck("Realised profit and loss")).toBe(false)
    const profit = shown(sum(rowsOf("changed", "closed-pnl-linear").map(({ closedPnl }) => closedPnl ?? "")))
    const money = section(page, "Money")
    expect(money).toContain("Not as it was written.")
    expect(money).toContain(`<td class="number">${profit}</td>`)
    expect(money).toMatch(/<td class="number"><del>[\d,.]+<\/del><\/td>/)
    const parts = section(page, "What was exported")
    expect(times(parts, '<span class="verdict changed">')).toBe(1)
    expect(times(parts, "<del>")).toBe(3)
    expect(parts).toContain('<span class="bad">executions-spot</span>')
  })

  it("counts each closed profit once, even if nightly exports read it in two windows", async () => {
    const [sample] = rowsOf("ndjson", "closed-pnl-linear")
    // Filed by its last update, up to two nights after its creation.
    const rows = Array.from({ length: 30 }, (_, index) => ({
      ...sample,
      orderId: `o-${index}`,
      closedPnl: "1.5",
      createdTime: String(range.from + index * (day / 4)),
      updatedTime: String(range.from + index * (day / 4) + (index % 3) * day)
    }))
    const part: Part.Part = {
      ...Part.make(Datasets.closedPnl, { category: "linear" }),
      page: ({ from, to }) =>
        Effect.succeed({
          rows: rows.filter(({ updatedTime }) => Number(updatedTime) >= from && Number(updatedTime) <= to),
          next: ""
        })
    }
    const nights = Effect.forEach(
      [8, 9, 10],
      (days) =>
        Effect.either(
          History.runAll([part], { from: range.from, to: range.from + days * day }, Sink.ndjson(within("nightly")), {
            incremental: true
          })
        ),
      { discard: true }
    )
    const world = Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 5, limits: "off" })))
    await Effect.runPromise(nights.pipe(Effect.provide(Layer.merge(world, NodeContext.layer))))
    await venue("report", "nightly")
    const page = section(read("nightly", "report.html"), "Realised profit and loss")
    expect(page).toContain("45 USDT from 30 rows")
  })

  it("prints the months of a time zone as JSON, with the totals of all rows", async () => {
    const { code, err, out } = await venue(
      "report",
      "ndjson",
      "--time-zone",
      "Pacific/Auckland",
      "--json",
      "--out",
      "zone.html"
    )
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const { months, timeZone, totals } = JSON.parse(out) as {
      readonly timeZone: string
      readonly totals: ReadonlyArray<Record<string, string>>
      readonly months: ReadonlyArray<Record<string, string | null>>
    }
    expect(timeZone).toBe("Pacific/Auckland")
    const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit" })
    const rows = tradesOf("ndjson", "executions-linear")
    const of = (month: string | null | undefined, symbol: string | null | undefined, field: string) =>
      Decimal.format(
        BigDecimal.normalize(
          sum(
            rows
              .filter((row) => row.symbol === symbol && format.format(Number(row.execTime)) === month)
              .map((row) => row[field] ?? "")
          )
        )
      )
    const linear = months.filter(({ category, volume }) => category === "linear" && volume !== null)
    expect(linear.length).toBeGreaterThan(2)
    for (const { fees, month, symbol, volume } of linear) {
      expect([fees, volume]).toEqual([of(month, symbol, "execFee"), of(month, symbol, "execValue")])
    }
    for (const total of totals) {
      const lines = months.filter(({ currency, pnl }) => currency === total.currency && pnl !== null)
      expect(Decimal.format(BigDecimal.normalize(sum(lines.map(({ pnl }) => pnl ?? ""))))).toBe(total.realisedPnl)
    }
    expect(section(read("zone.html"), "Months")).toContain("Months of the time zone Pacific/Auckland")
  })

  it("sums up a month in the time zone of Berlin, on the page and in the terminal", async () => {
    const berlin = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Berlin", year: "numeric", month: "2-digit" })
    const month = berlin.format(range.from)
    const isOf = (field: string) => (row: Record<string, string>) => berlin.format(Number(row[field])) === month
    const linear = rowsOf("ndjson", "executions-linear").filter(isOf("execTime"))
    const sold = rowsOf("ndjson", "executions-spot")
      .filter(isOf("execTime"))
      .filter(({ side }) => side === "Sell")
    const sumOf = (rows: ReadonlyArray<Record<string, string>>, field: string) =>
      sum(rows.map((row) => row[field] ?? ""))
    const isFunding = ({ execType }: Record<string, string>) => execType === "Funding"
    const fees = BigDecimal.sum(
      sumOf(
        linear.filter((row) => !isFunding(row)),
        "execFee"
      ),
      sumOf(sold, "execFee")
    )
    const funding = sumOf(linear.filter(isFunding), "execFee")
    const pnl = sumOf(rowsOf("ndjson", "closed-pnl-linear").filter(isOf("createdTime")), "closedPnl")
    const net = BigDecimal.subtract(BigDecimal.subtract(pnl, funding), sumOf(sold, "execFee"))

    const words = ["--month", month, "--time-zone", "Europe/Berlin", "--out", "month.html"]
    const { code, err, out } = await venue("report", "ndjson", ...words)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const cells = out.split("\n").map((line) => line.split(/ {2,}/))
    expect(cells[0]).toEqual(["Month", "Currency", "Realised PnL, net of fees", "Fees", "Funding paid", "Net"])
    const plain = (amount: BigDecimal.BigDecimal) => Decimal.format(BigDecimal.normalize(amount))
    const figures = [pnl, fees, funding, net]
    expect(cells.find(([, currency]) => currency === "USDT")).toEqual([month, "USDT", ...figures.map(plain)])
    expect(new Set(cells.slice(1).flatMap(([first = ""]) => /^\d{4}-\d\d$/.exec(first) ?? []))).toEqual(
      new Set([month])
    )

    const page = read("month.html")
    expect(section(page, "Left out")).toContain("Statement of the trading wallet: balances are known")
    const months = section(page, "Months").replaceAll(/\s+/g, " ")
    expect(months).toContain(
      `<tr> <th scope="row">${month}</th><td>USDT</td><td class="number">${shown(pnl)}</td><td class="number">${shown(fees)}</td><td class="number">${shown(funding)}</td><td class="number"><strong>${shown(net)}</strong></td> </tr>`
    )
    expect(section(page, "Realised profit and loss")).toContain(`${shown(pnl)} USDT from`)
  })

  it("shows no figures of a file that cannot be read to its end", async () => {
    copy("gz", "cut")
    const file = within("cut", "executions-linear.ndjson.gz")
    const bytes = fs.readFileSync(file)
    fs.writeFileSync(file, bytes.subarray(0, bytes.length - 100))
    const { code, err } = await venue("report", "cut")
    expect(code).toBe(1)
    expect(err).toMatch(/^venue: the export was changed after it was written: executions-linear\.ndjson\.gz ends after/)
    const page = read("cut", "report.html")
    expect(section(page, "Left out")).toContain("Fees, Volume, Maker share: executions-linear.ndjson.gz:")
    // What is in other files is drawn all the same.
    expect(marks(section(page, "Realised profit and loss"), "point", "circle")).toBeGreaterThan(0)
  })

  it("escapes every text of an export", async () => {
    const name = "<script>alert(1)</script>"
    const nasty = `"><img src=x onerror=alert(1)>\u202e\u0000\ud800`
    const rows = [name, nasty].map((symbol, index) => ({
      symbol,
      side: "Buy",
      execFee: "1",
      execValue: "2",
      execId: `e${index}`,
      execTime: String(range.from + day),
      isMaker: true
    }))
    const part = Part.make({ ...Datasets.executions, caveat: Option.some(name) }, { category: "linear" })
    await exported(
      [
        {
          ...part,
          parameters: { category: nasty },
          page: ({ from }) => Effect.succeed({ rows: from < range.from + day ? rows : [], next: "" })
        }
      ],
      Sink.ndjson(within("nasty"))
    )
    expect(await venue("report", "nasty")).toMatchObject({ code: 0, err: "" })
    const page = read("nasty", "report.html")
    expect(page).not.toMatch(/<script|<img|\p{Bidi_Control}|(?!\n)\p{Cc}/iu)
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    expect(marks(section(page, "Volume"), "symbol", "rect")).toBe(2)
  })

  const refused: ReadonlyArray<readonly [what: string, args: () => ReadonlyArray<string>, code: number, line: RegExp]> =
    [
      ["a folder that is not there", () => ["nowhere"], 1, /^venue: nowhere: there is no manifest\.json/],
      [
        "a manifest that is none",
        () => {
          fs.mkdirSync(within("broken"), { recursive: true })
          fs.writeFileSync(within("broken", Manifest.fileName), "{}")
          return ["broken"]
        },
        1,
        /^venue: broken: manifest\.json cannot be read/
      ],
      ["a place that cannot be written", () => ["ndjson", "--out", "/dev/null/report.html"], 1, /^venue: cannot write/],
      ["no folder", () => [], 2, /folder/],
      [
        "a time zone that there is not",
        () => ["nowhere", "--time-zone", "Europe/Berln"],
        2,
        /--time-zone: "Europe\/Berln" is not a time zone/
      ],
      ["a month that there is not", () => ["nowhere", "--month", "2026-13"], 2, /--month: "2026-13" is not a month/],
      [
        "a month before the export",
        () => ["ndjson", "--month", "2020-01"],
        2,
        /^venue: ndjson: the export has no rows of 2020-01: it is of /
      ]
    ]
  for (const [what, args, code, line] of refused) {
    it(`with ${what} exits with ${code} and prints one line`, async () => {
      const ended = await venue("report", ...args())
      expect(ended.code).toBe(code)
      expect(ended.err.trim().split("\n")).toHaveLength(1)
      expect(ended.err).toMatch(line)
    })
  }
})

describe("the currency of an amount", () => {
  const of: ReadonlyArray<readonly [category: string, symbol: string, value: string, buyer: string, seller: string]> = [
    ["linear", "BTCUSDT", "USDT", "USDT", "USDT"],
    ["linear", "BTCUSDT-27DEC26", "USDT", "USDT", "USDT"],
    ["linear", "BTCPERP", "USDC", "USDC", "USDC"],
    ["linear", "ETH-27DEC26", "USDC", "USDC", "USDC"],
    ["linear", "BTCEUR", "currency of BTCEUR", "currency of BTCEUR", "currency of BTCEUR"],
    ["inverse", "BTCUSD", "BTC", "BTC", "BTC"],
    ["inverse", "ETHUSDH26", "ETH", "ETH", "ETH"],
    ["inverse", "BTCUSDT", "currency of BTCUSDT", "currency of BTCUSDT", "currency of BTCUSDT"],
    ["spot", "BTCUSDT", "USDT", "BTC", "USDT"],
    ["spot", "ETHBTC", "BTC", "ETH", "BTC"],
    ["spot", "USDT", "currency of USDT", "currency of USDT, bought", "currency of USDT, sold"],
    ["", "BTCUSDT", "currency of BTCUSDT", "currency of BTCUSDT", "currency of BTCUSDT"]
  ]
  for (const [category, symbol, value, buyer, seller] of of) {
    it(`${category} ${symbol}`, () => {
      expect(Books.currencyOfValue(category, symbol).name).toBe(value)
      expect(Books.currencyOfFee(category, symbol, "Buy").name).toBe(buyer)
      expect(Books.currencyOfFee(category, symbol, "Sell").name).toBe(seller)
    })
  }
})

describe("the totals of months", () => {
  const line = (month: string, category: string, sums: Readonly<Record<string, string>>): Line => ({
    month,
    account: null,
    category,
    symbol: "BTCUSDT",
    currency: "USDT",
    ...Object.fromEntries(Object.entries(sums).map(([name, text]) => [name, BigDecimal.unsafeFromString(text)]))
  })
  const lines = [
    line("2026-06", "linear", { pnl: "-1", fees: "0.2", funding: "-0.5" }),
    line("2026-05", "linear", { pnl: "10", fees: "3", funding: "1", volume: "5000" }),
    line("2026-05", "spot", { fees: "0.5" })
  ]
  const shownOf = (categories: Totals.Summed["categories"]) =>
    Totals.byMonth({ lines, categories }).map((total) => [
      total.month,
      ...[total.pnl, Totals.feesOf(total), total.funding, Totals.netOf(total)].map((sum) => sum && Decimal.format(sum))
    ])

  it("are in order, net of funding and spot fees", () => {
    const whole = { closed: new Set(["linear"]), executed: new Set(["linear", "spot"]) }
    expect(shownOf(whole)).toEqual([
      ["2026-05", "10", "3.5", "1", "8.5"],
      ["2026-06", "-1", "0.2", "-0.5", "-0.5"]
    ])
  })

  it("lack what the export does not have", () => {
    expect(shownOf({ closed: new Set(), executed: new Set(["linear", "spot"]) })).toEqual([
      ["2026-05", undefined, "3.5", "1", undefined],
      ["2026-06", undefined, "0.2", "-0.5", undefined]
    ])
    expect(shownOf({ closed: new Set(["linear"]), executed: new Set(["linear"]) })[0]).toEqual([
      "2026-05",
      "10",
      undefined,
      "1",
      undefined
    ])
  })
})

describe("the sums of executions", () => {
  const period = Period.make(0, 10 * day)
  const fill = (more: Record<string, unknown>) => ({
    symbol: "BTCUSDT",
    side: "Buy",
    execFee: "0.1",
    execValue: "100",
    execTime: String(day),
    execType: "Trade",
    isMaker: false,
    ...more
  })

  it("adds exactly, and never amounts of different currencies", () => {
    const tally = Tally.executed(period)
    for (const fee of ["0.1", "0.2", "1e-18"]) tally.add("linear", fill({ execFee: fee }))
    tally.add("inverse", fill({ symbol: "BTCUSD", execFee: "0.5" }))
    tally.add("spot", fill({ execFee: "7" }))
    const { fees, markets } = tally.result()
    expect(fees.map(({ currency, total }) => [currency, Decimal.format(total.amount)])).toEqual([
      ["USDT", "0.300000000000000001"],
      ["BTC", "7.5"]
    ])
    expect(markets.map(({ category, currency }) => `${category} ${currency}`).sort()).toEqual([
      "inverse BTC",
      "linear USDT",
      "spot USDT"
    ])
  })

  it("counts funding separately", () => {
    const tally = Tally.executed(period)
    tally.add("linear", fill({ isMaker: true }))
    tally.add("linear", fill({ execType: "Funding", execFee: "-3" }))
    const { fees, markets } = tally.result()
    expect(fees.map(({ kind, total }) => [kind, Decimal.format(total.amount)]).sort()).toEqual([
      ["Funding", "-3"],
      ["Trading fees", "0.1"]
    ])
    expect(markets[0]?.total).toMatchObject({ fills: 1, makerFills: 1 })
  })

  it("lists the rows that it left out", () => {
    const tally = Tally.executed(period)
    tally.add("spot", fill({ execValue: "" }))
    tally.add("spot", fill({ execFee: undefined }))
    tally.add("spot", fill({ execTime: "never" }))
    tally.add("spot", fill({ execTime: String(11 * day) }))
    expect(tally.result().notes).toEqual([
      "1 row: no execValue, left out of volume and maker share",
      "1 row: no execFee that can be read, left out of the fees",
      "1 row: no execTime that can be read, left out of the fees",
      "1 row: execTime lies outside the period, drawn at its border"
    ])
  })
})

describe("the steps of a period", () => {
  it("are whole days or weeks, few enough to draw", () => {
    for (const days of [0.1, 1, 5, 20, 60, 120, 365, 730, 4000, 40_000]) {
      const period = Period.make(range.from, range.from + days * day)
      const last = period.indexOf(period.to - 1)
      expect(last).toBeLessThanOrEqual(121)
      for (const index of [0, Math.floor(last / 2), last]) {
        const [from, to] = period.bounds(index)
        expect(from).toBeLessThan(to)
        expect([period.indexOf(from), period.indexOf(to - 1)]).toEqual([index, index])
      }
      expect(period.bounds(0)[0]).toBe(period.from)
      expect(period.bounds(last)[1]).toBe(period.to)
    }
  })
})
