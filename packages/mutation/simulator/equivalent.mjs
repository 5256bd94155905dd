/** Mutants that do the same as the original, by name, each with the argument. */
export const equivalent = {}
