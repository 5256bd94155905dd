import * as Headers from "@effect/platform/Headers"
import { Buffer } from "node:buffer"
import * as zlib from "node:zlib"
import { codingsOf } from "../response/compression.js"
import { ResponseTooLarge } from "../response/wholeResponse.js"

type Inflate = (bytes: Uint8Array, limit: number) => Uint8Array

// A body without its checksum is read, as other clients do: its envelope is whole or is refused.
const finishFlush = zlib.constants.Z_SYNC_FLUSH

// Some servers send deflate without the header of its format. The header's first half byte is 8.
const hasZlibHeader = (bytes: Uint8Array): boolean => ((bytes[0] ?? 0) & 0x0f) === 8

const gunzip: Inflate = (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { finishFlush, maxOutputLength })

const inflates: ReadonlyMap<string, Inflate> = new Map<string, Inflate>([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  [
    "deflate",
    (bytes, maxOutputLength) =>
      hasZlibHeader(bytes)
        ? zlib.inflateSync(bytes, { finishFlush, maxOutputLength })
        : zlib.inflateRawSync(bytes, { finishFlush, maxOutputLength })
  ],
  [
    "br",
    (bytes, maxOutputLength) =>
      zlib.brotliDecompressSync(bytes, { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, maxOutputLength })
  ]
])

// Each coding of a response costs the time to inflate it up to the limit.
const mostCodings = 5

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"

/** The bytes of a body, and the headers that describe them. */
export interface Body {
  readonly headers: Headers.Headers
  readonly chunks: ReadonlyArray<Uint8Array>
}

/**
 * Removes the codings of a body, the last one first, until one is unknown or damaged; the headers then name the rest. Returns an error if the body has more
 * bytes than the limit in any of them.
 */
export const decompress = ({ chunks, headers }: Body, limit: number): Body | ResponseTooLarge => {
  const codings = codingsOf(headers)
  if (codings.length === 0 || codings.length > mostCodings || chunks.length === 0) return { headers, chunks }
  let bytes: Uint8Array = Buffer.concat(chunks)
  let left = codings.length
  try {
    for (; left > 0; left--) {
      const inflate = inflates.get(codings[left - 1] ?? "")
      if (inflate === undefined) break
      bytes = inflate(bytes, limit)
    }
  } catch (error) {
    if (isTooLarge(error)) return new ResponseTooLarge({ limit })
  }
  const described = Headers.remove(headers, ["content-encoding", "content-length"])
  return {
    headers: left === 0 ? described : Headers.set(described, "content-encoding", codings.slice(0, left).join(", ")),
    chunks: [bytes]
  }
}
