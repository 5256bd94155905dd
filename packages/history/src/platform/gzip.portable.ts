import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const through =
  (make: () => GenericTransformStream) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, unknown, R> =>
    Stream.unwrap(
      Effect.map(Stream.toReadableStreamEffect<Uint8Array>()(bytes), (readable) =>
        Stream.fromReadableStream({
          // The platform declares no types for the input and output of its transformations: both are bytes.
          evaluate: () => readable.pipeThrough(make() as ReadableWritablePair<Uint8Array, Uint8Array>),
          onError: (error) => error
        })
      )
    )

export const compressed = through(() => new CompressionStream("gzip"))

export const decompressed = through(() => new DecompressionStream("gzip"))
