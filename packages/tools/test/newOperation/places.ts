/** The files that docs/contributing.md names for a new operation, each with the command that notices its absence. */

export interface Place {
  readonly file: string
  /** The command as the page has it: `npm run check -- types`. */
  readonly command: string
}

const heading = "## Adding an operation\n"

/** The part of the page about operations. */
const section = (page: string): string => {
  const [, text] = page.split(heading)
  if (text === undefined) throw new Error(`docs/contributing.md has no heading ${heading.trim()}`)
  return text.split("\n## ")[0] ?? ""
}

/** The rows of its tables. */
export const placesOf = (page: string): ReadonlyArray<Place> =>
  Array.from(
    section(page).matchAll(/^\| `(?<file>[^`]+)` *\|[^|]*\| `(?<command>[^`]+)` *\|$/gm),
    ({ groups }): Place => ({ file: groups?.file ?? "", command: groups?.command ?? "" })
  )

/** Files that it names outside of the tables: only some operations need them. */
export const othersOf = (page: string): ReadonlyArray<string> => {
  const rows = new Set(placesOf(page).map(({ file }) => file))
  return Array.from(section(page).matchAll(/`((?:packages|docs)\/[^`]+)`/g), ([, file = ""]) => file).filter(
    (file) => !rows.has(file)
  )
}
