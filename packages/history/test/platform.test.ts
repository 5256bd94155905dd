import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, FastCheck, Stream } from "effect"
import * as gzipNode from "../src/platform/gzip.node.js"
import * as gzipPortable from "../src/platform/gzip.portable.js"
import * as sha256Node from "../src/platform/sha256.node.js"
import * as sha256Portable from "../src/platform/sha256.portable.js"

// What is there twice, once for Node and once for wherever else, does the same.

const chunks = FastCheck.array(FastCheck.uint8Array({ maxLength: 3000 }), { maxLength: 12 })

const through = (
  change: typeof gzipNode.compressed,
  given: ReadonlyArray<Uint8Array>
): Effect.Effect<Buffer, unknown> =>
  Effect.map(Stream.runCollect(change(Stream.fromIterable(given))), (made) => Buffer.concat(Chunk.toArray(made)))

describe("gzip", () => {
  it.effect.prop(
    "gives the same bytes, and each reads what the other wrote",
    { chunks },
    ({ chunks }) =>
      Effect.gen(function* () {
        const ofNode = yield* through(gzipNode.compressed, chunks)
        const portable = yield* through(gzipPortable.compressed, chunks)
        expect(ofNode.equals(portable)).toBe(true)
        const whole = Buffer.concat(chunks)
        expect((yield* through(gzipNode.decompressed, [portable])).equals(whole)).toBe(true)
        expect((yield* through(gzipPortable.decompressed, [ofNode])).equals(whole)).toBe(true)
      }),
    { fastCheck: { numRuns: 40 } }
  )

  it.effect("fails if the bytes are not gzip or are truncated", () =>
    Effect.gen(function* () {
      const whole = yield* through(gzipNode.compressed, [Buffer.from("x".repeat(100_000))])
      for (const { decompressed } of [gzipNode, gzipPortable]) {
        expect((yield* Effect.exit(through(decompressed, [whole.subarray(0, -9)])))._tag).toBe("Failure")
        expect((yield* Effect.exit(through(decompressed, [Buffer.from("no gzip at all")])))._tag).toBe("Failure")
        const broken = Buffer.from(whole)
        broken[20] = (broken[20] ?? 0) ^ 255
        expect((yield* Effect.exit(through(decompressed, [broken])))._tag).toBe("Failure")
      }
    })
  )

  it.effect("fails with the failure of its source", () =>
    Effect.gen(function* () {
      const source = Stream.concat(Stream.make(Buffer.from("x")), Stream.fail("the source broke"))
      for (const { compressed } of [gzipNode, gzipPortable]) {
        expect(String(yield* Effect.flip(Stream.runDrain(compressed(source))))).toContain("the source broke")
      }
    })
  )
})

describe("sha256", () => {
  it.prop("is the same for any division into chunks", { chunks }, ({ chunks }) => {
    const [ofNode, portable, atOnce] = [sha256Node.begin(), sha256Portable.begin(), sha256Node.begin()]
    for (const chunk of chunks) {
      ofNode.update(chunk)
      portable.update(chunk)
    }
    atOnce.update(Buffer.concat(chunks))
    const digest = ofNode.hex()
    expect(portable.hex()).toBe(digest)
    expect(atOnce.hex()).toBe(digest)
  })
})
