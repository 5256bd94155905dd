/** What is mutated, and the tests that have to notice. Each group runs in the folder of its package. */
export const groups: {
  name: string
  package: string
  mutate: string[]
  tests: string[]
}[]
//# sourceMappingURL=groups.d.mts.map
