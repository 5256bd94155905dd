/** What the tools print that generate files. */

/** The words of one tool. */
export interface Words {
  /** What a file is that differs: `is not what codegen writes`. */
  readonly differs: string
  /** What to do about it. */
  readonly advice: string
}

/** Prints which files were written. With `check`, prints which differ instead, and sets the exit code if there are any. */
export const report = (stale: ReadonlyArray<string>, check: boolean, { advice, differs }: Words): void => {
  for (const file of stale) console.log(check ? `${file} ${differs}` : `wrote ${file}`)
  if (!check || stale.length === 0) return
  console.log(advice)
  process.exitCode = 1
}

/** The words of what `pnpm codegen` writes. */
export const codegen: Words = { differs: "is not what codegen writes", advice: "Run `pnpm codegen`." }
