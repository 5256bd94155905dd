/**
 * The pictures of the README and the site's home, from real runs of the command against its sandbox: the progress of an export as an SVG of
 * the terminal, and the page of `venue report` as a PNG.
 *
 *     node --import tsx packages/tools/src/pictures.ts
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { current } from "../../cli/bundle.mjs"
import { launch } from "./browser/chromium.js"
import { root } from "./repository.js"

const folder = path.join(root, "docs", "public", "pictures")

interface Shown {
  readonly command: string
  readonly output: string
}

/** Runs `venue` in a folder, and returns what a terminal would show. */
const venue = (program: string, cwd: string, ...args: ReadonlyArray<string>): Shown => {
  const child = spawnSync(process.execPath, [program, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", COLUMNS: "100" }
  })
  if (child.status !== 0) throw new Error(`venue ${args.join(" ")}: ${child.stderr}`)
  const output = `${child.stderr}${child.stdout}`.replaceAll(`${cwd}${path.sep}`, "").trim()
  return { command: `venue ${args.join(" ")}`, output }
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const lineHeight = 19
const characterWidth = 7.85
const margin = 20
const titleHeight = 34

/** A terminal with a command and its output. Readable on a light and on a dark page. */
const terminal = ({ command, output }: Shown): string => {
  const lines = [`$ ${command}`, ...output.split("\n")]
  const width = Math.ceil(Math.max(...lines.map(({ length }) => length)) * characterWidth + 2 * margin)
  const height = titleHeight + lines.length * lineHeight + margin
  const text = lines.map((line, index) => {
    const fill = index === 0 ? "#9cdcfe" : "#d4d4d4"
    const y = titleHeight + (index + 0.8) * lineHeight
    return `  <text x="${margin}" y="${y.toFixed(1)}" fill="${fill}" xml:space="preserve">${escaped(line)}</text>`
  })
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `  <circle cx="${margin + index * 18}" cy="17" r="5.5" fill="${fill}"/>`
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"`,
    `  aria-label="${escaped(command)}: ${escaped(lines.at(-1) ?? "")}"`,
    '  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">',
    `  <rect width="${width}" height="${height}" rx="8" fill="#1e1e1e"/>`,
    ...dots,
    ...text,
    "</svg>",
    ""
  ].join("\n")
}

const size = { width: 1040, height: 900 }

/** The top of a page, in a browser. */
const photograph = async (url: string, file: string): Promise<boolean> => {
  const browser = await launch()
  if (browser === undefined) return false
  try {
    const page = await browser.newPage()
    await page.setViewport(size)
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }])
    await page.goto(url, { waitUntil: "networkidle0" })
    await page.screenshot({ path: file })
    return true
  } finally {
    await browser.close()
  }
}

const main = async (): Promise<void> => {
  const program = await current()
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-pictures-"))
  try {
    fs.mkdirSync(folder, { recursive: true })
    const year = `${new Date().getUTCFullYear() - 1}-12-31`
    const exported = venue(program, scratch, "export", "executions", "--from", year, "--sandbox", "--out", "fills")
    fs.writeFileSync(path.join(folder, "export.svg"), terminal(exported))
    venue(program, scratch, "export", "all", "--from", year, "--sandbox", "--out", "year")
    venue(program, scratch, "report", "year")
    const report = path.join(scratch, "year", "report.html")
    const isThere = await photograph(pathToFileURL(report).href, path.join(folder, "report.png"))
    console.log(isThere ? `wrote ${folder}` : "there is no browser for this machine: report.png is the former one")
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
