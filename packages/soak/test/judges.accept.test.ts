import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as KillExports from "../src/KillExports.js"
import * as KillWrites from "../src/KillWrites.js"

// A fault that is put into each workload is found.

/** Every buyer becomes a seller, in the rows that a folder keeps. */
const forge = (folder: string): void => {
  const work = path.join(folder, ".venue")
  for (const name of fs.existsSync(work) ? fs.readdirSync(work) : []) {
    if (!name.endsWith(".journal.ndjson")) continue
    const file = path.join(work, name)
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll('"side":"Buy"', '"side":"BUY"'))
  }
}

/** Takes every second line out of a journal. */
const forget = (folder: string): void => {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    const lines = fs.readFileSync(file, "utf8").split("\n")
    fs.writeFileSync(file, lines.filter((line, index) => index % 2 === 0 || line === "").join("\n"))
  }
}

it.scopedLive("finds an export whose kept rows were changed between two starts", () =>
  Effect.gen(function* () {
    const { problems } = yield* KillExports.killExports({ runs: 10, seed: 6, formats: ["csv"], meddle: forge })
    expect(problems[0]).toMatch(/^run \d+, csv, killed \d+ times: Differs start \d+: .*executions-\w+\.csv/)
  })
)

it.scopedLive("finds that a journal of writes has lost entries", () =>
  Effect.gen(function* () {
    const { problems } = yield* KillWrites.killWrites({ runs: 2, seed: 6, meddle: forget })
    expect(problems.length).toBeGreaterThan(0)
  })
)
