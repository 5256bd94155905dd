import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import * as optionalPackages from "../src/run/optionalPackages.js"

interface Manifest {
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
}

describe("the packages that a fleet needs", () => {
  it("are listed if one of them cannot be loaded", async () => {
    const missing = () => Promise.reject(new Error("Cannot find package '@effect/cluster'"))
    const loading = optionalPackages.load(missing, "venue fleet --database", optionalPackages.ofDatabase)
    expect(await Effect.runPromise(Effect.flip(loading))).toMatchObject({
      _tag: "Refusal",
      message:
        "venue fleet --database needs npm install @effect/sql @effect/sql-pg @effect/cluster @effect/rpc @effect/workflow"
    })
  })

  it("are the only optional peers of the package, with the one for telemetry", () => {
    const text = fs.readFileSync(new URL("../package.json", import.meta.url), "utf8")
    const { peerDependenciesMeta } = JSON.parse(text) as Manifest
    const needed = new Set([
      ...optionalPackages.ofFolder,
      ...optionalPackages.ofDatabase,
      ...optionalPackages.ofTelemetry
    ])
    expect([...needed].toSorted()).toEqual(Object.keys(peerDependenciesMeta).toSorted())
  })
})
