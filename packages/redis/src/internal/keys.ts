/** The key names of a prefix. */
export const make =
  (prefix = "venue") =>
  (...parts: ReadonlyArray<string>): string =>
    `{${prefix}}:${parts.join(":")}`
