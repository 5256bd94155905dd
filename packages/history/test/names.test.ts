/** The entry points of history have their names in traces, and their callers in the stacks of failures. */
import * as Doctor from "@effect-venue/history/Doctor"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Singer from "@effect-venue/history/Singer"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as Credentials from "@effect-venue/signing/Credentials"
import { collecting } from "@effect-venue/testing/Spans"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { folder, onThatDay } from "./utils/world.js"

/** A service that refuses every call. */
const refusing = Transport.layerStandalone.pipe(
  Layer.provideMerge(
    Credentials.layer({ baseUrl: "http://venue.test", apiKey: "key", apiSecret: Redacted.make("secret") })
  ),
  Layer.provideMerge(
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) =>
        Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            new Response(JSON.stringify({ retCode: 10001, retMsg: "no", result: null, retExtInfo: null, time: 0 }))
          )
        )
      )
    )
  )
)

const query = {
  category: "linear",
  from: Date.parse("2026-06-14T00:00:00Z"),
  to: Date.parse("2026-06-14T12:00:00Z")
} as const
const part = Part.make(History.executions, { category: "linear" })

type Entry = Effect.Effect<unknown, Error, Transport.Transport | NodeContext.NodeContext>

const entries = (directory: string): Readonly<Record<string, Entry>> => ({
  "History.run": History.run(History.executions, query, Sink.ndjson(`${directory}/run`)),
  "History.runAll": History.runAll([part], query, Sink.ndjson(`${directory}/all`)),
  "History.stream": Stream.runDrain(History.stream(History.executions, query)),
  "History.commits": Stream.runDrain(History.commits(part, query)),
  "History.follow": Stream.runDrain(History.follow(part, query)),
  "Singer.tap": Stream.runDrain(Singer.tap([part], { from: query.from, onIncomplete: () => Effect.void })),
  "Verify.verify": Verify.verify(`${directory}/missing`)
})

const firstFrame = ({ stack = "" }: Error) => stack.split("\n").find((line) => line.startsWith("    at "))

describe("an entry point of history", () => {
  it.scoped("is one span of its name, and the first frame of its failure", () =>
    Effect.gen(function* () {
      for (const [name, entry] of Object.entries(entries(yield* folder))) {
        const { spans, tracer } = collecting()
        const failure = yield* settle(Effect.withTracer(Effect.flip(entry), tracer))
        expect([name, spans.filter((span) => span.name === name).length]).toEqual([name, 1])
        expect([name, firstFrame(failure)]).toEqual([
          name,
          expect.stringMatching(`at ${name} \\(.*names.test.ts:\\d+:\\d+\\)`)
        ])
      }
    }).pipe(Effect.provide(refusing), onThatDay, Effect.provide(NodeContext.layer))
  )

  it.scoped("is a span if it does not fail", () =>
    Effect.gen(function* () {
      const { spans, tracer } = collecting()
      yield* settle(Effect.withTracer(Doctor.examine({ window: "1 day" }), tracer))
      expect(spans.filter(({ name }) => name === "Doctor.examine")).toHaveLength(1)
    }).pipe(Effect.provide(refusing), onThatDay)
  )
})
