import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ago, folder, launched, sharedExchange, venue } from "./utils/venue.js"

const shared = sharedExchange({ limits: "off" })

const nobody = 65_534

/** Root writes in spite of permissions. */
const user = process.getuid?.() === 0 ? nobody : undefined

const range = ["--from", ago(3), "--to", ago(2)]

const setMode = (mode: number) => {
  for (const name of ["", "locked", "empty"]) fs.chmodSync(path.join(folder(), name), name === "" ? 0o755 : mode)
  fs.chmodSync(path.dirname(folder()), 0o755)
}

beforeAll(async () => {
  fs.mkdirSync(path.join(folder(), "empty"))
  const args = ["export", "deposits", "--from", ago(90), "--to", ago(1), "--out", "locked"]
  expect(await venue(args, shared.current().variables)).toMatchObject({ code: 0 })
  setMode(0o555)
})

afterAll(() => {
  setMode(0o755)
})

const run = (...args: ReadonlyArray<string>) => launched(args, shared.current().variables, undefined, user)

describe("a read-only folder", () => {
  it.each<readonly [args: ReadonlyArray<string>, line: string]>([
    [
      ["export", "deposits", ...range, "--out", "empty"],
      "cannot write empty: the folder empty is read-only: permission denied"
    ],
    [
      ["export", "deposits", ...range, "--out", "empty/new"],
      "cannot write empty/new: the folder empty is read-only: permission denied"
    ],
    [
      ["export", "deposits", ...range, "--out", "empty", "--format", "sqlite"],
      "cannot write empty/venue.sqlite: the folder empty is read-only: permission denied"
    ],
    [
      ["export", "--incremental", "--out", "locked"],
      "cannot write locked: the folder locked is read-only: permission denied"
    ],
    [["report", "locked"], "cannot write locked/report.html: the folder locked is read-only: permission denied"],
    [
      ["log", "locked", "--out", "empty/log.csv"],
      "cannot write empty/log.csv: the folder empty is read-only: permission denied"
    ],
    [
      ["sandbox", "--port", "0", "--state", "empty/state.json"],
      "empty/state.json: the folder empty is read-only: permission denied"
    ]
  ])("is named as one by venue %j", async (args, line) => {
    const { code, err } = await run(...args)
    expect(err.trimEnd().split("\n").at(-1)).toBe(`venue: ${line}`)
    expect(code).toBe(args[0] === "sandbox" ? 2 : 1)
    expect(fs.readdirSync(path.join(folder(), "empty"))).toEqual([])
  })

  it("is verified", async () => {
    expect(await run("verify", "locked")).toMatchObject({ code: 0, err: "" })
  })
})
