import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { describe, it } from "node:test"
import { deadLinksOfPages, deadLinksOfSite } from "../src/links.js"

/** Writes the files into a folder that lasts as long as `use`. */
const inFolder = (files: { readonly [file: string]: string }, use: (folder: string) => void): void => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-links-"))
  try {
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      fs.writeFileSync(path.join(folder, file), text)
    }
    use(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

describe("links", () => {
  it("passes links to pages, ids, assets and other sites", () => {
    const index = `<a class="x" href="./sub/page.html#an-id">a</a> <a href="/sub/">b</a> <a href="#top">c</a>
      <a href="https://elsewhere.example/x">d</a> <a href="mailto:a@b.example">e</a> <img src="/assets/a.svg"><i id="top"></i>`
    const files = {
      "index.html": index,
      "sub/index.html": '<a href="../">up</a>',
      "sub/page.html": '<h2 id="an-id"></h2>',
      "assets/a.svg": ""
    }
    inFolder(files, (folder) => assert.deepEqual(deadLinksOfSite(folder), []))
  })

  it("refuses links to pages, folders, ids and assets that do not exist", () => {
    const dead = ["./gone.html", "/sub/", "#gone", "/page.html#gone", "/assets/gone.svg"]
    const files = { "index.html": dead.map((link) => `<a href="${link}">x</a>`).join(""), "page.html": "" }
    inFolder(files, (folder) =>
      assert.deepEqual(deadLinksOfSite(folder), [
        "index.html: ./gone.html (there is no gone.html)",
        "index.html: /sub/ (there is no sub/index.html)",
        "index.html: #gone (index.html has no #gone)",
        "index.html: /page.html#gone (page.html has no #gone)",
        "index.html: /assets/gone.svg (there is no assets/gone.svg)"
      ])
    )
  })

  it("refuses links of Markdown pages to files that do not exist, but not those in code", () => {
    const text = "[a](other.md#x) [b](../packages) [c](gone.md) `[d](gone.md)`\n\n```md\n[e](gone.md)\n```\n"
    inFolder({ "docs/page.md": text, "docs/other.md": "", "packages/a": "" }, (folder) =>
      assert.deepEqual(deadLinksOfPages(folder, ["docs/page.md"]), ["docs/page.md: gone.md"])
    )
  })
})
