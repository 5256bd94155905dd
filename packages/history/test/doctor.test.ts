import { settle } from "@effect-venue/testing/Settling"
import * as Breadth from "@effect-venue/testing/Breadth"
import * as Doctor from "@effect-venue/history/Doctor"
import * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Recording from "@effect-venue/transport/Recording"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, TestClock } from "effect"
import { closing } from "./utils/hostile.js"
import { type Answer, pagesOf } from "@effect-venue/testing/BadNights"
import { exchangeWith } from "./utils/listing.js"
import { day } from "./utils/world.js"

// In the long tier every kind of fault is tried, in the other one those that only this module sees.
const today = DateTime.unsafeMake("2026-06-15T12:34:56.789Z")

const examined = settle(Doctor.examine({ window: "1 day" }))

const against = (rules: ReadonlyArray<Faults.Rule>) =>
  Effect.zipRight(
    TestClock.setTime(today.epochMillis),
    Effect.provide(examined, Sandbox.layer({ seed: 5, prices: "still", faults: { rules } }))
  )

const notOk = ({ report }: Doctor.Examination) =>
  report.findings
    .filter(({ verdict }) => verdict !== "ok")
    .map(({ check, detail, operation, verdict }) => `${verdict} ${check} ${operation}: ${detail}`)

describe("an examination", () => {
  const green = Effect.gen(function* () {
    return { examination: yield* examined, sandbox: yield* Sandbox.Sandbox }
  }).pipe(Effect.provide(Sandbox.layer({ seed: 5, prices: "still" })))

  it.effect("calls every read, finds nothing wrong with a sandbox, and puts no secret and no UID into its bundle", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(today.epochMillis)
      const { examination, sandbox } = yield* green
      expect(notOk(examination)).toEqual([])
      expect(examination.report.verdict).toBe("ok")
      const every = Endpoints.all.filter(({ safety }) => safety === "read").map(({ name }) => name)
      const called = (yield* sandbox.faults.log).map(({ operation }) => operation)
      expect(new Set(called)).toEqual(new Set(every))
      const histories = examination.report.findings.filter(({ check }) => check === "history")
      expect(histories.some(({ detail }) => /read to its end: \d\d+ rows/.test(detail))).toBe(true)

      const bundle = Recording.print(examination.recording)
      const { apiKey, apiSecret, uid = "" } = sandbox.credentials.main
      for (const secret of [Redacted.value(apiKey), Redacted.value(apiSecret)]) expect(bundle).not.toContain(secret)
      // The caller chose the ids of its orders.
      expect(bundle.split("\n").filter((line) => line.includes(uid) && !/orderLinkId/i.test(line))).toEqual([])

      expect(Doctor.render(examination.report)).toMatch(/^\S+ at \S+ \S+ UTC\n\n0 problems, 0 notices, \d\d+ ok$/)
      const page = Doctor.render(examination.report, { verbose: true }).split("\n")
      expect(page.at(-1)).toMatch(/^0 problems, 0 notices, \d\d+ ok$/)
      expect(page).toContain("  the key may call every read")
    })
  )

  // In the long tier: it reads every history four times.
  it.effect.runIf(Breadth.isLong)("returns the same report when its bundle is replayed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(today.epochMillis)
      const { examination } = yield* green
      yield* TestClock.setTime(today.epochMillis)
      const bundle = yield* Recording.parse(Recording.print(examination.recording))
      const account = Layer.succeed(Credentials.Credentials, { ...Recording.credentials, uid: "900000001" })
      const replay = Layer.merge(Recording.layerReplayOf(bundle, { ignore: ["uids"] }), account)
      const replayed = yield* Effect.provide(examined, replay)
      expect(replayed.report.findings).toEqual(examination.report.findings)
    })
  )

  it.effect("reports operations without permission as notices, by name", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(today.epochMillis)
      const { report } = yield* Effect.gen(function* () {
        const { credentials } = yield* Sandbox.Sandbox
        return yield* Effect.provideService(examined, Credentials.Credentials, credentials.customer)
      }).pipe(Effect.provide(Sandbox.layer({ seed: 5, prices: "still" })))
      const [summary] = report.findings.filter(({ check, operation }) => check === "permissions" && operation === "")
      expect(summary?.verdict).toBe("notice")
      expect(summary?.detail).toMatch(/^the key may not call .*broker\.customers, broker\.tradeVolume/)
      expect(report.verdict).toBe("notice")
    })
  )

  it.effect("lists return codes that the library's table does not have", () =>
    Effect.gen(function* () {
      const client = HttpClient.make((request) =>
        Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            Response.json({ retCode: 987654, retMsg: "new\u001b[2J\nok", result: {}, time: 0 })
          )
        )
      )
      const examination = yield* examined.pipe(
        Effect.provideService(HttpClient.HttpClient, client),
        Effect.provideService(Credentials.Credentials, Recording.credentials)
      )
      expect(notOk(examination)).toContain(
        "notice codes account.walletBalance: unknown return code 987654: new\\u001b[2J\\nok"
      )
    })
  )

  /** A fault of each kind, and what the report says of it. */
  const faults: ReadonlyArray<readonly [Faults.Rule, RegExp]> = [
    [{ fault: { kind: "dropBefore" } }, /^problem answers executions\.list .*connection failed, ECONNRESET/],
    [{ fault: { kind: "dropAfter" } }, /^problem answers executions\.list .*connection failed, ECONNRESET/],
    [
      { fault: { kind: "delay", millis: 5000, executed: "atOnce" } },
      /^notice answers executions\.list: an answer took 5/
    ],
    [
      { fault: { kind: "delay", millis: 60_000, executed: "afterwards" } },
      /^problem answers executions\.list .*no answer in time/
    ],
    [{ fault: { kind: "truncated", breaks: false } }, /^problem answers executions\.list .*unexpected response/],
    [{ fault: { kind: "truncated", breaks: true } }, /^problem answers executions\.list .*connection failed/],
    [{ fault: { kind: "html", executed: true } }, /^problem answers executions\.list .*unexpected response/],
    [{ fault: { kind: "empty", executed: true } }, /^problem answers executions\.list .*unexpected response/],
    [{ fault: { kind: "status", status: 502, executed: false } }, /^problem answers executions\.list .*502/],
    [{ fault: { kind: "ban" } }, /^problem limits executions\.list .*banned/i],
    [
      { fault: { kind: "rateRefusal", headers: true, limit: 5 }, skip: 1 },
      /^notice limits executions\.list: the answers state 10 and 5 calls/
    ],
    [{ fault: { kind: "rateRefusal", headers: false } }, /^problem limits executions\.list /],
    [{ fault: { kind: "skew", millis: 7000 } }, /^problem clock executions\.list /],
    [
      { fault: { kind: "clock", millis: 3000 } },
      /^problem clock executions\.list: the service's clock is 3\d\d\d ms ahead/
    ],
    [{ fault: { kind: "internal", executed: false } }, /^problem answers executions\.list .*10016/],
    [{ fault: { kind: "wrongEnvelope" } }, /^problem answers executions\.list .*unexpected response/],
    [{ fault: { kind: "nullResult" } }, /^problem answers executions\.list .*unexpected response/],
    [{ fault: { kind: "repeatedPage" } }, /^notice history executions\.list .*repeatedPage/],
    [{ fault: { kind: "repeatedCursor" } }, /^problem answers executions\.list .*cursor/i],
    [{ fault: { kind: "missingCursor" } }, /^problem answers executions\.list .*cursor/i],
    [{ fault: { kind: "missingRow" } }, /^problem history executions\.list .*rows are missing/],
    [{ fault: { kind: "unknownField" } }, /^notice fields executions\.list .*unknown field list\[\]\.newlyIntroduced/],
    [
      { fault: { kind: "unknownEnumValue" } },
      /^notice fields executions\.list .*unknown value "NewlyIntroduced" of list\[\]/
    ]
  ]

  it.effect("does not report success without a response that proves it", () =>
    Effect.gen(function* () {
      const { report } = yield* against([{ fault: { kind: "html", executed: true } }])
      expect(report.findings.filter(({ verdict }) => verdict === "ok")).toEqual([])
      const lines = Doctor.render(report, { verbose: true }).split("\n")
      expect(lines.at(-1)).toMatch(/^\d+ problems, \d+ notices?, 0 ok$/)
      const problems = lines.slice(lines.indexOf("Problems"))
      expect(problems).toContain("  executions.list (spot): unexpected response (HTTP 200) at its root: expected JSON")
    })
  )

  // The window of one day ended an hour ago.
  const ago = (hours: number) => 20 * day - hours * (day / 24)
  const grown = [closing("grown", ago(30), ago(5)), closing("new", ago(6), ago(5))]
  const older = [closing("older", ago(40), ago(39)), closing("new", ago(6), ago(5))]
  const lists: ReadonlyArray<readonly [name: string, answer: Answer, found: ReadonlyArray<string>]> = [
    ["lists closed profits by their creation", pagesOf(grown, "createdTime"), []],
    [
      "lists closed profits by their last update",
      pagesOf(grown, "updatedTime"),
      ["notice", "it is listed by updatedTime: the createdTime of 1 of 2 rows is outside the requested window"]
    ],
    [
      "ignores the window",
      (ask) => pagesOf(older, "createdTime")({ ...ask, from: 0, to: today.epochMillis }),
      ["problem", "1 of 2 rows are outside the requested window"]
    ]
  ]

  it.effect.each(lists)("of a service that %s compares the rows with the window", ([, answer, found]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(today.epochMillis)
      const { report } = yield* Effect.gen(function* () {
        const { credentials } = yield* Sandbox.Sandbox
        return yield* Effect.provideService(examined, Credentials.Credentials, credentials.main)
      }).pipe(Effect.provide(exchangeWith(Positions.closedPnl.path, answer)))
      const wrong = report.findings.filter(
        ({ check, operation, verdict }) =>
          check === "history" && operation === "positions.closedPnl (linear)" && verdict !== "ok"
      )
      expect(wrong.flatMap(({ detail, verdict }) => [verdict, detail])).toEqual(found)
    })
  )

  it("is tested with every kind of fault", () => {
    const kinds = Faults.Fault.members.map(({ fields }) => fields.kind.literals[0])
    expect(new Set(faults.map(([{ fault }]) => fault.kind))).toEqual(new Set(kinds))
  })

  const tried = faults.filter(
    ([{ fault }]) => Breadth.isLong || fault.kind === "unknownEnumValue" || fault.kind === "missingRow"
  )
  for (const [rule, said] of tried) {
    it.effect(`names ${rule.fault.kind}${"breaks" in rule.fault && rule.fault.breaks ? ", broken off" : ""}`, () =>
      Effect.gen(function* () {
        const findings = notOk(yield* against([{ ...rule, operations: ["executions.list"] }]))
        expect(findings).toContainEqual(expect.stringMatching(said))
        // Nothing else is suspected, but for what was not called during the ban.
        const others = findings.filter((finding) => !finding.includes("executions.list"))
        expect(others).toEqual(rule.fault.kind === "ban" ? [expect.stringMatching(/reads were not called$/)] : [])
      })
    )
  }
})
