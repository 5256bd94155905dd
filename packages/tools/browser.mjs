/**
 * Looks at what people look at, in a real browser without a way out: the page of `venue report`, and the site of docs/ when it is built.
 * Pictures of both are left in packages/tools/build/pictures.
 *
 *     node packages/tools/browser.mjs [report] [site]
 */
/* global document, getComputedStyle -- what runs in the page */
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { current } from "../cli/bundle.mjs"
import { launch } from "./src/browser/chromium.ts"
import { accessible } from "./src/browser/accessible.ts"
import { site } from "./src/browser/site.ts"

const tools = path.resolve(fileURLToPath(import.meta.url), "..")
const root = path.resolve(tools, "../..")
const pictures = path.join(tools, "build", "pictures")
const day = 86_400_000

/** A page that reports everything that it should not do. `allowed`: what may be asked for. */
const opened = async (browser, url, { allowed, dark = false, width = 1040 }) => {
  const page = await browser.newPage()
  const wrong = []
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) wrong.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => wrong.push(`error: ${error}`))
  page.on("dialog", async (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  await page.setRequestInterception(true)
  page.on("request", async (request) => {
    if (allowed(request.url())) return request.continue()
    wrong.push(`asks for ${request.url()}`)
    return request.abort()
  })
  await page.setViewport({ width, height: 900 })
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }])
  await page.goto(url, { waitUntil: "networkidle0" })
  return { page, wrong }
}

const picture = (page, name, options = { fullPage: true }) =>
  page.screenshot({ path: path.join(pictures, `${name}.png`), ...options })

/** For each picture of the page, how many marks it shows, and how many rows its figures have. */
const drawn = () => {
  const shown = (svg, mark) =>
    [...svg.querySelectorAll(`g.${mark} > *`)].filter((one) => {
      const { height, width } = one.getBBox()
      return width > 0 && height > 0
    }).length
  const names = ["point", "step", "symbol", "maker", "taker"]
  return [...document.querySelectorAll("figure:not(.coverage)")].map((figure) => ({
    title: figure.querySelector("h3").textContent,
    rows: figure.querySelectorAll("details tbody tr").length,
    counted: [...figure.querySelectorAll("details tbody tr")].map((row) =>
      row.children[1].textContent.replaceAll(",", "")
    ),
    drawings: [...figure.querySelectorAll("svg")].map((svg) => ({
      name: svg.getAttribute("aria-label"),
      role: svg.getAttribute("role"),
      marks: names.flatMap((name) => (svg.querySelector(`g.${name}`) === null ? [] : [[name, shown(svg, name)]]))
    }))
  }))
}

/** Where the gaps of the parts lie, and what is seen there. */
const gapsOf = () =>
  [...document.querySelectorAll("figure.coverage")].map((figure) => {
    const windows = [...figure.querySelectorAll("g.window > rect")].map((one) => one.getBoundingClientRect())
    const left = Math.min(...windows.map((one) => one.left))
    const right = Math.max(...windows.map((one) => one.right))
    return {
      title: figure.querySelector("h3").textContent,
      windows: windows.length,
      gaps: [...figure.querySelectorAll("g.gap > rect")].map((one) => {
        one.scrollIntoView({ block: "center" })
        const box = one.getBoundingClientRect()
        const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
        return {
          from: (box.left - left) / (right - left),
          to: (box.right - left) / (right - left),
          isSeen: top === one,
          fill: getComputedStyle(one).fill,
          stroke: getComputedStyle(one).stroke
        }
      }),
      marks: figure.querySelectorAll("g.gap-mark > *").length
    }
  })

const command = await current()

const venue = (...args) => spawnSync(process.execPath, [command, ...args], { cwd: root, encoding: "utf8" })

const rowsOf = (folder, part) =>
  fs
    .readFileSync(path.join(folder, `${part}.ndjson`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

const report = async (browser) => {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-report-"))
  try {
    const folder = path.join(scratch, "export")
    const to = Date.now() - day
    const range = { from: to - 60 * day, to }
    const parts = [
      Part.make(History.executions, { category: "linear" }),
      Part.make(History.executions, { category: "inverse" }),
      Part.make(History.executions, { category: "spot" }),
      Part.make(History.closedPnl, { category: "linear" }),
      Part.make(History.closedPnl, { category: "inverse" }),
      Part.make(History.deposits, {})
    ]
    const world = Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 7, limits: "off" })))
    await Effect.runPromise(
      History.runAll(parts, range, Sink.ndjson(folder)).pipe(Effect.provide(Layer.merge(world, NodeContext.layer)))
    )
    const ended = venue("report", folder)
    assert.equal(ended.status, 0, ended.stderr)

    const url = pathToFileURL(path.join(folder, "report.html")).href
    const only = { allowed: (asked) => asked === url }
    const { page, wrong } = await opened(browser, url, only)
    const figures = await page.evaluate(drawn)
    const executions = ["linear", "inverse", "spot"].flatMap((category) =>
      rowsOf(folder, `executions-${category}`).map((row) => ({ ...row, category }))
    )
    const closed = ["linear", "inverse"].flatMap((category) => rowsOf(folder, `closed-pnl-${category}`))
    const rows = (start) =>
      figures
        .filter(({ title }) => title.startsWith(start))
        .reduce((sum, { counted }) => sum + counted.reduce((total, count) => total + Number(count), 0), 0)
    // No row is in two pictures, and none in none.
    assert.equal(rows("Closed positions"), closed.length)
    assert.equal(rows("Trading fees"), executions.length)
    assert.equal(rows("Volume by symbol"), executions.length)
    const symbols = new Set(executions.map(({ category, symbol }) => `${category} ${symbol}`))
    assert.equal(
      figures.filter(({ title }) => title.startsWith("Volume")).reduce((sum, one) => sum + one.rows, 0),
      symbols.size
    )
    for (const { drawings, rows, title } of figures) {
      assert.ok(drawings.length > 0, title)
      for (const { marks, name, role } of drawings) {
        assert.equal(role, "img", title)
        assert.ok(name.length > 20, title)
        assert.ok(marks.length > 0, title)
        // The maker's share is drawn by value and by fills.
        for (const [mark, count] of marks)
          assert.equal(count, title === "Maker share" ? 2 * rows : rows, `${title}: ${mark}`)
      }
    }
    const whole = await page.evaluate(gapsOf)
    assert.deepEqual(
      whole.map(({ gaps, marks }) => [gaps.length, marks]),
      [[0, 0]]
    )
    await accessible(page, "report")
    await picture(page, "report")
    const night = await opened(browser, url, { ...only, dark: true })
    await accessible(night.page, "report, dark")
    await picture(night.page, "report-dark")
    const phone = await opened(browser, url, { ...only, width: 390 })
    const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(wide <= 390, `the page is ${wide} wide on a screen of 390`)
    await accessible(phone.page, "report, narrow")
    await picture(phone.page, "report-narrow")

    // A window is taken away: the band of its part shows where.
    const file = path.join(folder, "manifest.json")
    const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
    const [gone] = manifest.parts[0].windows.splice(3, 1)
    fs.writeFileSync(file, JSON.stringify(manifest))
    assert.equal(venue("report", folder).status, 1)
    const torn = await opened(browser, url, only)
    const [first, ...others] = await torn.page.evaluate(gapsOf)
    assert.equal(others.flatMap(({ gaps }) => gaps).length, 0)
    assert.equal(first.gaps.length, 1)
    assert.equal(first.marks, 1)
    const [gap] = first.gaps
    const share = (at) => (Date.parse(at) - range.from) / (range.to - range.from)
    assert.ok(Math.abs(gap.from - share(gone.from)) < 0.01, `the gap begins at ${gap.from}`)
    assert.ok(Math.abs(gap.to - share(gone.to)) < 0.01, `the gap ends at ${gap.to}`)
    assert.ok(gap.isSeen, "something lies over the gap")
    assert.match(gap.fill, /#gap/)
    await picture(torn.page, "report-gap", {})

    for (const one of [wrong, night.wrong, phone.wrong, torn.wrong]) assert.deepEqual(one, [])
    const marks = figures.flatMap(({ drawings }) => drawings.flatMap((one) => one.marks.map(([, count]) => count)))
    console.log(
      `report: ${figures.length} pictures with ${marks.reduce((sum, count) => sum + count, 0)} marks from ${executions.length + closed.length} rows; a gap is seen; nothing was asked for`
    )
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

const checks = { report, site }
const browser = await launch()
if (browser === undefined) {
  console.log("skipped: there is no browser for this machine in the packages, and none on the PATH")
} else {
  try {
    fs.mkdirSync(pictures, { recursive: true })
    const named = process.argv.slice(2)
    for (const name of named.length === 0 ? Object.keys(checks) : named) await checks[name](browser)
  } finally {
    await browser.close()
  }
}
