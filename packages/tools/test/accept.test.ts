import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { describe, it } from "node:test"
import { requestOf, runs } from "../src/accept.js"
import { root } from "../src/repository.js"

const namesOf = (args: ReadonlyArray<string>) => {
  const request = requestOf(args)
  return "problem" in request ? request.problem : request.runs.map(({ name }) => name)
}

describe("acceptance runs", () => {
  it("runs all of them without a name, and those that are named in their order", () => {
    assert.deepEqual(
      namesOf([]),
      runs(1).map(({ name }) => name)
    )
    assert.deepEqual(namesOf(["soak", "kill-test"]), ["kill-test", "soak"])
  })

  it("runs the fleets and the shared limits for the name of their group, each once", () => {
    assert.deepEqual(namesOf(["fleet"]), ["fleet-cluster", "kill-fleet", "shared-limits"])
    assert.deepEqual(namesOf(["fleet", "soak", "kill-fleet"]), ["fleet-cluster", "kill-fleet", "soak", "shared-limits"])
    assert.match(String(namesOf(["flet"])), /there is no run flet: .*, fleet$/)
  })

  it("passes the seed to the runs that have one", () => {
    const request = requestOf(["soak", "--seed", "7"])
    assert.ok("runs" in request)
    assert.deepEqual(request.runs[0]?.command.slice(-2), ["--seed", "7"])
  })

  it("refuses an unknown name and a seed that is no number", () => {
    assert.match(String(namesOf(["sok"])), /there is no run sok: kill-test, rivals, kill-writes, /)
    assert.match(String(namesOf(["--seed", "x"])), /whole number/)
  })

  it("lists the runs through the script, and exits with 2 for an unknown name", () => {
    const accept = (...args: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [path.join(root, "packages/tools/bootstrap.mjs"), "accept", ...args], {
        cwd: root,
        encoding: "utf8"
      })
    const list = accept("--list")
    assert.equal(list.status, 0, list.stderr)
    for (const { name } of runs(1)) assert.match(list.stdout, new RegExp(`^${name} `, "m"))
    const unknown = accept("sok")
    assert.equal(unknown.status, 2)
    assert.match(unknown.stderr, /there is no run sok/)
  })
})
