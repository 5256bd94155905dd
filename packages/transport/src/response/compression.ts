/** The codings of a body, in the order in which they were applied. */
export const codingsOf = (headers: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const stated = headers["content-encoding"]
  if (stated === undefined) return []
  const codings = stated.split(",").map((coding) => coding.trim().toLowerCase())
  return codings.filter((coding) => coding !== "" && coding !== "identity")
}

/** The beginnings of compressed bytes that were read as text. */
const beginnings: ReadonlyArray<readonly [string, string]> = [
  ["\u001f\ufffd", "gzip"],
  ["(\ufffd/\ufffd", "zstd"]
]

// Controls other than white space, and bytes that are no UTF-8.
// eslint-disable-next-line no-control-regex -- compressed bytes contain these
const binary = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd]/

/**
 * Returns the codings of a body that was not decompressed, or `undefined` for text. The headers alone do not show that, because a client that decompresses
 * leaves them as they are.
 */
export const stillCompressed = (
  headers: Readonly<Record<string, string | undefined>>,
  body: string
): string | undefined => {
  const known = beginnings.find(([beginning]) => body.startsWith(beginning))?.[1]
  const codings = codingsOf(headers)
  if (codings.length === 0) return known
  return known !== undefined || binary.test(body.slice(0, 512)) ? codings.join(", ") : undefined
}
