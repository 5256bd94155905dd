import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { control, variablesOf, withSandbox } from "./utils/sandbox.js"
import { folder } from "./utils/venue.js"

// With one process: packages/sandbox/test/StateFile.test.ts

describe("venue sandbox", () => {
  it("saves its state to a file, and continues from it", async () => {
    const args = ["--limits", "off", "--state", "kept/state.json"]
    fs.mkdirSync(path.join(folder(), "kept"))
    const first = await withSandbox(args, (variables) => control(variables, "openAccount", { uid: "77" }))
    expect(first).toMatchObject({ code: 0, err: "", used: { uid: "77" } })
    expect(first.out).toContain("The state is in kept/state.json.")
    expect(fs.readdirSync(path.join(folder(), "kept"))).toEqual(["state.json"])
    const second = await withSandbox(args, (variables) => control(variables, "openAccount", { uid: "77" }))
    expect(second).toMatchObject({ code: 0, err: "", used: { error: "Conflict", field: "uid" } })
    expect(variablesOf(second.out).VENUE_API_KEY).toBe(variablesOf(first.out).VENUE_API_KEY)
  })
})
