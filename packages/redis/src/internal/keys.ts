/** Which keys of Redis are used. */
export interface PrefixOptions {
  /**
   * The beginning of every key. Stores of one prefix share their limits. One prefix is one hash slot of a cluster. Defaults to `venue`.
   */
  readonly prefix?: string | undefined
}

/** The names of keys of one prefix. */
export const make =
  (prefix = "venue") =>
  (...parts: ReadonlyArray<string>): string =>
    `{${prefix}}:${parts.join(":")}`
