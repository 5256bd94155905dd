/** A page of a browser that reports everything that it should not do. */
import * as path from "node:path"
import type { Browser, Page } from "puppeteer-core"
import { longestRun, tools } from "../repository.js"

/** The folder where pictures of the pages are left. */
export const pictures = path.join(tools, "build", "pictures")

/** How a page is looked at. */
export interface Options {
  /** Whether the page may ask for a URL. */
  readonly allowed: (url: string) => boolean
  /** In pixels. */
  readonly width: number
  /** Defaults to `false`. */
  readonly dark?: boolean
}

export interface Opened {
  readonly page: Page
  /** What the page did that it should not: errors, dialogs, requests that are not allowed. */
  readonly wrong: Array<string>
}

/** Opens an empty page. */
export const open = async (browser: Browser, { allowed, dark = false, width }: Options): Promise<Opened> => {
  const page = await browser.newPage()
  page.setDefaultTimeout(longestRun)
  const wrong: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) wrong.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => wrong.push(`error: ${String(error)}`))
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.setRequestInterception(true)
  page.on("request", (request) => {
    if (allowed(request.url())) void request.continue()
    else {
      wrong.push(`asks for ${request.url()}`)
      void request.abort()
    }
  })
  await page.setViewport({ width, height: 900 })
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }])
  return { page, wrong }
}
