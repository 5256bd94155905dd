/**
 * The page of `venue report` of an export from the sandbox: every row is drawn once, a gap is seen where it is, and nothing is asked for.
 * Pictures are left in packages/tools/build/pictures.
 */
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, Page } from "puppeteer-core"
import { current } from "../../../cli/bundle.mjs"
import { run } from "../programs.js"
import type { Ended } from "../programs.js"
import { root } from "../repository.js"
import { accessible } from "./accessible.js"
import * as Figures from "./figures.js"
import { open, pictures } from "./open.js"
import type { Opened, Options } from "./open.js"

const day = 86_400_000

/** In milliseconds since the epoch. */
interface Range {
  readonly from: number
  readonly to: number
}

const parts = [
  Part.make(History.executions, { category: "linear" }),
  Part.make(History.executions, { category: "inverse" }),
  Part.make(History.executions, { category: "spot" }),
  Part.make(History.closedPnl, { category: "linear" }),
  Part.make(History.closedPnl, { category: "inverse" }),
  Part.make(History.deposits, {})
]

const exportTo = async (folder: string, range: Range): Promise<void> => {
  const world = Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" })))
  await Effect.runPromise(
    History.runAll(parts, range, Sink.ndjson(folder)).pipe(Effect.provide(Layer.merge(world, NodeContext.layer)))
  )
}

const reportOn = async (folder: string): Promise<Ended> =>
  run(process.execPath, [await current(), "report", folder], { cwd: root })

const show = async (
  browser: Browser,
  folder: string,
  view: Partial<Pick<Options, "dark" | "width">> = {}
): Promise<Opened> => {
  const url = pathToFileURL(path.join(folder, "report.html")).href
  const opened = await open(browser, { width: 1040, ...view, allowed: (asked) => asked === url })
  await opened.page.goto(url, { waitUntil: "networkidle0" })
  return opened
}

const picture = (page: Page, name: string, fullPage = true) =>
  page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage })

interface Row {
  readonly symbol: string
}

const rowsOf = (folder: string, part: string): ReadonlyArray<Row> =>
  fs
    .readFileSync(path.join(folder, `${part}.ndjson`), "utf8")
    .trimEnd()
    .split("\n")
    // The rows of executions and of closed positions have a symbol.
    .map((line) => JSON.parse(line) as Row)

/** What the export has to show. */
interface Exported {
  readonly executions: ReadonlyArray<Row & { readonly category: string }>
  readonly closed: ReadonlyArray<Row>
}

const exported = (folder: string): Exported => ({
  executions: ["linear", "inverse", "spot"].flatMap((category) =>
    rowsOf(folder, `executions-${category}`).map((row) => ({ ...row, category }))
  ),
  closed: ["linear", "inverse"].flatMap((category) => rowsOf(folder, `closed-pnl-${category}`))
})

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** No row is in two pictures, and none in none. */
const checkRows = (figures: ReadonlyArray<Figures.Figure>, { closed, executions }: Exported): void => {
  const titled = (start: string) => figures.filter(({ title }) => title.startsWith(start))
  const rows = (start: string) => sum(titled(start).flatMap(({ counted }) => counted.map(Number)))
  assert.equal(rows("Closed positions"), closed.length)
  assert.equal(rows("Trading fees"), executions.length)
  assert.equal(rows("Volume by symbol"), executions.length)
  const symbols = new Set(executions.map(({ category, symbol }) => `${category} ${symbol}`))
  assert.equal(sum(titled("Volume").map((figure) => figure.rows)), symbols.size)
}

/** Every drawing has a name, and a mark for each row of its figure. */
const checkDrawings = ({ drawings, rows, title }: Figures.Figure): void => {
  assert.ok(drawings.length > 0, title)
  for (const { marks, name, role } of drawings) {
    assert.equal(role, "img", title)
    assert.ok(name.length > 20, title)
    assert.ok(marks.length > 0, title)
    // The maker's share is drawn by value and by fills.
    const wanted = title === "Maker share" ? 2 * rows : rows
    for (const [kind, count] of marks) assert.equal(count, wanted, `${title}: ${kind}`)
  }
}

/** The report of a whole export. Returns its figures. */
const checkWhole = async (browser: Browser, folder: string, rows: Exported): Promise<ReadonlyArray<Figures.Figure>> => {
  const { page, wrong } = await show(browser, folder)
  const figures = await page.evaluate(Figures.figures)
  checkRows(figures, rows)
  figures.forEach(checkDrawings)
  const whole = await page.evaluate(Figures.coverage)
  assert.deepEqual(
    whole.map(({ gaps, marks }) => [gaps.length, marks]),
    [[0, 0]]
  )
  await accessible(page, "report")
  await picture(page, "report")
  assert.deepEqual(wrong, [])
  return figures
}

const checkDark = async (browser: Browser, folder: string): Promise<void> => {
  const { page, wrong } = await show(browser, folder, { dark: true })
  await accessible(page, "report, dark")
  await picture(page, "report-dark")
  assert.deepEqual(wrong, [])
}

const checkNarrow = async (browser: Browser, folder: string): Promise<void> => {
  const { page, wrong } = await show(browser, folder, { width: 390 })
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(wide <= 390, `the page is ${wide} wide on a screen of 390`)
  await accessible(page, "report, narrow")
  await picture(page, "report-narrow")
  assert.deepEqual(wrong, [])
}

interface Window {
  readonly from: string
  readonly to: string
}

interface Manifest {
  readonly parts: ReadonlyArray<{ readonly windows: Array<Window> }>
}

/** Removes a window of the first part from the manifest of an export. */
const removeWindow = (folder: string): Window => {
  const file = path.join(folder, "manifest.json")
  // As `History.runAll` writes it.
  const manifest = JSON.parse(fs.readFileSync(file, "utf8")) as Manifest
  const [removed] = manifest.parts[0]?.windows.splice(3, 1) ?? []
  assert.ok(removed !== undefined, "the first part has no fourth window")
  fs.writeFileSync(file, JSON.stringify(manifest))
  return removed
}

/** The report of an export without one window: the band of its part shows where. */
const checkGap = async (browser: Browser, folder: string, range: Range): Promise<void> => {
  const removed = removeWindow(folder)
  assert.match((await reportOn(folder)).output, /exit code 1$/)
  const { page, wrong } = await show(browser, folder)
  const [first, ...others] = await page.evaluate(Figures.coverage)
  assert.deepEqual(
    others.flatMap(({ gaps }) => gaps),
    []
  )
  assert.equal(first?.gaps.length, 1)
  assert.equal(first.marks, 1)
  const [gap] = first.gaps
  assert.ok(gap !== undefined)
  const share = (at: string) => (Date.parse(at) - range.from) / (range.to - range.from)
  assert.ok(Math.abs(gap.from - share(removed.from)) < 0.01, `the gap begins at ${gap.from}`)
  assert.ok(Math.abs(gap.to - share(removed.to)) < 0.01, `the gap ends at ${gap.to}`)
  assert.ok(gap.isSeen, "something lies over the gap")
  assert.match(gap.fill, /#gap/)
  await picture(page, "report-gap", false)
  assert.deepEqual(wrong, [])
}

/** The report, looked at. */
export const report = async (browser: Browser): Promise<void> => {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-report-"))
  try {
    const folder = path.join(scratch, "export")
    const to = Date.now() - day
    const range = { from: to - 60 * day, to }
    await exportTo(folder, range)
    const ended = await reportOn(folder)
    assert.ok(ended.ok, ended.output)
    const rows = exported(folder)
    const figures = await checkWhole(browser, folder, rows)
    await checkDark(browser, folder)
    await checkNarrow(browser, folder)
    await checkGap(browser, folder, range)
    const marks = sum(figures.flatMap(({ drawings }) => drawings.flatMap((one) => one.marks.map(([, count]) => count))))
    const total = rows.executions.length + rows.closed.length
    console.log(
      `report: ${figures.length} pictures with ${marks} marks from ${total} rows; a gap is seen; nothing was asked for`
    )
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}
