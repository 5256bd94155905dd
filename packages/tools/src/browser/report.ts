/**
 * Checks the page of `venue report` in a browser: every row of an export from the sandbox is drawn once, and a gap is visible.
 *
 *     node --import tsx packages/tools/src/browser/report.ts
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
import { run } from "../repository/programs.js"
import { readJson, root } from "../repository/repository.js"
import { open, withBrowser } from "./chromium.js"
import type { View } from "./chromium.js"

const day = 86_400_000

const parts = [
  ...(["linear", "inverse", "spot"] as const).map((category) => Part.make(History.executions, { category })),
  ...(["linear", "inverse"] as const).map((category) => Part.make(History.closedPnl, { category })),
  Part.make(History.deposits, {})
]

const exportTo = (folder: string): Promise<unknown> => {
  const world = Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" })))
  const to = Date.now() - day
  return Effect.runPromise(
    History.runAll(parts, { from: to - 60 * day, to }, Sink.ndjson(folder)).pipe(
      Effect.provide(Layer.merge(world, NodeContext.layer))
    )
  )
}

/** The figures of the page: title, rows of the table, its second column, and the visible marks of each drawing by kind. Runs in the page. */
const figures = () =>
  Array.from(document.querySelectorAll("figure:not(.coverage)"), (figure) => ({
    title: figure.querySelector("h3")?.textContent ?? "",
    counts: Array.from(figure.querySelectorAll("details tbody tr"), (row) =>
      Number((row.children[1]?.textContent ?? "").replaceAll(",", ""))
    ),
    marks: Array.from(figure.querySelectorAll("svg")).flatMap((svg) =>
      Array.from(["point", "step", "symbol", "maker", "taker"], (kind) =>
        Array.from(svg.querySelectorAll<SVGGraphicsElement>(`g.${kind} > *`), (mark) => mark.getBBox())
      )
        .filter((boxes) => boxes.length > 0)
        .map((boxes) => boxes.filter(({ height, width }) => width > 0 && height > 0).length)
    )
  }))

/** The gaps of each part, and whether the pixel in the middle of a gap belongs to it. Runs in the page. */
const gaps = () =>
  Array.from(document.querySelectorAll("figure.coverage"), (figure) =>
    Array.from(figure.querySelectorAll("g.gap > rect"), (rect) => {
      rect.scrollIntoView({ block: "center" })
      const { height, left, top, width } = rect.getBoundingClientRect()
      return document.elementFromPoint(left + width / 2, top + height / 2) === rect
    })
  ).flat()

/** The lines of the table of months. Runs in the page. */
const monthLines = () =>
  Array.from(document.querySelectorAll("tbody tr"), (row) => row.firstElementChild?.textContent ?? "").filter((month) =>
    /^20\d\d-\d\d$/.test(month)
  ).length

/** The drawings that are not wholly on the screen, or whose text is too small to read. Runs in the page. */
const cutDrawings = () =>
  Array.from(document.querySelectorAll("figure svg"))
    .filter((svg) => {
      const { right, width } = svg.getBoundingClientRect()
      const isSmall = svg.querySelector("text") !== null && (12 * width) / Number(svg.getAttribute("width")) < 9
      return right > innerWidth || isSmall
    })
    .map((svg) => svg.getAttribute("aria-label"))

/** Prints the page, and counts the lines of months on the paper. */
const printReport = async (page: Page, file: string): Promise<number> => {
  await page.pdf({ path: file, format: "A4" })
  const text = run("pdftotext", ["-layout", file, "-"])
  assert.ok(text.ok, `pdftotext reads the printed report: install poppler-utils (Debian)\n${text.output}`)
  return (text.output.match(/^\s*20\d\d-\d\d\s+[A-Z]{2}/gm) ?? []).length
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

/** Checks the report of an export of sixty days, and that of the same export without one window. */
const report = async (browser: Browser): Promise<void> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-report-"))
  const url = pathToFileURL(path.join(folder, "report.html")).href
  const venue = await current()
  const show = (view: View) => open(browser, url, url, view)
  const lines = (dataset: string) =>
    fs
      .readdirSync(folder)
      .filter((file) => file.startsWith(dataset) && file.endsWith(".ndjson"))
      .flatMap((file) => fs.readFileSync(path.join(folder, file), "utf8").split("\n").slice(0, -1))
  const rows = (dataset: string) => lines(dataset).length
  try {
    await exportTo(folder)
    const whole = run(process.execPath, [venue, "report", folder], { cwd: root })
    assert.ok(whole.ok, whole.output)
    const page = await show({ name: "report" })
    const drawn = await page.evaluate(figures)
    const countOf = (title: string) =>
      sum(drawn.filter((candidate) => candidate.title.startsWith(title)).flatMap(({ counts }) => counts))
    // A funding payment is also an execution, without fee and volume.
    const trades = lines("executions").filter((line) => !line.includes('"execType":"Funding"')).length
    assert.equal(countOf("Volume by symbol"), trades)
    assert.ok(drawn.some(({ title }) => title.startsWith("Result in ")))
    for (const { counts, marks, title } of drawn.filter(({ counts }) => counts.length > 0)) {
      assert.ok(marks.length > 0, title)
      // The maker's share is drawn by value and by number.
      const wanted = title === "Maker share" ? 2 * counts.length : counts.length
      assert.ok(
        marks.every((count) => count === wanted),
        `${title}: ${marks.join(", ")} marks of ${wanted}`
      )
    }
    assert.deepEqual(await page.evaluate(gaps), [])
    const months = await page.evaluate(monthLines)
    assert.ok(months > 20, `${months} lines of months`)
    assert.equal(await printReport(page, path.join(folder, "report.pdf")), months)
    await show({ name: "report-dark", dark: true })
    assert.deepEqual(await (await show({ name: "report-narrow", width: 390 })).evaluate(cutDrawings), [])

    const file = path.join(folder, "manifest.json")
    // written by `History.runAll`
    const manifest = readJson(file) as { readonly parts: ReadonlyArray<{ readonly windows: Array<unknown> }> }
    manifest.parts[0]?.windows.splice(3, 1)
    fs.writeFileSync(file, JSON.stringify(manifest))
    assert.match(run(process.execPath, [venue, "report", folder], { cwd: root }).output, /exit code 1$/)
    assert.deepEqual(await (await show({ name: "report-gap" })).evaluate(gaps), [true])
    const total = rows("executions") + rows("closed-pnl")
    console.log(
      `report: ${drawn.length} figures of ${total} rows, ${months} lines of months on paper; a gap is visible`
    )
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

await withBrowser(report)
