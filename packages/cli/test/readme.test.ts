import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { venue } from "./utils/venue.js"

const root = new URL("../../../", import.meta.url)

/** The commands on a page, and whether they are marked. */
const commandsOf = (page: string) =>
  Array.from(
    fs.readFileSync(new URL(page, root), "utf8").matchAll(/^(?:npx )?venue ([^#\n]*?) *(# needs an account.*|#.*)?$/gm),
    ([, words = "", comment = ""]) => ({ page, words, isMarked: comment.startsWith("# needs an account") })
  )

const pages = ["README.md", "docs/home.md", "docs/test-a-bot.md", "packages/cli/README.md"]
const commands = pages.flatMap(commandsOf)

const asksForAccount = /set VENUE_BASE_URL/

describe("a command on a front page", () => {
  it.each(commands.filter(({ isMarked }) => isMarked))(
    "needs an account as marked: $page, $words",
    async ({ words }) => {
      const { code, err } = await venue(words.split(" "))
      expect(code).not.toBe(0)
      expect(err).toMatch(asksForAccount)
    }
  )

  // With a sandbox it has an account; the sandbox itself runs until it is stopped.
  const unmarked = commands.filter(({ isMarked, words }) => !isMarked && !/--sandbox|^sandbox/.test(words))

  it.each(unmarked)("needs no account without a mark: $page, $words", async ({ words }) => {
    const { err } = await venue(words.split(" "))
    expect(err).not.toMatch(asksForAccount)
  })

  it("is found on each page", () => {
    expect(new Set(commands.map(({ page }) => page)).size).toBe(pages.length)
    expect(commands.filter(({ isMarked }) => isMarked)).toHaveLength(5)
  })
})
