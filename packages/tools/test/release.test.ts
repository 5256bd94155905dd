/** What has to hold before a release, and what only those who publish can set. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { unknown, unready } from "../src/release.js"

const ready = {
  status: "",
  pending: [],
  versions: { schemas: "1.2.3", cli: "1.2.3" },
  changelogs: { schemas: "# schemas\n\n## 1.2.3\n\n- new\n", cli: "# cli\n\n## 1.2.3\n" }
}

describe("a release", () => {
  it("is ready with one version, its changelogs and nothing pending", () => {
    assert.deepEqual(unready(ready), [])
  })

  it("waits for changes to be committed and to have a version", () => {
    assert.deepEqual(unready({ ...ready, status: " M README.md\n", pending: ["a.md", "b.md"] }), [
      "there are changes that are not committed",
      "2 changes wait for a version: `pnpm versions`"
    ])
  })

  it("is refused where versions differ, and where there is none yet", () => {
    const differing = { ...ready, versions: { schemas: "1.2.3", cli: "1.2.4" } }
    assert.deepEqual(unready(differing), ['the versions differ: {"schemas":"1.2.3","cli":"1.2.4"}'])
    const unversioned = { ...ready, versions: { schemas: "0.0.0" }, changelogs: {} }
    assert.deepEqual(unready(unversioned), ["there is no version yet: `pnpm changeset`, `pnpm versions`"])
  })

  it("is refused where a changelog does not name its version", () => {
    const changelogs = { ...ready.changelogs, cli: "# cli\n\n## 1.2.30\n" }
    assert.deepEqual(unready({ ...ready, changelogs }), ["the changelog of cli says nothing of 1.2.3"])
  })

  it("names the fields of the manifest that still lead nowhere", () => {
    const top = {
      homepage: "https://somewhere.org",
      bugs: { url: "https://somewhere.example/issues" },
      repository: { type: "git", url: "git+https://somewhere.example/it.git" }
    }
    assert.deepEqual(unknown(top), [
      "`bugs` in package.json still is https://somewhere.example/issues",
      "`repository` in package.json still is git+https://somewhere.example/it.git"
    ])
  })
})
