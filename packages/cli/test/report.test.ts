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
import * as Tally from "../src/figures/tally.js"
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

const textOf = (amount: BigDecimal.BigDecimal) => Decimal.format(BigDecimal.normalize(amount))

const negated = (texts: ReadonlyArray<string>) => BigDecimal.negate(sum(texts))

/** The profit of closed positions before fees: of linear contracts. */
const grossOf = (rows: ReadonlyArray<Record<string, string>>) =>
  sum(
    rows.flatMap(({ cumEntryValue = "", cumExitValue = "", side }) => {
      const signed = (text: string) => textOf(BigDecimal.negate(BigDecimal.unsafeFromString(text)))
      return side === "Sell" ? [cumExitValue, signed(cumEntryValue)] : [cumEntryValue, signed(cumExitValue)]
    })
  )

/** The fees in USDT: those of linear contracts, and of what was sold on spot. Under zero, since they were paid. */
const feesOf = (name: string, isOf: (row: Record<string, string>) => boolean = () => true) =>
  negated(
    [...tradesOf(name, "executions-linear"), ...rowsOf(name, "executions-spot").filter(({ side }) => side === "Sell")]
      .filter(isOf)
      .map(({ execFee }) => execFee ?? "")
  )

const fundingOf = (name: string, isOf: (row: Record<string, string>) => boolean = () => true) =>
  negated(
    rowsOf(name, "executions-linear")
      .filter(({ execType }) => execType === "Funding")
      .filter(isOf)
      .map(({ execFee }) => execFee ?? "")
  )

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

    // The result in USDT: realised before fees, less all that was paid.
    const linear = rowsOf("ndjson", "closed-pnl-linear")
    const spot = rowsOf("ndjson", "executions-spot")
    const fees = feesOf("ndjson")
    const funding = fundingOf("ndjson")
    const pnl = grossOf(linear)
    const result = section(page, "Result")
    for (const amount of [pnl, fees, funding, sum([pnl, fees, funding].map(textOf))]) {
      expect(result).toContain(shown(amount))
    }
    // A point for each month of each drawn coin.
    const months = new Set(linear.map(({ updatedTime }) => new Date(Number(updatedTime)).toISOString().slice(0, 7)))
    expect(times(result, "<figure")).toBeGreaterThan(1)
    expect(marks(result, "net", "circle")).toBeGreaterThanOrEqual(months.size)
    expect(marks(result, "part", "rect") + marks(result, "part", "path")).toBeGreaterThan(3)

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

    // The result comes first, and what an auditor writes down is there.
    expect(page.indexOf("<h2>")).toBe(page.indexOf("<h2>Result</h2>"))
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
          page({ ...report, figures: { ...report.figures, statements: [] }, notes: [] }).replace(
            /<h2>About this export.*?<\/section>/s,
            ""
          )
        )
      ).pipe(Effect.provide(NodeContext.layer))
    )
    expect(pages).toHaveLength(4)
    expect(pages[0]?.length).toBeGreaterThan(50_000)
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
    expect(omitted).toContain("<li>Result: there are no executions and no closed profits.</li>")
    expect(omitted).toContain("<li>Volume, Maker share: this export has no executions.</li>")
    expect(page).not.toContain("<h2>Volume</h2>")
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
    expect(["Volume", "Maker share"].map(isStruck)).toEqual([true, true])
    expect(isStruck("Result")).toBe(false)
    const profit = shown(grossOf(rowsOf("changed", "closed-pnl-linear")))
    const money = section(page, "Result")
    expect(money).toContain("Not as it was written.")
    expect(money).toContain(`<td class="number">${profit}</td>`)
    expect(money).toMatch(/<td class="number"><del>\u2212[\d,.]+<\/del><\/td>/)
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
      side: "Sell",
      cumEntryValue: "10",
      cumExitValue: "11.5",
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
    const { out } = await venue("report", "nightly", "--json")
    const lack = { because: "executions of linear are not in this export", rows: null }
    expect(JSON.parse(out)).toMatchObject({
      verdict: "incomplete",
      totals: [{ currency: "USDT", realisedPnl: { sum: "45" }, fees: { sum: "0", lacks: [lack] }, net: { sum: "45" } }]
    })
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
    const { monthTotals, months, timeZone, totals } = JSON.parse(out) as {
      readonly timeZone: string
      readonly totals: ReadonlyArray<Record<string, string>>
      readonly monthTotals: ReadonlyArray<Record<string, string>>
      readonly months: ReadonlyArray<Record<string, string>>
    }
    expect(timeZone).toBe("Pacific/Auckland")
    const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit" })
    const rows = tradesOf("ndjson", "executions-linear")
    const of = (month: string, symbol: string) =>
      textOf(
        negated(
          rows
            .filter((row) => row.symbol === symbol && format.format(Number(row.execTime)) === month)
            .map(({ execFee = "" }) => execFee)
        )
      )
    const linear = months.filter(({ category }) => category === "linear")
    expect(linear.length).toBeGreaterThan(2)
    for (const { fees, month = "", symbol = "" } of linear) expect(fees).toBe(of(month, symbol))
    // The values of trades, which are no funding.
    const valuesOf = (month: string, symbol: string) =>
      rows
        .filter((row) => row.symbol === symbol && format.format(Number(row.execTime)) === month)
        .map(({ execValue = "" }) => execValue)
    for (const { month = "", symbol = "", volume } of linear)
      expect([month, symbol, volume]).toEqual([month, symbol, textOf(sum(valuesOf(month, symbol)))])
    for (const { currency, month, volume } of monthTotals) {
      const lines = months.filter((line) => line.month === month && line.currency === currency)
      expect([month, currency, volume]).toEqual([month, currency, textOf(sum(lines.map(({ volume = "" }) => volume)))])
    }
    for (const total of totals) {
      for (const part of ["realisedPnl", "fees", "funding", "bonuses", "net"]) {
        const lines = months.filter(({ currency }) => currency === total.currency)
        expect(textOf(sum(lines.map((line) => line[part] ?? "")))).toBe(total[part])
      }
    }
    expect(section(read("zone.html"), "Months")).toContain("Months of the time zone Pacific/Auckland")
  })

  it("sums up a month in the time zone of Berlin, on the page and in the terminal", async () => {
    const berlin = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Berlin", year: "numeric", month: "2-digit" })
    const month = berlin.format(range.from)
    const isOf = (field: string) => (row: Record<string, string>) => berlin.format(Number(row[field])) === month
    const fees = feesOf("ndjson", isOf("execTime"))
    const funding = fundingOf("ndjson", isOf("execTime"))
    const pnl = grossOf(rowsOf("ndjson", "closed-pnl-linear").filter(isOf("updatedTime")))
    const net = sum([pnl, fees, funding].map(textOf))

    const words = ["--month", month, "--time-zone", "Europe/Berlin", "--out", "month.html"]
    const narrow = await run(["report", "ndjson", ...words], {}, undefined, undefined, 60)
    for (const line of narrow.out.split("\n")) expect(line.length).toBeLessThanOrEqual(60)
    const { code, out } = await venue("report", "ndjson", ...words)
    expect(code).toBe(0)
    const figures = [pnl, fees, funding, sum(["0"]), net].map(textOf)
    const cellsOf = (text: string) => text.replaceAll(/ {2,}/g, " ")
    const block = ["Realised PnL", "Fees", "Funding", "Bonuses", "Net"].map(
      (name, index) => `${name} ${figures[index] ?? ""}`
    )
    // A block in a narrow terminal, a line in a pipe.
    expect(cellsOf(narrow.out)).toContain(`${month} USDT\n ${block.join("\n ")}`)
    expect(cellsOf(out).split("\n")).toContain(`${month} USDT ${figures.join(" ")}`)
    expect(cellsOf(out)).toMatch(
      /^Coin Opening Change Unexplained Closing\n(\S+ [-.\d]+ [-.\d]+ not checked [-.\d]+\n)+Not checked: /m
    )
    expect(new Set([...out.matchAll(/^\d{4}-\d\d(?= )/gm)].map(([name]) => name))).toEqual(new Set([month]))

    const page = read("month.html")
    const statement = section(page, "Statement of the trading wallet")
    expect(statement).toContain("computed back")
    expect(statement).toMatch(/Not explained by any row<\/th><td class="number">not checked<\/td>/)
    expect(statement).toMatch(/<li>Not checked: these rows are not between two balances, .*\.<\/li>/)
    const inJson = JSON.parse((await venue("report", "ndjson", ...words, "--json")).out) as {
      readonly statements: ReadonlyArray<{ readonly coins: ReadonlyArray<{ readonly check: object }> }>
    }
    for (const { check } of inJson.statements.flatMap(({ coins }) => coins)) {
      expect(check).toEqual({ result: "not made", because: expect.stringContaining("not between two balances") })
    }
    const months = section(page, "Months").replaceAll(/\s+/g, " ")
    const rowCells = figures
      .slice(0, 4)
      .map((text) => `<td class="number">${shown(BigDecimal.unsafeFromString(text))}</td>`)
    const traded = ["executions-linear", "executions-spot"].flatMap((part) =>
      tradesOf("ndjson", part).filter((row) => isOf("execTime")(row) && row.symbol?.endsWith("USDT"))
    )
    const volume = shown(sum(traded.map(({ execValue = "" }) => execValue)))
    expect(months).toContain(
      `<tr> <th scope="row">${month}</th><td>USDT</td>${rowCells.join("")}<td class="number"><strong>${shown(net)}</strong></td><td class="number">${volume}</td> </tr>`
    )
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
    expect(section(page, "Left out")).toContain("Volume, Maker share: executions-linear.ndjson.gz:")
    // Every sum of fees names the file, and what is in other files is drawn all the same.
    expect(section(page, "Result")).toMatch(
      /\d <a class="lack"[^>]*>\[\d+\]<\/a>.*Not in the sums.*executions-linear\.ndjson\.gz/s
    )
    expect(marks(section(page, "Result"), "net", "circle")).toBeGreaterThan(0)
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

describe("the sums of executions", () => {
  const coins = Books.makeCoins(
    [
      { category: "linear", list: ["BTCUSDT BTC USDT USDT"], because: null },
      { category: "inverse", list: ["BTCUSD BTC USD BTC"], because: null },
      { category: "spot", list: ["BTCUSDT BTC USDT"], because: null }
    ],
    []
  )
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

  it("adds exactly, and never amounts of different coins", () => {
    const tally = Tally.executed(coins)
    for (const value of ["0.1", "0.2", "1e-18"]) tally.add("linear", fill({ execValue: value }))
    tally.add("inverse", fill({ symbol: "BTCUSD" }))
    // Of before the unified account: without a value.
    tally.add("spot", fill({ execValue: undefined, execPrice: "12.5", execQty: "8" }))
    const { markets } = tally.result()
    expect(
      markets.map(({ category, currency, total }) => [`${category} ${currency}`, textOf(total.value)]).sort()
    ).toEqual([
      ["inverse BTC", "100"],
      ["linear USDT", "0.300000000000000001"],
      ["spot USDT", "100"]
    ])
  })

  it("counts no funding as a trade", () => {
    const tally = Tally.executed(coins)
    tally.add("linear", fill({ isMaker: true }))
    tally.add("linear", fill({ execType: "Funding", execFee: "-3" }))
    expect(tally.result().markets[0]?.total).toMatchObject({ fills: 1, makerFills: 1 })
  })

  it("lists the rows that it left out", () => {
    const tally = Tally.executed(coins)
    tally.add("spot", fill({ execValue: "" }))
    tally.add("spot", fill({ symbol: "XRPRLUSD" }))
    expect(tally.result().notes).toEqual([
      "1 row: left out of volume and maker share: executions whose value cannot be read",
      "1 row: left out of volume and maker share: the coins of XRPRLUSD are not known"
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
