import * as Executions from "@effect-venue/schemas/Executions"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as http from "node:http"
import * as zlib from "node:zlib"
import { cancelAll, once } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"
import { listen } from "@effect-venue/testing/Listening"
import { clients, transportTo } from "./utils/servers.js"

// An answer of any size and any depth must not end the process, nor be reported as anything but a failure of its call.

const mebibyte = 1024 * 1024

const list = Effect.flatMap(Transport.Transport, (transport) =>
  transport.callWire(Executions.list, { category: "linear" })
)
const envelope = (result: string) => `{"retCode":0,"retMsg":"OK","result":${result},"retExtInfo":{},"time":0}`
const page = (filler: number) =>
  envelope(`{"category":"linear","list":[],"nextPageCursor":"","filler":"${"x".repeat(filler)}"}`)

type Respond = (response: http.ServerResponse, sent: { bytes: number }) => void

const serve = (respond: Respond) => {
  const sent = { bytes: 0, requests: 0 }
  const server = http.createServer((_, response) => {
    sent.requests += 1
    respond(response, sent)
  })
  return Effect.map(listen(server), ({ url }) => ({ sent, url }))
}

const chunk = Buffer.alloc(64 * 1024, "x")

/** Writes without an end, as fast as the client reads. */
const endless: Respond = (response, sent) => {
  const write = (): void => {
    while (!response.destroyed) {
      sent.bytes += chunk.length
      if (!response.write(chunk)) return void response.once("drain", write)
    }
  }
  response.on("error", () => undefined)
  write()
}

/** A quarter of a gibibyte of nothing in about a mebibyte. */
let compressed: Buffer | undefined
const bomb = () => (compressed ??= zlib.gzipSync(Buffer.alloc(256 * mebibyte, " "), { level: 1 }))

const tooLarge = (bytes: number) => ({
  _tag: "UnexpectedResponse",
  status: 200,
  path: "body",
  expected: `expected at most ${bytes} bytes`
})

for (const [name, client] of Object.entries(clients)) {
  describe(`an answer over ${name}`, () => {
    it.scopedLive("without an end is aborted at the limit, and the outcome of a write is unknown", () =>
      Effect.gen(function* () {
        const { sent, url } = yield* serve(endless)
        const limited = Effect.provideService(CallOptions.MaxResponseBytes, mebibyte)
        const layer = transportTo(url, client)
        const read = yield* Effect.flip(list.pipe(once, limited, Effect.provide(layer)))
        expect(read).toMatchObject(tooLarge(mebibyte))
        const write = yield* Effect.flip(cancelAll.pipe(once, limited, Effect.provide(layer)))
        expect(write).toMatchObject({ _tag: "OutcomeUnknown", because: tooLarge(mebibyte) })
        expect(sent.requests).toBe(2)
        // What sockets hold at both ends comes on top.
        expect(sent.bytes).toBeLessThan(40 * mebibyte)
      })
    )

    it.scopedLive("is limited by its decompressed size, and no more is read", () =>
      Effect.gen(function* () {
        const body = bomb()
        const { url } = yield* serve((response) => {
          response.setHeader("content-encoding", "gzip")
          response.setHeader("content-length", body.length)
          response.end(body)
        })
        const before = process.memoryUsage().rss
        const failure = yield* Effect.flip(list.pipe(once, Effect.provide(transportTo(url, client))))
        expect(failure).toMatchObject(
          ["fetch", "NodeConnections"].includes(name)
            ? tooLarge(64 * mebibyte)
            : { _tag: "UnexpectedResponse", path: "content-encoding" }
        )
        expect(process.memoryUsage().rss - before).toBeLessThan(256 * mebibyte)
      })
    )

    it.scopedLive("of the size of the limit is read, with a length and in chunks", () =>
      Effect.gen(function* () {
        for (const isChunked of [false, true]) {
          const { url } = yield* serve((response) => {
            const body = page(1000)
            if (!isChunked) response.setHeader("content-length", body.length)
            response.write(body.slice(0, 10))
            response.end(body.slice(10))
          })
          const call = list.pipe(once, Effect.provide(transportTo(url, client)))
          const read = (bytes: number) => Effect.provideService(call, CallOptions.MaxResponseBytes, bytes)
          expect(yield* read(page(1000).length)).toMatchObject({ category: "linear" })
          expect(yield* Effect.flip(read(page(1000).length - 1))).toMatchObject(tooLarge(page(1000).length - 1))
        }
      })
    )
  })
}

describe("the depth of an answer", () => {
  const nested = (depth: number, open = "[", close = "]") => open.repeat(depth) + close.repeat(depth)
  const answers: ReadonlyArray<readonly [string, string]> = [
    ["arrays", envelope(nested(100_000))],
    ["objects", envelope(nested(100_000, '{"a":', "}").replace("}", "1}"))],
    ["arrays without an end", "[".repeat(mebibyte)],
    ["arrays beside strings of brackets", envelope(`${'["]",'.repeat(100_000)}1${"]".repeat(100_000)}`)],
    ["arrays beside strings with escaped quotes", envelope(`${'["\\\\\\"]",'.repeat(100_000)}1${"]".repeat(100_000)}`)],
    ["arrays in an unknown field", envelope(`{"category":"linear","list":[],"nextPageCursor":"","x":${nested(5000)}}`)]
  ]
  const tooDeep = { _tag: "UnexpectedResponse", expected: "expected at most 512 levels of nesting" }
  for (const [name, body] of answers) {
    it.effect(`beyond the limit is a failure, and the outcome of a write is unknown: ${name}`, () =>
      Effect.gen(function* () {
        const far = scripted.make(() => ({ body }))
        expect(yield* Effect.flip(list.pipe(once, Effect.provide(far.layer)))).toMatchObject(tooDeep)
        expect(yield* Effect.flip(cancelAll.pipe(once, Effect.provide(far.layer)))).toMatchObject({
          _tag: "OutcomeUnknown",
          because: tooDeep
        })
      })
    )
  }

  it.effect("at the limit is read, and brackets in strings do not count", () =>
    Effect.gen(function* () {
      const field = (text: string) =>
        envelope(`{"category":"linear","list":[],"nextPageCursor":"${"[{".repeat(2000)}","x":${text}}`)
      // The envelope and its result are two of them.
      const far = scripted.make((_, index) => ({ body: field(nested(510 + index)) }))
      yield* Effect.gen(function* () {
        expect(yield* once(list)).toMatchObject({ category: "linear" })
        expect(yield* Effect.flip(once(list))).toMatchObject(tooDeep)
      }).pipe(Effect.provide(far.layer))
    })
  )
})
