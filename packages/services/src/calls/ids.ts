/** Random UUIDs. Effect's `Random` repeats itself when it is seeded, and the service ignores a request id that was used before. */
export const randomIds = (): (() => string) => () => globalThis.crypto.randomUUID()
