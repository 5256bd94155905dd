/** The programs of packages/tools/consumers are that of README.md, in each language and module system. */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { describe, it } from "node:test"
import { consumers, differing } from "../src/consumers.js"

const programs = fs
  .readdirSync(consumers, { recursive: true, encoding: "utf8" })
  .filter((file) => /(^|[\\/])main\.[cm]?[jt]s$/.test(file))

describe("the programs that use the packages", () => {
  it("are what README.md runs", () => {
    assert.ok(programs.length > 5)
    assert.deepEqual(differing(consumers), [])
  })

  for (const program of programs) {
    it(`differ by name where ${program} does`, () => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-consumers-test-"))
      try {
        fs.cpSync(consumers, folder, { recursive: true })
        fs.appendFileSync(path.join(folder, program), "void 0\n")
        assert.deepEqual(differing(folder), [program])
      } finally {
        fs.rmSync(folder, { recursive: true, force: true })
      }
    })
  }

  it("each have a start and a description", () => {
    for (const name of fs.readdirSync(consumers)) {
      const manifest: unknown = JSON.parse(fs.readFileSync(path.join(consumers, name, "package.json"), "utf8"))
      assert.match(JSON.stringify(manifest), /"description":"[A-Z].*"start":"\w/)
    }
  })
})
