import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Prompt from "@effect/cli/Prompt"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Batch from "@effect-venue/transport/siblings/Batch"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/siblings/Pages"
import type * as Transport from "@effect-venue/transport/Transport"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import * as Terminal from "@effect/platform/Terminal"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { preview } from "../call/preview.js"
import type { UnknownSymbol } from "../account/unlisted.js"
import * as Request from "../call/request.js"
import * as Show from "../call/show.js"
import { Diagnostics } from "../output/diagnostics.js"
import { load } from "../run/invocation.js"
import * as options from "../options/options.js"
import * as Layout from "../output/layout.js"
import * as Output from "../output/output.js"
import { Refusal } from "../run/failures.js"

/** Parts of a write were refused. */
export class PartlyRefused extends Data.TaggedError("PartlyRefused")<{ readonly message: string }> {}

/** Whether a write, or a part of one, was executed is unknown. */
export class Unknown extends Data.TaggedError("Unknown")<{ readonly message: string }> {}

/** The service refused, or did not respond. */
export class CallFailed extends Data.TaggedError("CallFailed")<{ readonly message: string }> {}

/** A write was done, and its result could not be printed. */
export class Unprinted extends Data.TaggedError("Unprinted")<{ readonly message: string }> {}

/** An operation that is chosen at run time. */
type AnyEndpoint = Endpoint.Endpoint<unknown, unknown, unknown, unknown>

const words = (identifiers: Readonly<Record<string, string>>): string =>
  Object.entries(identifiers)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")

const executed = {
  yes: "looked up: it was executed",
  no: "looked up: it was not executed",
  undetermined: "looked up: not known yet"
} as const

/** Reports a failure in one line: its tag, its subject, its code, its rule. */
const reportFailure = (
  failure: Failure.Failure | UnknownSymbol
): Effect.Effect<never, CallFailed | Unknown | Refusal | UnknownSymbol> =>
  Effect.gen(function* () {
    if (failure._tag === "UnknownSymbol") return yield* failure
    const message = `${failure._tag}: ${failure.message}`
    if (failure._tag === "InvalidRequest") return yield* new Refusal({ message })
    if (failure._tag !== "OutcomeUnknown") return yield* new CallFailed({ message })
    const by = words(failure.identifiers)
    const finding = yield* Effect.option(failure.lookUp)
    const found = Option.match(finding, {
      onNone: () => "the look-up failed",
      onSome: (found) => executed[found.executed]
    })
    return yield* new Unknown({
      message: `${message}; ${found}; look for ${by === "" ? "it among the records of the account" : by} before you send it again`
    })
  })

/** Sends a write. Its outcome is reported even if the user stops it: a lost outcome is worse than a wait. */
const finishWrite = <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    // A daemon: as a child, a signal to its parent would interrupt it too.
    const fiber = yield* Effect.forkDaemon(Effect.interruptible(write))
    yield* Effect.interruptible(Fiber.await(fiber)).pipe(
      Effect.onInterrupt(() =>
        Output.warn(
          "venue: it may have been sent: waiting for the answer (stopping once more ends at once, and leaves it unknown)"
        )
      ),
      Effect.exit
    )
    return yield* Fiber.join(fiber)
  })

/** Asks for confirmation before a write, except to an embedded sandbox. */
const confirm = (
  endpoint: Endpoint.Any,
  what: string,
  { isSandbox, yes }: { readonly isSandbox: boolean; readonly yes: boolean }
): Effect.Effect<void, Refusal, Prompt.Prompt.Environment> =>
  Effect.gen(function* () {
    if (endpoint.safety === "read" || isSandbox || yes) return
    const terminal = yield* Terminal.Terminal
    const refuse = (message: string) => new Refusal({ message: `${endpoint.name} ${message}` })
    if (!process.stdin.isTTY || !(yield* terminal.isTTY)) return yield* refuse("is a write: add --yes to send it")
    const question = Prompt.confirm({ message: `${what}. Send it?`, initial: false })
    // Ctrl-C at the question counts as no.
    const isAgreed = yield* Effect.orElseSucceed(Prompt.run(question), () => false)
    if (!isAgreed) return yield* refuse("was not sent")
  })

/** The call of a list that follows its pages: a result with the rows of all pages, without a cursor. */
const allPages = (
  transport: Transport.Transport.Shape,
  operation: AnyEndpoint,
  request: Readonly<Record<string, unknown>>
): Effect.Effect<Effect.Effect<unknown, Failure.Failure>, Refusal> =>
  Option.match(operation.paging, {
    onNone: () => new Refusal({ message: `${operation.name} has no pages: remove --all` }),
    onSome: ({ cursor, cursorParameter, items, size, sizeParameter }) => {
      const largest = Option.match(size, { onNone: () => ({}), onSome: ({ max }) => ({ [sizeParameter]: max }) })
      let last: Readonly<Record<string, unknown>> = {}
      const page = (at: string | undefined) =>
        Effect.map(
          transport.callWire(operation, {
            ...largest,
            ...request,
            ...(at === undefined ? {} : { [cursorParameter]: at })
          }),
          (answer) => {
            last = Predicate.isRecord(answer) ? answer : {}
            const rows = last[items]
            return { rows: Array.isArray(rows) ? rows : [], next: last[cursor] }
          }
        )
      const rows = Stream.runCollect(Stream.flattenIterables(Pages.stream({ operation: operation.name, page })))
      return Effect.succeed(
        Effect.map(rows, (rows) => {
          const { [cursor]: _, ...rest } = last
          return { ...rest, [items]: Chunk.toReadonlyArray(rows) }
        })
      )
    }
  })

/** The failure of a batch with orders that were not done. */
const judgeBatch = (
  endpoint: Endpoint.Any,
  transport: Transport.Transport.Shape,
  request: Readonly<Record<string, unknown>>,
  answer: unknown
): Effect.Effect<void, PartlyRefused | Unknown> =>
  Effect.gen(function* () {
    if (endpoint.extended !== true || !Array.isArray(request.request)) return
    const partCount = request.request.length
    const outcomes = Option.getOrElse(Show.outcomes(endpoint, answer), () => [])
    if (outcomes.length !== partCount) {
      return yield* new Unknown({
        message: `OutcomeUnknown: ${endpoint.name}: the response has outcomes of ${outcomes.length} of ${countNoun(partCount, "part")}: look up all of them before you send any again`
      })
    }
    // Only its name is used, for its parts; its arguments are ignored.
    const alone = endpoint as AnyEndpoint
    const failures = yield* Effect.forEach(
      outcomes.filter(({ code }) => code !== 0),
      ({ code, msg, place }) =>
        Effect.map(Batch.partFailure(transport, { of: endpoint, alone, request: {} }, { code, msg }), ({ _tag }) => ({
          _tag,
          text: `${place}: ${_tag}, code ${code}: ${msg}`
        }))
    )
    if (failures.length === 0) return
    const message = `${endpoint.name}: ${countNoun(failures.length, "part")} of ${partCount} not done: ${failures.map(({ text }) => text).join("; ")}`
    return yield* failures.some(({ _tag }) => _tag === "OutcomeUnknown")
      ? new Unknown({ message })
      : new PartlyRefused({ message })
  })

/**
 * Prints the result. A failed output does not change the exit code of a write, because a script would take the failure for a refusal and send the
 * write again.
 */
const printResult = <E>(
  endpoint: Endpoint.Any,
  answer: unknown,
  text: string,
  verdict: Effect.Effect<void, E>
): Effect.Effect<void, E | Unprinted | Output.OutputFailed, Terminal.Terminal> =>
  Effect.matchEffect(Output.printExactly(text), {
    onSuccess: () => verdict,
    onFailure: (failed): Effect.Effect<never, E | Unprinted | Output.OutputFailed> => {
      if (endpoint.safety === "read") return failed
      const message = `${endpoint.name}: the service has answered, but the result could not be printed (${failed.detail}): ${JSON.stringify(answer)}`
      return Effect.zipRight(
        Effect.tapError(verdict, () => Output.warn(`venue: ${message}`)),
        new Unprinted({ message })
      )
    }
  })

const names = Endpoints.all.map((endpoint): [string, Endpoint.Any] => [endpoint.name, endpoint])

const callOptions = {
  json: Options.boolean("json").pipe(Options.withDescription("Print the unmodified result as JSON.")),
  all: Options.boolean("all").pipe(Options.withDescription("Read all pages of a list, and print all rows.")),
  yes: Options.boolean("yes").pipe(
    Options.withDescription("Send a write without confirmation; a summary goes to standard error.")
  ),
  account: options.account,
  ...options.source
}

/** The parser takes unknown options for parameters. */
const optionNames = Object.keys(callOptions).map((name) => `--${name}`)

export const callCommand = Command.make(
  "call",
  {
    endpoint: Args.choice(names, { name: "operation" }).pipe(
      Args.withDescription("The operation, as the command operations lists them.")
    ),
    parameters: Args.text({ name: "key=value" }).pipe(
      Args.repeated,
      Args.withDescription("Its parameters, such as category=linear. A value can be JSON; @file reads it from a file.")
    ),
    ...callOptions
  },
  ({ account, all, endpoint, json, parameters, yes, ...choice }) =>
    Effect.gen(function* () {
      // The operation is chosen at run time, so its types are unknown here; its schemas check the rest.
      const operation = endpoint as AnyEndpoint
      const prepare = Effect.gen(function* () {
        const request = Request.withIds(endpoint, yield* Request.read(endpoint, parameters, optionNames))
        const venue = yield* load(() => import("../account/venue.js"))
        const source = yield* venue.source({
          ...choice,
          accounts: Option.toArray(account),
          keyless: endpoint.signing === "public",
          writes: endpoint.safety !== "read"
        })
        const [{ credentials, name, transport }] = source.accounts
        yield* Effect.catchAll(transport.check(operation, request), reportFailure)
        const of = name ?? credentials.uid
        const what = `${preview(endpoint, request)}, ${of === undefined ? "" : `account ${of}, `}to ${credentials.baseUrl}`
        yield* confirm(endpoint, what, { isSandbox: source.isSandbox, yes })
        if (endpoint.safety !== "read") yield* Effect.flatMap(Diagnostics, ({ write }) => write(`${what}\n`))
        return { explainSymbol: venue.explainSymbol, request, transport }
      })
      const { explainSymbol, request, transport } = yield* Effect.interruptible(prepare)
      const call = all ? yield* allPages(transport, operation, request) : transport.callWire(operation, request)
      const explained = explainSymbol(transport, `${endpoint.name}: symbol`, [request])(call)
      const sent = Effect.catchAll(explained, reportFailure)
      const answer = yield* endpoint.safety === "read" ? Effect.interruptible(sent) : finishWrite(sent)
      const text = json ? JSON.stringify(answer, undefined, 2) : Show.show(endpoint, answer, yield* Layout.page)
      yield* printResult(endpoint, answer, text, judgeBatch(endpoint, transport, request, answer))
    }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Call an operation of the service. Exit codes: 0 done; 1 the service refused it, or all or part of it was not done; 2 wrong arguments, nothing was sent; 3 a write was sent, its outcome is unknown; 4 the write was done, its result could not be printed; 130 stopped."
  )
)
