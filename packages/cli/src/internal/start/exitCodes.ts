export const exitCodes = { done: 0, failed: 1, usage: 2, unknown: 3, unprinted: 4, interrupted: 130 } as const
