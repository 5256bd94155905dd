import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const bench = fileURLToPath(new URL("..", import.meta.url))

/** The command as `npm run bench` starts it. */
const run = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ["--import", "./loader.mjs", "src/main.ts", ...args], { cwd: bench, encoding: "utf8" })

describe("bench", () => {
  // In `npm run test:long`: a start of the bench takes more processor time than most files of tests.
  const inLongTier = process.env.VENUE_TESTS === "long" ? it : () => undefined

  inLongTier("exits with 2 and lists the rows when a row does not exist", () => {
    const { status, stderr, stdout } = run("decode.nothing.such", "no-such-row")
    assert.strictEqual(status, 2)
    assert.match(stderr, /no row no-such-row: sign, decode, request/)
    assert.strictEqual(stdout, "")
  })

  inLongTier("exits with 2 when an option does not exist", () => {
    const { status, stderr } = run("--jsn", "decode")
    assert.strictEqual(status, 2)
    assert.match(stderr, /--jsn/)
  })

  it.scoped("appends what it prints, with commit, machine, date and note, and decides by the interval", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const results = path.join(yield* fs.makeTempDirectoryScoped(), "results.jsonl")
      yield* fs.writeFileString(results, "an earlier line\n")
      const { status, stderr, stdout } = run(...["--json", "--note", "of a test", "--results", results, "decode.wire"])
      assert.strictEqual(status, 0, stderr)
      const printed = JSON.parse(stdout)
      assert.strictEqual(printed.name, "decode.wire")
      assert.strictEqual(printed.reached, printed.interval.high <= printed.target.atMost)
      assert.isAtLeast(printed.interval.confidence, 0.95)
      assert.isTrue(printed.interval.low <= printed.median && printed.median <= printed.interval.high)

      const [earlier, line = "", ...rest] = (yield* fs.readFileString(results)).split("\n")
      assert.deepStrictEqual([earlier, rest], ["an earlier line", [""]])
      const { commit, date, machine, note, ...row } = JSON.parse(line)
      assert.deepStrictEqual({ ...row, reached: printed.reached }, printed)
      assert.match(commit, /^[0-9a-f]{40}(-dirty)?$/)
      assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.strictEqual(machine.node, process.version)
      assert.strictEqual(note, "of a test")
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
