/** Answers that are compressed, although none was requested to be. */
import * as CallOptions from "@effect-venue/transport/CallOptions"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as http from "node:http"
import * as zlib from "node:zlib"
import { once, page, read, write } from "./utils/calls.js"
import { listen } from "@effect-venue/testing/Listening"
import { type Client, clients, transportTo } from "./utils/servers.js"

const pack: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  GZIP: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  "gzip, gzip": (bytes) => zlib.gzipSync(zlib.gzipSync(bytes)),
  "gzip, br": (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes)),
  "br, deflate": (bytes) => zlib.deflateSync(zlib.brotliCompressSync(bytes))
}

const answer = (result: unknown): Buffer =>
  Buffer.from(JSON.stringify({ retCode: 0, retMsg: "OK 币安人生", result, retExtInfo: {}, time: 0 }))

const readable = answer(page)

interface Served {
  readonly body: Buffer
  readonly coding?: string
  readonly status?: number
}

/** Calls a server that gives one answer, and counts its requests. */
const against = <A, E, R>(client: Client, { body, coding, status = 200 }: Served, call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let requests = 0
    const server = http.createServer((_, response) => {
      requests++
      response.writeHead(status, {
        "content-length": body.length,
        ...(coding === undefined ? {} : { "content-encoding": coding })
      })
      response.end(body)
    })
    const { url } = yield* listen(server)
    const outcome = yield* Effect.either(Effect.provide(call, transportTo(url, client)))
    return { outcome, requests }
  })

const compressed = (coding: string) => ({
  _tag: "UnexpectedResponse",
  path: "content-encoding",
  expected: `expected text, the body is still compressed (${coding})`,
  body: ""
})

for (const [name, client] of Object.entries(clients)) {
  const decompresses = name === "fetch" || name === "NodeConnections"

  describe(`a compressed answer over ${name}`, () => {
    for (const [coding, packed] of Object.entries(pack)) {
      it.scopedLive(`with ${coding} is read, or named and not repeated`, () =>
        Effect.gen(function* () {
          const { outcome, requests } = yield* against(client, { body: packed(readable), coding }, read)
          expect(outcome).toMatchObject(
            decompresses ? { right: { list: [] } } : { left: compressed(coding.toLowerCase()) }
          )
          expect(requests).toBe(1)
        })
      )
    }

    it.scopedLive("leaves the outcome of a write unknown if it cannot be read", () =>
      Effect.gen(function* () {
        const body = zlib.gzipSync(answer({ orderId: "o-1" }))
        const { outcome } = yield* against(client, { body, coding: "gzip" }, write)
        expect(outcome).toMatchObject(
          decompresses
            ? { right: { orderId: "o-1" } }
            : { left: { _tag: "OutcomeUnknown", because: compressed("gzip") } }
        )
      })
    )

    it.scopedLive("without a header for it is named by its first bytes", () =>
      Effect.gen(function* () {
        const { outcome, requests } = yield* against(client, { body: zlib.gzipSync(readable) }, read)
        expect(outcome).toMatchObject({ left: compressed("gzip") })
        expect(requests).toBe(1)
      })
    )

    it.scopedLive("of a gateway that is unavailable stays that", () =>
      Effect.gen(function* () {
        const body = zlib.gzipSync(Buffer.from("<html>maintenance</html>"))
        const { outcome } = yield* against(client, { body, coding: "gzip", status: 503 }, once(read))
        expect(outcome).toMatchObject({
          left: { _tag: "Unavailable", retMsg: decompresses ? "<html>maintenance</html>" : "" }
        })
      })
    )

    it.scopedLive("of text that is no JSON is text, and an answer that is not compressed is read", () =>
      Effect.gen(function* () {
        const text = { body: Buffer.from("<html>\u0026\u00e9</html>"), coding: "identity" }
        const packed = { body: zlib.brotliCompressSync(text.body), coding: "br" }
        for (const served of decompresses ? [text, packed] : [text]) {
          const { outcome } = yield* against(client, served, once(read))
          expect(outcome).toMatchObject({ left: { _tag: "UnexpectedResponse", path: "", expected: "expected JSON" } })
        }
        // Fetch itself fails if the header is wrong.
        for (const coding of name === "fetch" ? ["identity"] : ["identity", "gzip", "br"]) {
          const { outcome } = yield* against(client, { body: readable, coding }, once(read))
          expect(outcome).toMatchObject({ right: { list: [] } })
        }
      })
    )
  })
}

describe("a compressed answer over NodeConnections", () => {
  const { NodeConnections: client } = clients
  const reads = (served: Served) => against(client!, served, read)

  it.scopedLive("is read without the header of deflate, and without its checksum", () =>
    Effect.gen(function* () {
      const raw = yield* reads({ body: zlib.deflateRawSync(readable), coding: "deflate" })
      expect(raw.outcome).toMatchObject({ right: { list: [] } })
      const unchecked = yield* reads({ body: zlib.gzipSync(readable).subarray(0, -8), coding: "gzip" })
      expect(unchecked.outcome).toMatchObject({ right: { list: [] } })
    })
  )

  it.scopedLive("is named if it is damaged, or has an unknown coding, or too many", () =>
    Effect.gen(function* () {
      const damaged = zlib.gzipSync(readable)
      damaged.fill(0xff, 12, 40)
      const six = Array.from({ length: 6 }).reduce<Buffer>((bytes) => zlib.gzipSync(bytes), readable)
      const cases: ReadonlyArray<readonly [Served, string]> = [
        [{ body: damaged, coding: "gzip" }, "gzip"],
        [{ body: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2]), coding: "zstd" }, "zstd"],
        [{ body: zlib.gzipSync(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2])), coding: "zstd, gzip" }, "zstd"],
        [{ body: six, coding: "gzip, gzip, gzip, gzip, gzip, gzip" }, "gzip, gzip, gzip, gzip, gzip, gzip"]
      ]
      for (const [served, coding] of cases) {
        const { outcome, requests } = yield* reads(served)
        expect([coding, outcome, requests]).toMatchObject([coding, { left: compressed(coding) }, 1])
      }
    })
  )

  it.scopedLive("with the text of a ban is a ban", () =>
    Effect.gen(function* () {
      const body = zlib.gzipSync(Buffer.from("access too frequent"))
      const { outcome } = yield* against(client!, { body, coding: "gzip", status: 403 }, once(read))
      expect(outcome).toMatchObject({ left: { _tag: "Banned" } })
    })
  )

  it.scopedLive("may have as many bytes as the limit, after each of its codings", () =>
    Effect.gen(function* () {
      const spaces = Buffer.concat([readable, Buffer.alloc(1_000_000, " ")])
      const limited = (limit: number, call: typeof read) =>
        Effect.provideService(call, CallOptions.MaxResponseBytes, limit)
      for (const [coding, packed] of Object.entries(pack)) {
        const served = { body: packed(spaces), coding }
        const fitting = yield* against(client!, served, limited(spaces.length, read))
        expect([coding, fitting.outcome]).toMatchObject([coding, { right: { list: [] } }])
        const { outcome } = yield* against(client!, served, limited(spaces.length - 1, once(read)))
        expect([coding, outcome]).toMatchObject([
          coding,
          { left: { path: "body", expected: `expected at most ${spaces.length - 1} bytes` } }
        ])
      }
    })
  )
})
