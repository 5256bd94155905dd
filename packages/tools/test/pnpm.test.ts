import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { describe, it } from "node:test"
import { root } from "../src/repository.js"

/** Another version than the one that package.json names. */
const version = "10.33.3"

const packages = ["bench/peers", ...fs.readdirSync(path.join(root, "packages"))].map((name) => `packages/${name}`)

/** The manifests and the lockfile of the repository, and nothing else of it. */
const withManifests = (use: (folder: string) => void): void => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-pnpm-"))
  try {
    const manifests = [".", ...packages].map((name) => `${name}/package.json`)
    for (const file of ["pnpm-workspace.yaml", "pnpm-lock.yaml", ...manifests]) {
      if (!fs.existsSync(path.join(root, file))) continue
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      fs.copyFileSync(path.join(root, file), path.join(folder, file))
    }
    use(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

const pnpm = (cwd: string, ...args: ReadonlyArray<string>): string => {
  const child = spawnSync("npx", ["--yes", "--prefer-offline", `pnpm@${version}`, ...args], {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
    env: { ...process.env, CI: "true" }
  })
  assert.equal(child.status, 0, child.stdout + child.stderr)
  return child.stdout
}

describe("another pnpm 10", () => {
  it("runs scripts itself, without downloading the version that package.json names", () =>
    withManifests((folder) => assert.equal(pnpm(folder, "--version").trim(), version)))

  it("accepts the lockfile unchanged", () =>
    withManifests((folder) => {
      pnpm(folder, "install", "--frozen-lockfile", "--lockfile-only", "--ignore-scripts", "--prefer-offline")
      const lockfile = "pnpm-lock.yaml"
      assert.equal(
        fs.readFileSync(path.join(folder, lockfile), "utf8"),
        fs.readFileSync(path.join(root, lockfile), "utf8")
      )
    }))
})
