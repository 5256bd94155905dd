/** The prefix of the Redis keys. */
export interface PrefixOptions {
  /**
   * The prefix of every key. Stores with the same prefix share their limits. A prefix occupies one hash slot of a cluster. Default:
   * `venue`.
   */
  readonly prefix?: string | undefined
}

/** The key names of a prefix. */
export const make =
  (prefix = "venue") =>
  (...parts: ReadonlyArray<string>): string =>
    `{${prefix}}:${parts.join(":")}`
