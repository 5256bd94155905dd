/** Random UUIDs. Not from Effect's `Random`: that one repeats itself when it is seeded, and an id that was used before does nothing. */
export const randomIds = (): (() => string) => () => globalThis.crypto.randomUUID()
