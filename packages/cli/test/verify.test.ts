import * as fs from "node:fs"
import * as path from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { ago, exchange, folder, linesOf, nowhere, venue } from "./utils/venue.js"

const written = "written"

const at = (...names: ReadonlyArray<string>) => path.join(folder(), ...names)

beforeAll(async () => {
  const { variables } = await exchange({ limits: "off" })
  const args = ["executions", "deposits", "--from", ago(75), "--to", ago(61)]
  expect(await venue(["export", ...args, "--out", written], variables)).toMatchObject({ code: 0 })
  const old = ["executions", "--from", ago(735), "--to", ago(725), "--out", "incomplete"]
  expect(await venue(["export", ...old], variables)).toMatchObject({ code: 1 })
})

const file = "executions-linear.ndjson"

/** A copy of the export, changed. */
const changed = (name: string, change: (rows: ReadonlyArray<string>) => ReadonlyArray<string>): string => {
  fs.cpSync(at(written), at(name), { recursive: true })
  fs.writeFileSync(
    at(name, file),
    change(linesOf(fs.readFileSync(at(written, file), "utf8")))
      .map((row) => `${row}\n`)
      .join("")
  )
  return name
}

describe("venue verify", () => {
  it("reports a complete and unchanged export", async () => {
    const { code, err, out } = await venue(["verify", written])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^[\d,]+ rows in 2 files, .* UTC: complete, and as it was written\.\n$/)
  })

  it("finds a removed row, prints a line for it, and exits with 1", async () => {
    const { code, err, out } = await venue(["verify", changed("removed", (rows) => rows.toSpliced(5, 1))])
    expect(code).toBe(1)
    expect(linesOf(out)).toHaveLength(1)
    expect(out).toMatch(/^RemovedRows: executions-linear\.ndjson has \d+ of \d+ rows from /)
    expect(err).toBe("venue: removed was changed after it was written: 1 finding\n")
  })

  it("does not pass an export that was incomplete when it was written", async () => {
    const { code, err, out } = await venue(["verify", "incomplete"])
    expect(code).toBe(1)
    expect(out).toMatch(/^lost {6}executions-linear, .*: the service remembers 730 days\n/)
    expect(err).toMatch(/^venue: incomplete is unchanged, but was incomplete when it was written: /)
  })

  for (const [what, args, code, line] of [
    ["there is no export", ["nowhere"], 1, /^venue: nowhere: there is no manifest\.json/],
    ["no folder is named", [], 2, /<folder> is missing/]
  ] as const) {
    it(`exits with ${code} and prints one line if ${what}`, async () => {
      const ended = await venue(["verify", ...args])
      expect(ended.code).toBe(code)
      expect(linesOf(ended.err)).toHaveLength(1)
      expect(ended.err).toMatch(line)
    })
  }

  it("reports an unfinished export with the call that resumes it, as report does", async () => {
    const args = ["executions", "deposits", "--from", "2026-01-02", "--to", "2026-01-09", "--out", "begun"]
    expect(await venue(["export", ...args], nowhere)).toMatchObject({ code: 1 })
    for (const command of ["verify", "report"]) {
      const { code, err } = await venue([command, "begun"])
      expect(code).toBe(1)
      expect(err).toMatch(/^venue: begun: .* was started here and is unfinished, with 0 rows of 0 windows so far/)
      expect(err).toMatch(
        / venue export executions deposits --from 2026-01-02T00:00:00\.000Z --to 2026-01-09T00:00:00\.000Z --category linear --format ndjson --out begun\n$/
      )
    }
  })
})
