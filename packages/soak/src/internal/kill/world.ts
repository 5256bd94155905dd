import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as ExportJudge from "@effect-venue/simulation/ExportJudge"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { bundle } from "../../../../cli/bundle.mjs"
import * as Child from "./child.js"
import { formats, type Format } from "./formats.js"
import * as Results from "./results.js"

// The exchange, and the command as processes that export from it.

const day = Duration.toMillis("1 day")

// Several datasets and categories of a few pages each, so that no rate limit has to be waited for.
const subjects = ["executions", "deposits", "transfers", "--category", "inverse", "--category", "spot"]

/** Where time goes in a run that is left alone: until its first request, and from there to its end. */
export interface Pace {
  readonly opening: number
  readonly working: number
}

/** How long after its start, or after the first request, a process is killed. */
export interface Delay {
  readonly after: "start" | "request"
  readonly millis: number
}

/** One process: it is started `wait` milliseconds after the others, and killed after `delay`, or left alone. */
export interface Attempt {
  readonly wait: number
  readonly delay: Delay | undefined
}

export interface Ended extends Child.Ended {
  readonly pace: Pace
}

/** What a run that is left alone leaves, and how long it takes. */
export interface Reference {
  readonly expected: Results.Result
  readonly pace: Pace
  readonly windows: number
}

export interface World {
  /** A folder for the exports, removed with the world. */
  readonly home: string
  /** Runs processes that export to one folder, side by side, until all of them have ended. */
  readonly exportTo: (
    format: Format,
    folder: string,
    attempts: ReadonlyArray<Attempt>
  ) => Effect.Effect<ReadonlyArray<Ended>>
  /** Of two runs that are left alone the second, since the first one warms things up. Made once for each format. */
  readonly reference: (format: Format) => Effect.Effect<Reference>
}

/** A server of the sandbox that calls `onRequest` before it answers a request. */
const listenedServer = Effect.fnUntraced(function* (seed: number, onRequest: Effect.Effect<void>) {
  const sandbox = yield* Sandbox.make({ seed, limits: "off", prices: "still" })
  const listened: Sandbox.Sandbox.Shape = {
    ...sandbox,
    handle: (request) => Effect.zipRight(onRequest, sandbox.handle(request))
  }
  return yield* Effect.orDie(Effect.provideService(Server.serve(), Sandbox.Sandbox, listened))
})

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "venue-kill-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

const makeReference = Effect.fnUntraced(function* (
  { exportTo, home }: Pick<World, "exportTo" | "home">,
  format: Format
) {
  const folder = path.join(home, `undisturbed-${format}`)
  const alone = [{ wait: 0, delay: undefined }]
  yield* exportTo(format, `${folder}-first`, alone)
  const [ended] = yield* exportTo(format, folder, alone)
  if (ended?.code !== 0) {
    return yield* Effect.dieMessage(`an export that was left alone ended with ${ended?.code}: ${ended?.err}`)
  }
  const expected = yield* Results.read(folder)
  const first = yield* Results.read(`${folder}-first`)
  const differing = ExportJudge.differences({ files: first, undisturbed: expected })
  if (differing.length > 0) {
    return yield* Effect.dieMessage(`two exports that were left alone differ: ${differing.join(", ")}`)
  }
  return { expected, pace: ended.pace, windows: Results.windowsIn(expected) }
})

export const make = Effect.fnUntraced(function* (seed: number) {
  const home = yield* temporaryFolder
  let onRequest: Effect.Effect<void> = Effect.void
  const server = yield* listenedServer(
    seed,
    Effect.suspend(() => onRequest)
  )
  const { apiKey, apiSecret, baseUrl } = server.credentials.main
  const env = {
    VENUE_BASE_URL: baseUrl,
    VENUE_API_KEY: Redacted.value(apiKey),
    VENUE_API_SECRET: Redacted.value(apiSecret)
  }
  // Kills are to land in what the command does, not in the time that it takes to compile.
  const { file: command } = yield* Effect.promise(() => bundle(path.join(home, "command")))
  const now = yield* Clock.currentTimeMillis
  const iso = (at: number) => new Date(at).toISOString()
  const range = ["--from", iso(now - 40 * day), "--to", iso(now - 9 * day)]

  const one = Effect.fnUntraced(function* (
    args: ReadonlyArray<string>,
    asked: Deferred.Deferred<number>,
    { delay, wait }: Attempt
  ) {
    yield* Effect.sleep(Duration.millis(wait))
    const started = yield* Clock.currentTimeMillis
    const doom =
      delay === undefined
        ? Effect.never
        : Effect.zipRight(
            delay.after === "request" ? Deferred.await(asked) : Effect.void,
            Effect.sleep(Duration.millis(delay.millis))
          )
    const ended = yield* Child.run(command, args, { cwd: home, env, doom })
    const opening = (yield* Deferred.isDone(asked)) ? (yield* Deferred.await(asked)) - started : ended.millis
    return { ...ended, pace: { opening, working: ended.millis - opening } }
  })

  const exportTo: World["exportTo"] = Effect.fnUntraced(function* (format, folder, attempts) {
    const asked = yield* Deferred.make<number>()
    onRequest = Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.asVoid(Deferred.succeed(asked, at)))
    const args = ["export", ...subjects, ...range, ...formats[format], "--out", folder]
    return yield* Effect.forEach(attempts, (attempt) => one(args, asked, attempt), { concurrency: "unbounded" })
  })

  const references = new Map<Format, Reference>()
  const reference = (format: Format) =>
    Effect.suspend(() => {
      const made = references.get(format)
      return made === undefined
        ? Effect.tap(makeReference({ exportTo, home }, format), (reference) => references.set(format, reference))
        : Effect.succeed(made)
    })
  return { home, exportTo, reference } satisfies World
})
