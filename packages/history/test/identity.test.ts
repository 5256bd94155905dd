import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, HttpClient, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, mortal, onStillExchange, today } from "./utils/world.js"

const parts = [Part.make(Datasets.executions, { category: "spot" }), Part.make(Datasets.deposits, {})]
const range = { from: today - 20 * day, to: today - 2 * day }
const later = { from: range.from, to: today - day }

/** A transport with these credentials, whose UID is not declared. */
const transportAs = ({ uid: _, ...credentials }: Credentials.Credentials.Shape) => transportOf(credentials)

const transportOf = (credentials: Credentials.Credentials.Shape) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    return yield* Effect.provide(
      Transport.Transport,
      Transport.layerStandalone.pipe(
        Layer.provide([
          Layer.succeed(HttpClient.HttpClient, client),
          Layer.succeed(Credentials.Credentials, credentials)
        ])
      )
    )
  })

const transports = Effect.gen(function* () {
  const { control, credentials } = yield* Sandbox.Sandbox
  const empty = yield* control.openAccount()
  return {
    main: yield* transportAs(credentials.main),
    mainWithUid: yield* transportOf(credentials.main),
    rotated: yield* transportAs(credentials.readOnly),
    sub: yield* transportAs(credentials.sub),
    elsewhere: yield* transportAs({ ...credentials.main, baseUrl: "http://elsewhere.invalid" }),
    empty: yield* transportAs(empty),
    emptyRotated: yield* transportAs(yield* control.openKey({ uid: empty.uid, readOnly: true }))
  }
})

/** The same sink, killed before its `n`-th commit. */
const killedBefore = <R>(n: number, sink: Sink.Sink<R>): Sink.Sink<R> => ({
  ...sink,
  open: (...given) =>
    Effect.map(sink.open(...given), (store) => {
      let commits = 0
      return {
        ...store,
        append: (batch) => (++commits === n ? Effect.die("killed") : store.append(batch))
      }
    })
})

let pid = 100

const run = <R>(
  transport: Transport.Transport.Shape,
  sink: Sink.Sink<R>,
  options: History.RunOptions = {},
  asked = range
) =>
  Effect.suspend(() =>
    settle(
      History.runAll(parts, asked, sink, options).pipe(
        Effect.provideService(Transport.Transport, transport),
        Effect.provideService(ProcessIdentity.Processes, mortal(++pid))
      )
    )
  )

const sinks: ReadonlyArray<readonly [string, (directory: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>]> = [
  ["ndjson", Sink.ndjson],
  ["sqlite", (directory) => SqliteSink.make(`${directory}/history.db`)]
]

for (const [name, sinkIn] of sinks) {
  describe(`an export of one account (${name})`, () => {
    onStillExchange("is not finished with the key of another account", function* () {
      const { main, sub } = yield* transports
      const sink = sinkIn(yield* folder)
      yield* Effect.exit(run(main, killedBefore(4, sink)))
      const refused = yield* Effect.flip(run(sub, sink))
      expect(refused).toMatchObject({ _tag: "Refused", reason: "OtherAccount" })
      // What is there contradicts whatever is declared.
      expect(yield* Effect.flip(run(sub, sink, { sameAccount: true }))).toMatchObject({ reason: "OtherAccount" })
      const finished = yield* run(main, sink)
      expect(finished).toMatchObject({ verdict: "complete", run: { starts: 2 } })
    })

    onStillExchange(
      "is neither continued nor returned with the key of another account after it is finished",
      function* () {
        const { main, sub } = yield* transports
        const sink = sinkIn(yield* folder)
        const finished = yield* run(main, sink)
        expect(yield* Effect.flip(run(sub, sink))).toMatchObject({ _tag: "Refused", reason: "OtherAccount" })
        expect(yield* Effect.flip(run(sub, sink, { incremental: true }, later))).toMatchObject({
          _tag: "Refused",
          reason: "OtherAccount"
        })
        expect(yield* run(main, sink)).toEqual(finished)
      }
    )

    onStillExchange("continues with a rotated key if the last window is equal, and records both keys", function* () {
      const { main, rotated } = yield* transports
      const sink = sinkIn(yield* folder)
      yield* Effect.exit(run(main, killedBefore(4, sink)))
      const finished = yield* run(rotated, sink)
      expect(finished.verdict).toBe("complete")
      for (const { identity } of finished.parts) {
        expect(identity.keys.map(({ accepted }) => accepted)).toEqual(["first", "rows"])
      }
      expect(yield* run(main, sink)).toEqual(finished)
      const continued = yield* run(rotated, sink, { incremental: true }, later)
      expect(continued.parts[0]?.identity).toEqual(finished.parts[0]?.identity)
    })

    onStillExchange("records the UID from the first run that declares it", function* () {
      const { main, mainWithUid } = yield* transports
      const { credentials } = yield* Sandbox.Sandbox
      const sink = sinkIn(yield* folder)
      const finished = yield* run(main, sink)
      expect(finished.parts.map(({ identity }) => identity.uid)).toEqual([null, null])
      const continued = yield* run(mainWithUid, sink, { incremental: true }, later)
      const uid = credentials.main.uid ?? expect.fail("the sandbox declares UIDs")
      expect(continued.parts.map(({ identity }) => identity.uid)).toEqual([uid, uid])
      expect(continued.parts.map(({ identity }) => identity.keys)).toEqual(
        finished.parts.map(({ identity }) => identity.keys)
      )
      expect((yield* run(main, sink, { incremental: true }, later)).parts[0]?.identity.uid).toBe(uid)
    })

    onStillExchange("without rows continues with another key only if declared, which is recorded", function* () {
      const { empty, emptyRotated } = yield* transports
      const sink = sinkIn(yield* folder)
      yield* Effect.exit(run(empty, killedBefore(4, sink)))
      const refused = yield* Effect.flip(run(emptyRotated, sink))
      expect(refused).toMatchObject({ _tag: "Refused", reason: "UnknownKey" })
      expect(refused.message).toContain("sameAccount")
      const finished = yield* run(emptyRotated, sink, { sameAccount: true })
      expect(finished.parts[0]?.identity.keys.map(({ accepted }) => accepted)).toEqual(["first", "declared"])
      // Once it is recorded it need not be declared again.
      const continued = yield* run(emptyRotated, sink, { incremental: true }, later)
      expect(continued.parts[0]?.identity).toEqual(finished.parts[0]?.identity)
    })
  })
}

describe("an export of one host", () => {
  onStillExchange("is not continued from another host", function* () {
    const { elsewhere, main } = yield* transports
    const sink = Sink.ndjson(yield* folder)
    yield* Effect.exit(run(main, killedBefore(4, sink)))
    const refused = yield* Effect.flip(run(elsewhere, sink))
    expect(refused).toMatchObject({ _tag: "Refused", reason: "OtherExport" })
    expect(refused.message).toContain("host sandbox.invalid, not elsewhere.invalid")
  })

  onStillExchange("contains no API key in its files", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { main } = yield* transports
    const { credentials } = yield* Sandbox.Sandbox
    const directory = yield* folder
    const manifest = yield* run(main, Sink.ndjson(directory))
    const text = yield* fs.readFileString(path.join(directory, Manifest.fileName))
    expect(text).not.toContain(Redacted.value(credentials.main.apiKey))
    expect(manifest.parts[0]?.identity).toMatchObject({ host: "sandbox.invalid", keys: [{ accepted: "first" }] })
  })
})
