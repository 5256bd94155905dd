/**
 * A browser without a window. It comes inside a package of the registry, with the libraries that it wants beside it, so that nothing has
 * to be there before; where that package has none for this machine, the browser that CHROME_PATH names, or one on the PATH.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import puppeteer from "puppeteer-core"
import type { Browser } from "puppeteer-core"
import { longestRun, tools } from "../repository.js"

const require = createRequire(import.meta.url)

interface Found {
  readonly executablePath: string | undefined
  readonly env: NodeJS.ProcessEnv
}

/** Unpacks it where the next run finds it: 200 MB under build/. Wholly or not at all. */
const unpacked = async (): Promise<Found> => {
  const entry = require.resolve("@sparticuz/chromium")
  const manifest = path.join(entry.slice(0, entry.lastIndexOf(`${path.sep}build${path.sep}`)), "package.json")
  // A manifest has a version.
  const { version } = JSON.parse(fs.readFileSync(manifest, "utf8")) as { readonly version: string }
  const folder = path.join(tools, "build", `chromium-${version}`)
  if (!fs.existsSync(folder)) {
    const beside = `${folder}.${process.pid}`
    fs.mkdirSync(beside, { recursive: true })
    // It unpacks itself into the temporary folder, and its libraries only where it takes itself to be on a bare machine.
    const before = { TMPDIR: process.env.TMPDIR, AWS_LAMBDA_JS_RUNTIME: process.env.AWS_LAMBDA_JS_RUNTIME }
    Object.assign(process.env, { TMPDIR: beside, AWS_LAMBDA_JS_RUNTIME: "nodejs20.x" })
    const { default: chromium } = await import("@sparticuz/chromium")
    await chromium.executablePath()
    for (const [name, value] of Object.entries(before)) process.env[name] = value ?? ""
    // Its fonts are looked for where they are.
    const fonts = path.join(beside, "fonts", "fonts.conf")
    const places = `<dir>${path.join(folder, "fonts")}</dir><cachedir>${path.join(folder, "fonts-cache")}</cachedir>`
    fs.writeFileSync(
      fonts,
      fs
        .readFileSync(fonts, "utf8")
        .replace(/<(dir|cachedir)>[^<]*<\/\1>\s*/g, "")
        .replace("</fontconfig>", `${places}</fontconfig>`)
    )
    fs.renameSync(beside, folder)
  }
  return {
    executablePath: path.join(folder, "chromium"),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: path.join(folder, "al2023", "lib"),
      FONTCONFIG_PATH: path.join(folder, "fonts"),
      HOME: os.tmpdir()
    }
  }
}

const installed = (): string | undefined =>
  [process.env.CHROME_PATH ?? "", "chromium", "chromium-browser", "google-chrome"].find(
    (name) => name !== "" && spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0
  )

/** Starts it; `undefined` where there is none. */
export const launch = async (): Promise<Browser | undefined> => {
  const own = process.platform === "linux" && process.arch === "x64"
  const found: Found = own ? await unpacked() : { executablePath: installed(), env: process.env }
  const { env, executablePath } = found
  if (executablePath === undefined) return undefined
  return puppeteer.launch({
    env,
    executablePath,
    timeout: longestRun,
    protocolTimeout: longestRun,
    headless: own ? "shell" : true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
  })
}
