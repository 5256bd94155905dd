/**
 * Takes the pictures of README.md and docs/home.md from the two commands that both pages show: the terminal of the first, and the page that the
 * second writes.
 *
 *     npm run fix -- pictures      takes the pictures
 *     npm run check -- pictures    fails if the commands print or show something else than on the pictures, apart from numbers
 */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "puppeteer-core"
import { current } from "../../../cli/bundle.mjs"
import { reportFile, runOf, stamp, terminalFile } from "./pictureRun.js"
import { bring, longestRun, root } from "../repository/repository.js"
import { open, withBrowser } from "./chromium.js"

const isChecking = process.argv.includes("--check")
const readme = path.join(root, "README.md")
const home = path.join(root, "docs", "home.md")

/** The number of progress lines on the picture. */
const mostProgress = 6

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** Draws a terminal with a command and its output. */
const drawTerminal = (command: string, output: ReadonlyArray<string>): string => {
  const lines = [`$ ${command}`, ...output]
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * 7.85) + 40
  const height = Math.ceil(lines.length * 19) + 54
  const rows = lines.map((line, index) => {
    const fill = index === 0 ? "#9cdcfe" : "#d4d4d4"
    return `  <text x="20" y="${50 + index * 19}" fill="${fill}" xml:space="preserve">${escapeXml(line)}</text>`
  })
  const circles = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `  <circle cx="${20 + index * 18}" cy="17" r="5.5" fill="${fill}"/>`
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"
  aria-label="${escapeXml(command)}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">
  <rect width="${width}" height="${height}" rx="8" fill="#1e1e1e"/>
${[...circles, ...rows].join("\n")}
</svg>
`
}

/** The lines of a picture that are the same in every run: without progress, and without numbers and sizes. */
const lasting = (svg: string): ReadonlyArray<string> =>
  Array.from(svg.matchAll(/<text[^>]*>(.*)<\/text>/g), ([, line = ""]) => line)
    .filter((line) => !/^\d+\/\d+ windows/.test(line))
    .map((line) => line.replaceAll(/\d[\d,.:-]*( [kM]?B)?/g, "0"))

/** The two commands on a page. */
const commandsOf = (page: string): readonly [exporting: string, reporting: string] => {
  const found = /^(npx venue export .*)\n(npx venue report .*)$/m.exec(fs.readFileSync(page, "utf8"))
  assert.ok(found, `${path.relative(root, page)} does not show npx venue export and npx venue report`)
  const [, exporting = "", reporting = ""] = found
  return [exporting, reporting]
}

/** Runs a command of a page, and returns the lines of its standard error and standard output. */
const run = (venue: string, command: string, cwd: string) => {
  const args = command.split(" ").slice(2)
  const { status, stderr, stdout } = spawnSync(process.execPath, [venue, ...args], {
    ...{ cwd, encoding: "utf8", timeout: longestRun, env: { ...process.env, NO_COLOR: "1" } }
  })
  assert.equal(status, 0, `${command}\n${stdout}${stderr}`)
  return { progress: stderr.split("\n").filter((line) => line !== ""), output: stdout.trimEnd().split("\n") }
}

/** Chooses progress lines that are evenly distributed, with the first and the last. */
const spread = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= mostProgress
    ? lines
    : Array.from(
        { length: mostProgress },
        (_, index) => lines[Math.round((index * (lines.length - 1)) / (mostProgress - 1))] ?? ""
      )

const take = async (browser: Browser): Promise<void> => {
  const [exporting, reporting] = commandsOf(readme)
  assert.deepEqual(commandsOf(home), [exporting, reporting])
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-pictures-"))
  try {
    const venue = await current()
    const { output, progress } = run(venue, exporting, folder)
    run(venue, reporting, folder)
    const svg = drawTerminal(exporting, [...spread(progress), ...output])
    if (isChecking) assert.deepEqual(lasting(fs.readFileSync(terminalFile, "utf8")), lasting(svg))
    else fs.writeFileSync(terminalFile, svg)

    const [out = ""] = reporting.split(" ").slice(-1)
    const url = pathToFileURL(path.join(folder, out, "report.html")).href
    const page = await open(browser, url, url, { name: "pictures-report", width: 1040 })
    // The text beside the picture names the columns of its first table, so that a picture of other columns is noticed.
    const columns = await page.$eval("table", (table) =>
      Array.from(table.querySelectorAll("thead th"), ({ textContent }) => textContent.trim())
    )
    const alt = `The report of the export: ${columns.join("; ")}`
    if (!isChecking) fs.writeFileSync(reportFile, stamp(await page.screenshot(), runOf(svg, alt)))
    const readWithAlt = (file: string) =>
      fs
        .readFileSync(file, "utf8")
        .replaceAll(/!\[[^\]]*\](?=\([^)]*report\.png\))/g, `![${alt}]`)
        .replace(/(?<=report\.png\n +alt: ).*/, `"${alt}"`)
    bring(new Map([readme, home].map((file) => [file, readWithAlt(file)])))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

await withBrowser(take)
