import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as Failure from "@effect-venue/transport/Failure"
import { describe, expect, it } from "vitest"
import { judge, pauseAfter } from "../src/owner/judge.js"

const unauthorized = (reason: Failure.Unauthorized["reason"]) =>
  new Failure.Unauthorized({
    operation: "executions.list",
    attempts: [],
    status: 200,
    retCode: 10003,
    retMsg: "",
    reason
  })

const credentials = (reason: CredentialSource.CredentialsUnavailable["reason"]) =>
  new CredentialSource.CredentialsUnavailable({ account: "a", reason, detail: "" })

const refused = (reason: ExportFailure.Refused["reason"]) =>
  new ExportFailure.Refused({ location: "x", reason, detail: "" })

describe("the verdict on a failed export", () => {
  it.each([
    ["an unknown key", unauthorized("Key"), "account"],
    ["a wrong signature", unauthorized("Signature"), "account"],
    ["a missing right", unauthorized("Permission"), "export"],
    ["missing credentials", credentials("Missing"), "account"],
    ["unusable credentials", credentials("Invalid"), "account"],
    ["a source that does not answer", credentials("Unavailable"), "retry"],
    ["a folder in use", refused("Locked"), "retry"],
    ["a folder of another export", refused("OtherExport"), "export"],
    ["a folder of another account", refused("OtherAccount"), "export"],
    ["a key that no rows prove", refused("UnknownKey"), "export"],
    ["a full disk", new ExportFailure.SinkFailure({ location: "x", detail: "" }), "retry"],
    ["a defect", { _tag: "ExportDied", message: "x" }, "retry"]
  ] as const)("of %s", (_, failure, expected) => {
    const verdict = judge(failure)
    expect(verdict._tag === "Stop" ? verdict.scope : "retry").toBe(expected)
  })
})

describe("the pause before another attempt", () => {
  it.each([
    [0, 30_000],
    [1, 60_000],
    [6, 1_920_000],
    [7, 3_600_000],
    [1_000, 3_600_000]
  ])("after %d failures is %d milliseconds", (attempts, pause) => {
    expect(pauseAfter(attempts)).toBe(pause)
  })
})
