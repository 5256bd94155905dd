/** A headless browser whose pages report errors and forbidden requests. */
import type * as Axe from "axe-core"
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import puppeteer from "puppeteer-core"
import type { Browser, Credentials, Page } from "puppeteer-core"
import { longestRun, readJson, tools } from "../repository/repository.js"

const require = createRequire(import.meta.url)

/** Unpacks the browser of `@sparticuz/chromium`, with its libraries and fonts, to `build/`: 200 MB, once. */
const unpackChromium = async (): Promise<string> => {
  const [manifest = ""] =
    /^.*@sparticuz\/chromium\//.exec(require.resolve("@sparticuz/chromium").replaceAll("\\", "/")) ?? []
  // A manifest has a version.
  const { version } = readJson(`${manifest}package.json`) as { readonly version: string }
  const folder = path.join(tools, "build", `chromium-${version}`)
  if (fs.existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  fs.mkdirSync(draft, { recursive: true })
  // It unpacks into the temporary folder, and unpacks its libraries only on a machine that it considers bare.
  const temporary = os.tmpdir()
  Object.assign(process.env, { TMPDIR: draft, AWS_LAMBDA_JS_RUNTIME: "nodejs20.x" })
  await (await import("@sparticuz/chromium")).default.executablePath()
  process.env.TMPDIR = temporary
  const fonts = path.join(draft, "fonts", "fonts.conf")
  const folders = `<dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`
  const text = fs.readFileSync(fonts, "utf8").replace(/<(dir|cachedir)>[^<]*<\/\1>\s*/g, "")
  fs.writeFileSync(fonts, text.replace("</fontconfig>", folders))
  try {
    fs.renameSync(draft, folder)
  } catch (error) {
    // Another check has unpacked it meanwhile.
    if (!fs.existsSync(folder)) throw error
    fs.rmSync(draft, { recursive: true, force: true })
  }
  return folder
}

const findInstalled = (): string | undefined =>
  [process.env.CHROME_PATH ?? "", "chromium", "chromium-browser", "google-chrome"].find(
    (name) => name !== "" && spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0
  )

/** Starts the browser of the package, or on machines other than 64-bit Linux the one in CHROME_PATH or PATH. */
const launch = async (): Promise<Browser | undefined> => {
  const isPacked = process.platform === "linux" && process.arch === "x64"
  const folder = isPacked ? await unpackChromium() : ""
  const executablePath = isPacked ? path.join(folder, "chromium") : findInstalled()
  if (executablePath === undefined) return undefined
  const env = {
    ...process.env,
    ...(isPacked
      ? { LD_LIBRARY_PATH: path.join(folder, "al2023", "lib"), FONTCONFIG_PATH: path.join(folder, "fonts") }
      : {})
  }
  return puppeteer.launch({
    ...{ executablePath, env: { ...env, HOME: os.tmpdir() }, headless: isPacked ? "shell" : true },
    ...{ timeout: longestRun, protocolTimeout: longestRun },
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
  })
}

/** Runs a check with a browser, and skips it on a machine without one. */
export const withBrowser = async (check: (browser: Browser) => Promise<void>): Promise<void> => {
  const browser = await launch()
  if (browser === undefined) console.log("skipped: no browser in CHROME_PATH or PATH")
  else await check(browser).finally(() => browser.close())
}

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")

/** Returns the violations of WCAG 2.2, levels A and AA, on a page. */
const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  const results = await page.evaluate(() =>
    // The script above defines it.
    (globalThis as unknown as { readonly axe: typeof Axe }).axe.run(document, {
      runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
      // Experimental: it mistakes the shortcut beside the label of a button for a part of the label.
      rules: { "label-content-name-mismatch": { enabled: false } }
    })
  )
  return results.violations.flatMap(({ help, nodes }) => nodes.map(({ target }) => `${help}: ${target.join(" ")}`))
}

/** How a page is displayed. Default: a light page of 1280 pixels. */
export interface View {
  readonly name: string
  readonly dark?: boolean
  readonly width?: number
  /** A page that is only for those who have it. */
  readonly password?: Credentials
  /** An element that a page shows when it is complete. Defaults to a page that requests nothing more. */
  readonly shows?: string
}

/**
 * Opens a page, and fails if it reports an error, requests something outside `allowed`, is wider than the screen or is not accessible.
 * Saves a picture in packages/tools/build/pictures.
 */
export const open = async (browser: Browser, url: string, allowed: string, view: View): Promise<Page> => {
  const { dark = false, name, password, shows, width = 1280 } = view
  const page = await browser.newPage()
  page.setDefaultTimeout(longestRun)
  const problems: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) problems.push(message.text())
  })
  page.on("pageerror", (error) => problems.push(String(error)))
  await page.setRequestInterception(true)
  page.on("request", (request) => {
    if (request.url().startsWith(allowed) || /^(data|blob):/.test(request.url())) void request.continue()
    else {
      problems.push(`requests ${request.url()}`)
      void request.abort()
    }
  })
  await page.setViewport({ width, height: 900 })
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }])
  if (password !== undefined) await page.authenticate(password)
  await page.goto(url, { waitUntil: shows === undefined ? "networkidle0" : "load" })
  if (shows !== undefined) await page.waitForSelector(shows)
  const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(scrollWidth <= width, `${name} is ${scrollWidth} wide`)
  assert.deepEqual([...problems, ...(await violations(page))], [], name)
  const pictures = path.join(tools, "build", "pictures")
  fs.mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true })
  return page
}
