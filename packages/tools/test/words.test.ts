import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { describe, it } from "node:test"
import { names, phrases } from "../src/vocabulary.js"
import { occurrences, run } from "../src/words.js"

const termsIn = (text: string, file = "docs/page.md"): ReadonlyArray<string> =>
  [...phrases, ...names].filter((term) => occurrences(term, file, text).length > 0).map(({ id }) => id)

describe("vocabulary", () => {
  const refused: ReadonlyArray<readonly [text: string, ...terms: ReadonlyArray<string>]> = [
    ["20 rows unless told", "unless told"],
    ["20 rows unless given otherwise", "unless told"],
    ["/**\n * 20 rows unless\n * told\n */", "unless told"],
    ["// unless\n  // replaced\n", "unless told"],
    ["the caller is told", "is told"],
    ["it was told of", "is told", "told of"],
    ["Tells the caller", "tells"],
    ["nobody's business", "nobody"],
    ["const nobody = 1", "nobody"],
    ["whoever calls somebody", "somebody", "whoever"],
    ["a store of one's own", "one's own"],
    ["says what became of it", "what became of"],
    ["what is left of so much of it, so many", "what is left", "so much of", "so many"],
    ["reads came.rows and { came: 1 }", "come, came (noun or value)"],
    ["text as it came", "as it came"],
    ["it lies ahead or reaches back", "lies ahead", "reaches back"],
    ["what came of the exchange", "come, came (noun or value)"],
    ["const f = (came: string) => decode(came)", "come, came (noun or value)"],
    ["held against the truth, put aside, taken up again", "held against", "put aside", "taken up again"],
    ["a made-up id in the place of it", "made up", "in the place of"],
    ["Budgets.layer", "Budgets"],
    ["defaultsUnlessTold", "UnlessTold"],
    ['from "./internal/reading.js"', "reading.ts"]
  ]
  for (const [text, ...terms] of refused) {
    it(`finds ${terms.join(", ")} in ${JSON.stringify(text)}`, () => assert.deepEqual(termsIn(text), terms))
  }

  const passed = [
    "Defaults to 20. The response came later. A custom store, instead of the default.",
    "retold, foretells, sinceLastWeek, LaneChange, BudgetsOf",
    "compared with the truth; resumed; generated; remaining"
  ]
  for (const text of passed) it(`passes ${JSON.stringify(text)}`, () => assert.deepEqual(termsIn(text), []))

  it("counts the name of a file, and a restricted term only in its folder", () => {
    assert.deepEqual(termsIn("", "packages/transport/src/Budgets.ts"), ["Budgets"])
    assert.deepEqual(termsIn("", "docs/decisions/0001-nothing-for-nobody.md"), ["nobody"])
    assert.deepEqual(termsIn("Settlement", "packages/transport/src/a.ts"), ["Settlement"])
    assert.deepEqual(termsIn("Settlement", "packages/schemas/src/a.ts"), [])
  })
})

describe("words", () => {
  const git = (root: string, ...args: ReadonlyArray<string>): void => {
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    assert.equal(spawnSync("git", [...author, ...args], { cwd: root }).status, 0, `git ${args.join(" ")}`)
  }

  const withRepository = (pages: { readonly [file: string]: string }, use: (root: string) => void): void => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-words-"))
    try {
      git(root, "init", "--quiet")
      fs.mkdirSync(path.join(root, "docs/decisions"), { recursive: true })
      for (const [file, text] of Object.entries(pages)) fs.writeFileSync(path.join(root, file), text)
      git(root, "add", ".")
      git(root, "commit", "--quiet", "--message", "first")
      use(root)
    } finally {
      fs.rmSync(root, { recursive: true, force: true })
    }
  }

  const clean = { "docs/a.md": "# A\n\nDefaults to 20.\n", "docs/decisions/0001-a.md": "Replaces the Lane.\n" }

  it("passes a name in a decision, and no phrase", () =>
    withRepository(clean, (root) => assert.deepEqual(run(root), { problems: [], totals: { phrases: 0, names: 0 } })))

  it("refuses every phrase and name, with the lines", () =>
    withRepository(
      {
        ...clean,
        "docs/b.md": "# B\n\n30 unless told. Nobody waits in a Lane.\n",
        "docs/decisions/0002-b.md": "Nobody.\n"
      },
      (root) => {
        const line = "    docs/b.md:3: 30 unless told. Nobody waits in a Lane."
        const { problems, totals } = run(root)
        assert.deepEqual(totals, { phrases: 3, names: 1 })
        assert.deepEqual(problems, [
          `phrases: "unless told" is not used here. Write \`Defaults to …\`.\n${line}`,
          `phrases: "nobody" is not used here. Write the caller, the process.\n${line}\n    docs/decisions/0002-b.md:1: Nobody.`,
          `names: "Lane" is not used here. Write Priority.\n${line}`
        ])
      }
    ))

  it("refuses an occurrence in a file that git does not know yet", () =>
    withRepository(clean, (root) => {
      fs.writeFileSync(path.join(root, "docs/b.md"), "Whoever.\n")
      assert.match(run(root).problems.join("\n"), /"whoever" is not used here.*\n {4}docs\/b\.md:1: Whoever\.$/)
    }))
})
