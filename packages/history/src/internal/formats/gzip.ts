import { compressed, decompressed } from "#gzip"
import * as Stream from "effect/Stream"

/** Where the header names the operating system; 255 is "unknown", the same everywhere. */
const system = 9

/** Compresses: the same bytes give the same bytes, whenever and wherever. */
export const gzip = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, unknown, R> =>
  Stream.mapAccum(compressed(bytes), 0, (offset, chunk) => {
    if (offset <= system && system < offset + chunk.length) {
      const changed = Uint8Array.from(chunk)
      changed[system - offset] = 255
      return [offset + chunk.length, changed]
    }
    return [offset + chunk.length, chunk]
  })

/** Decompresses; fails where the bytes are no gzip, or end too early. */
export const gunzip = decompressed
