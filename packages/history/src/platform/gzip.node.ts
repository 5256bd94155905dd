import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as zlib from "node:zlib"

/**
 * Bytes through one of the platform's transformations, a chunk at a time: the next is taken when the one before is done. Through the
 * web's streams, which are made of the same, an export of a million rows holds twice the memory.
 */
const through =
  (make: () => zlib.Gzip | zlib.Gunzip) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, unknown, R> =>
    Stream.unwrapScoped(
      Effect.map(
        Effect.acquireRelease(Effect.sync(make), (transform) => Effect.sync(() => transform.destroy())),
        (transform) => {
          const made: Array<Uint8Array> = []
          let broken: Error | undefined
          let tell: ((outcome: Effect.Effect<Chunk.Chunk<Uint8Array>, unknown>) => void) | undefined
          transform.on("data", (chunk: Uint8Array) => made.push(chunk))
          // An error between two writes does not call back the pending write.
          transform.on("error", (error) => {
            broken = error
            tell?.(Effect.fail(error))
          })
          transform.on("end", () => tell?.(taken))
          const taken = Effect.sync(() => Chunk.unsafeFromArray(made.splice(0)))
          const done = (begin: (complete: () => void) => void) =>
            Effect.async<Chunk.Chunk<Uint8Array>, unknown>((resume) => {
              tell = resume
              if (broken === undefined) begin(() => resume(taken))
              else resume(Effect.fail(broken))
            })
          const write = (chunk: Uint8Array) =>
            done((complete) => {
              transform.write(chunk, (error) => {
                if (error === null || error === undefined) complete()
              })
            })
          const end = done(() => transform.end())
          return Stream.flattenChunks(Stream.concat(Stream.mapEffect(bytes, write), Stream.fromEffect(end)))
        }
      )
    )

export const compressed = through(() => zlib.createGzip())

export const decompressed = through(() => zlib.createGunzip())
