/** Two operations that do not exist, as the changes of docs/contributing.md that would add them. */
import type { Edit } from "./edit.js"
import * as Documented from "./documented.js"
import * as Listed from "./listed.js"

/** The changes, of every file that the page names. */
export const edits: ReadonlyArray<Edit> = [...Listed.edits, ...Documented.edits]

/** The text of a file with its changes. */
export const apply = (file: string, text: string): string =>
  edits
    .filter((edit) => edit.file === file)
    .reduce((changed, { find, put }) => {
      if (changed.split(find).length !== 2) throw new Error(`${file} does not have this once: ${find}`)
      return changed.replace(find, () => put)
    }, text)
