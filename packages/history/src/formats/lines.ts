import * as Stream from "effect/Stream"

/** The lines of UTF-8 text. */
export const linesOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string, E, R> =>
  bytes.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.filter((line) => line !== "")
  )

const lineBreak = 10

/** The bytes after the first lines. They are not decoded. */
export const afterLines = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  count: number
): Stream.Stream<Uint8Array, E, R> => {
  if (count === 0) return bytes
  return Stream.suspend(() => {
    let left = count
    return Stream.map(bytes, (chunk) => {
      let begin = 0
      for (; left > 0 && begin < chunk.length; left--) {
        const end = chunk.indexOf(lineBreak, begin)
        if (end === -1) return chunk.subarray(chunk.length)
        begin = end + 1
      }
      return chunk.subarray(begin)
    })
  })
}

const utf8 = new TextEncoder()

/** Encodes lines as UTF-8, each with a line break. */
export const encode = (lines: ReadonlyArray<string>): Uint8Array =>
  utf8.encode(lines.length === 0 ? "" : `${lines.join("\n")}\n`)

const fromUtf8 = new TextDecoder()

/** Decodes the lines of `encode`. */
export const decode = (bytes: Uint8Array): ReadonlyArray<string> => fromUtf8.decode(bytes).split("\n").slice(0, -1)
