/**
 * Checks that this library and an account fit: calls every read once with the account's key, and compares each response with the
 * library's expectations. Nothing is written.
 */
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Connections from "@effect-venue/transport/Connections"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Recording from "@effect-venue/transport/Recording"
import * as Recorder from "@effect-venue/transport/siblings/Recorder"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { inOneLine } from "@effect-venue/schemas/siblings/ShownText"
import { countNoun, formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as findings from "./findings.js"
import { type Read, reads } from "./walkedLists.js"
import { surprises } from "./surprises.js"
import * as lists from "./walkedLists.js"

/**
 * The verdict of a check. `ok`: as expected. `notice`: it differs, and programs work. `problem`: calls fail, or their results are not
 * reliable.
 */
export type Verdict = "ok" | "notice" | "problem"

/**
 * The subject of a check.
 *
 * - `answers`: a call has an answer, in time, that can be decoded.
 * - `fields`: an answer has no fields and no values of enumerations that the library does not list.
 * - `codes`: return codes are those of the library's table.
 * - `limits`: the limits that answers state are the documented ones.
 * - `clock`: the service's clock is that of this machine.
 * - `permissions`: the key is allowed to call the operation.
 * - `history`: a window of a history is read to its end, twice with the same rows, and its rows lie in it.
 */
export type Check = "answers" | "fields" | "codes" | "limits" | "clock" | "permissions" | "history"

export interface Finding {
  readonly verdict: Verdict
  readonly check: Check
  /** The operation, such as `executions.list`, with its category in brackets if it was called for several. Empty for the account as a whole. */
  readonly operation: string
  /** One line. It has no key, secret or signature. */
  readonly detail: string
}

export interface Report {
  readonly at: DateTime.Utc
  readonly host: string
  /** The worst verdict of a finding. */
  readonly verdict: Verdict
  readonly findings: ReadonlyArray<Finding>
}

/** A report, and the exchanges that it was made from, without secrets, UIDs and addresses: `Recording.layerReplayOf` takes them. */
export interface Examination {
  readonly report: Report
  readonly recording: Recording.Recording
}

export interface Options {
  /** How long the window of each history is, at most as long as the operation allows. Defaults to 7 days. */
  readonly window?: Duration.DurationInput | undefined
  /** Called before each read. Defaults to nothing. */
  readonly onProgress?: ((progress: Progress) => Effect.Effect<void>) | undefined
}

/** How far an examination is. */
export interface Progress {
  /** The operation that is called next, with its category in brackets if it is called for several. */
  readonly operation: string
  readonly done: number
  readonly all: number
}

// Records of the last hour still change.
const settledAfter = Duration.toMillis("1 hour")

interface Examined {
  readonly transport: Transport.Transport.Shape
  readonly uid: string
  readonly to: number
  readonly window: number
}

const nameOf = ({ endpoint, probe: { variant = "" } }: Read): string =>
  variant === "" ? endpoint.name : `${endpoint.name} (${variant})`

const fromOf = ({ to, window }: Examined, { endpoint }: Read): number => {
  const span = Option.flatMap(endpoint.historyWindow, ({ span }) => span)
  return to - Math.min(window, Option.match(span, { onNone: () => window, onSome: Duration.toMillis }))
}

const largestPage = ({ endpoint }: Read): number =>
  endpoint.paging.pipe(
    Option.flatMap(({ size }) => size),
    Option.match({ onNone: () => 50, onSome: ({ max }) => max })
  )

const rereadOf = (operation: string, { reread }: lists.Walked): ReadonlyArray<Finding> =>
  Array.from(new Set(reread), (kind) => ({
    verdict: "notice",
    check: "history",
    operation,
    detail: `a page was wrong (${kind}), and right when it was requested again`
  }))

/** Reads a window once more, in smaller pages: a page that lacks a row lacks another one then. */
const secondReading = (
  examined: Examined,
  read: Read,
  first: lists.Walked
): Effect.Effect<ReadonlyArray<Finding>, Failure.ReadFailure> => {
  const operation = nameOf(read)
  const count = first.rows.length
  const isHistory = Option.isSome(read.endpoint.historyWindow) && Option.isSome(read.endpoint.paging)
  if (!isHistory) return Effect.succeed(rereadOf(operation, first))
  const rows = `${countNoun(count, "row")} in ${countNoun(first.pages, "page")}`
  if (!first.isWhole) {
    return Effect.succeed([
      { verdict: "notice", check: "history", operation, detail: `its end was not reached after ${rows}` }
    ])
  }
  const whole: Finding = { verdict: "ok", check: "history", operation, detail: `read to its end: ${rows}` }
  if (count < 2) return Effect.succeed([whole])
  const size = Math.ceil(Math.min(count / 2, largestPage(read) * 0.7))
  return Effect.map(
    lists.walk(examined.transport, read, { ...examined, from: fromOf(examined, read), size }),
    (second): ReadonlyArray<Finding> => {
      const differing = lists.difference(first.rows, second.rows)
      const reread = [...rereadOf(operation, first), ...rereadOf(operation, second)]
      return differing === 0
        ? [whole, ...reread]
        : [
            ...reread,
            {
              verdict: "problem",
              check: "history",
              operation,
              detail: `rows are missing: two readings of one window differ in ${differing} of ${countNoun(count, "row")}`
            }
          ]
    }
  )
}

const examineRead = (examined: Examined, read: Read): Effect.Effect<ReadonlyArray<Finding>, Failure.ReadFailure> =>
  Effect.gen(function* () {
    const operation = nameOf(read)
    if (read.probe.needsUid === true && examined.uid === "") {
      return [
        { verdict: "notice", check: "answers", operation, detail: "not called: the credentials do not declare a UID" }
      ]
    }
    const walked = yield* lists.walk(examined.transport, read, {
      ...examined,
      from: fromOf(examined, read),
      size: largestPage(read)
    })
    const window = { from: fromOf(examined, read), to: examined.to }
    const found = walked.results.flatMap((result) => surprises(read.endpoint.result.ast, result))
    return [
      { verdict: "ok", check: "answers", operation, detail: "decoded" },
      ...findings.reportSurprises(operation, found),
      ...findings.outside(read.endpoint.name, operation, walked.rows, window),
      ...(yield* secondReading(examined, read, walked))
    ]
  })

/** Calls every read, one after the other. Stops at a ban, since calls prolong it. */
const examineReads = (
  examined: Examined,
  onProgress: NonNullable<Options["onProgress"]>
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const all: Array<Finding> = []
    for (const [index, read] of reads.entries()) {
      yield* onProgress({ operation: nameOf(read), done: index, all: reads.length })
      const result = yield* Effect.either(examineRead(examined, read))
      if (result._tag === "Right") all.push(...result.right)
      else {
        all.push(findings.toFinding(nameOf(read), result.left))
        if (result.left._tag === "Banned") {
          const rest = reads.length - index - 1
          all.push({
            verdict: "notice",
            check: "limits",
            operation: "",
            detail: `${countNoun(rest, "read")} not called`
          })
          return all
        }
      }
    }
    return all
  })

/** Reads of the library that this module has no request for: none, which a test shows too. */
const unexamined: ReadonlyArray<Finding> = Endpoints.all
  .filter(({ name, safety }) => safety === "read" && !reads.some(({ endpoint }) => endpoint.name === name))
  .map(({ name }) => ({ verdict: "problem", check: "answers", operation: name, detail: "not called" }))

/** Whether a read had an answer that could be decoded. */
const isAnswered = (all: ReadonlyArray<Finding>): boolean =>
  all.some(({ check, verdict }) => check === "answers" && verdict === "ok")

const permissions = (all: ReadonlyArray<Finding>): Finding => {
  const found = (verdict: Verdict, detail: string): Finding => ({
    verdict,
    check: "permissions",
    operation: "",
    detail
  })
  const refused = all.filter(({ check, verdict }) => check === "permissions" && verdict === "notice")
  if (refused.length > 0) {
    return found("notice", `the key may not call ${refused.map(({ operation }) => operation).join(", ")}`)
  }
  if (!isAnswered(all)) return found("notice", "not examined, because no read was answered")
  const isEvery = !all.some(({ check, verdict }) => check === "answers" && verdict === "problem")
  return found("ok", isEvery ? "the key may call every read" : "the key may call every read that was answered")
}

const severity = { ok: 0, notice: 1, problem: 2 } as const

const worst = (all: ReadonlyArray<Finding>): Verdict =>
  all.reduce<Verdict>((worst, { verdict }) => (severity[verdict] > severity[worst] ? verdict : worst), "ok")

/** The transport of the account over clients that record. */
const makeRecordingTransport = (sink: Recorder.Sink) =>
  Effect.gen(function* () {
    const recorded = yield* Recorder.make(sink)
    const client = Layer.succeed(HttpClient.HttpClient, recorded(yield* HttpClient.HttpClient))
    const connections = Option.match(yield* Effect.serviceOption(Connections.Connections), {
      onNone: () => Layer.empty,
      onSome: (shape) =>
        Layer.succeed(Connections.Connections, {
          ...shape,
          use: <A, E, R>(call: (client: HttpClient.HttpClient) => Effect.Effect<A, E, R>) =>
            shape.use((inner) => call(recorded(inner)))
        })
    })
    return Context.get(
      yield* Layer.build(Venue.layer.pipe(Layer.provide(Layer.merge(client, connections)))),
      Transport.Transport
    )
  })

const examineAccount = (
  options: Options = {}
): Effect.Effect<Examination, never, HttpClient.HttpClient | Credentials.Credentials> =>
  Effect.gen(function* () {
    const credentials = yield* Credentials.Credentials
    const timed: Array<findings.Timed> = []
    const transport = yield* makeRecordingTransport({
      put: (exchange) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          timed.push({ exchange, millis: now - DateTime.toEpochMillis(exchange.at) })
        })
    })
    const at = yield* DateTime.now
    const examined = {
      transport,
      uid: credentials.uid ?? "",
      // A whole second: some histories count in them.
      to: Math.floor((at.epochMillis - settledAfter) / 1000) * 1000,
      window: Duration.toMillis(options.window ?? Duration.days(7))
    }
    const answers = yield* examineReads(examined, options.onProgress ?? (() => Effect.void))
    const all = [
      ...unexamined,
      findings.clock(timed),
      permissions(answers),
      ...answers,
      ...findings.ofExchanges(timed)
      // A detail quotes names and values of the service.
    ].map((finding) => ({ ...finding, detail: inOneLine(finding.detail) }))
    return {
      report: { at, host: transport.account.identity.host, verdict: worst(all), findings: all },
      recording: { version: 1 as const, exchanges: timed.map(({ exchange }) => exchange).map(Recording.pseudonyms()) }
    }
  }).pipe(Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none), Effect.scoped)

/**
 * Examines an account. Every failure of a call is a finding. No call is repeated, so that each fault shows; calls keep to the rate limits, and
 * take about a minute together. Histories are read in a window that ended an hour ago.
 */
export const examine = Trace.named("Doctor.examine", examineAccount)

const titles: { readonly [C in Check]: string } = {
  clock: "Clock",
  permissions: "Permissions",
  answers: "Answers",
  fields: "Unknown fields and values",
  codes: "Unknown return codes",
  limits: "Limits",
  history: "Histories"
}

const lineOf = ({ detail, operation }: Finding): string => `  ${operation === "" ? detail : `${operation}: ${detail}`}`

const linesOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => Array.from(new Set(findings.map(lineOf)))

// With more operations than these, one line for all of them says as much.
const longestList = 3

/** One line for each detail that many operations share, such as a wrong signature. */
const joinAlike = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  Object.entries(Arr.groupBy(findings, ({ detail }) => withoutRequest(detail))).flatMap(([detail, alike]) => {
    const operations = new Set(alike.map(({ operation }) => operation)).size
    const [first] = alike
    return operations <= longestList
      ? alike
      : [{ ...first, detail, operation: `${countNoun(operations, "operation")}, such as ${first.operation}` }]
  })

// The service repeats the signed text of a request in brackets.
const withoutRequest = (detail: string): string => detail.replace(/ origin_string\[.*$/, "")

/** Findings under a heading; nothing without findings. */
const sectionOf = (heading: string, findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.length === 0 ? [] : ["", heading, ...linesOf(findings)]

const checks: ReadonlyArray<Check> = ["clock", "permissions", "answers", "fields", "codes", "limits", "history"]

/** What was as expected, by check. */
const asExpected = (report: Report, ok: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  checks.flatMap((check) => {
    if (report.findings.some((finding) => finding.check === check)) {
      return sectionOf(
        titles[check],
        ok.filter((finding) => finding.check === check)
      )
    }
    return ["", titles[check], isAnswered(report.findings) ? "  none" : "  not examined, because no read was answered"]
  })

/** How much of a report is shown. */
export interface RenderOptions {
  /** Also lists what is as expected, and each of many operations with the same finding. Defaults to false. */
  readonly verbose?: boolean | undefined
}

/**
 * Returns a report as a page of text: notices, then problems, then their numbers.
 *
 * @category conversions
 */
export const render = (report: Report, { verbose = false }: RenderOptions = {}): string => {
  const of = (verdict: Verdict) => report.findings.filter((finding) => finding.verdict === verdict)
  const [problems, notices, ok] = [of("problem"), of("notice"), of("ok")]
  return [
    `${report.host} at ${formatInstant(report.at.epochMillis)} UTC`,
    ...(verbose ? asExpected(report, ok) : []),
    ...sectionOf("Notices", verbose ? notices : joinAlike(notices)),
    ...sectionOf("Problems", verbose ? problems : joinAlike(problems)),
    "",
    `${countNoun(problems.length, "problem")}, ${countNoun(notices.length, "notice")}, ${ok.length} ok`
  ].join("\n")
}
