import { compressed, decompressed } from "#gzip"
import * as Stream from "effect/Stream"

/** The position of the operating system in the header. 255 ("unknown") is written on every system. */
const system = 9

/** Compresses. Equal input gives equal output at any time on any system. */
export const gzip = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, unknown, R> =>
  Stream.mapAccum(compressed(bytes), 0, (offset, chunk) => {
    if (offset <= system && system < offset + chunk.length) {
      const changed = Uint8Array.from(chunk)
      changed[system - offset] = 255
      return [offset + chunk.length, changed]
    }
    return [offset + chunk.length, chunk]
  })

/** Decompresses. Fails if the bytes are not gzip or are truncated. */
export const gunzip = decompressed
