/**
 * Plausible mistakes, each as a replacement in the text of one module. `from` has to occur there exactly once: a mutant whose
 * text has changed is an error, not a success.
 */
export const named: {
  name: string
  worlds: string[]
  file: string
  from: string
  to: string
}[]
/** Faults that cannot be shown yet, each with what is missing. */
export const pending: {
  name: string
  reason: string
}[]
//# sourceMappingURL=named.d.mts.map
