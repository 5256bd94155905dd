/** How a change is written into the changelogs: verbatim, without commits and without what only follows from it. */
// @ts-check

module.exports = {
  /** @param {{ readonly summary: string }} changeset */
  getReleaseLine: async ({ summary }) => `- ${summary.trim().replaceAll("\n", "\n  ")}`,
  getDependencyReleaseLine: async () => ""
}
