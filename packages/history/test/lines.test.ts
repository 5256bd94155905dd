import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import * as Lines from "../src/formats/lines.js"

const lines = ["first", "", "third", "the last"]

const split = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

describe("afterLines", () => {
  it.effect("leaves out the first lines at any split of the bytes", () =>
    Effect.gen(function* () {
      const bytes = Lines.encode(lines)
      for (let size = 1; size <= bytes.length; size++) {
        for (let count = 0; count <= lines.length + 1; count++) {
          const rest = Lines.afterLines(Stream.fromIterable(split(bytes, size)), count)
          const text = Chunk.join(yield* Stream.runCollect(Stream.decodeText(rest)), "")
          expect(text, `${count} lines in pieces of ${size} bytes`).toBe(
            new TextDecoder().decode(Lines.encode(lines.slice(count)))
          )
        }
      }
    })
  )
})
