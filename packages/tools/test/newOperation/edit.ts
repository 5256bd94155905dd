/** A change of a file. `find` is in it once. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly put: string
}

/** Puts a text before another. */
export const before = (file: string, find: string, text: string): Edit => ({ file, find, put: `${text}${find}` })
/** Puts a text after another. */
export const after = (file: string, find: string, text: string): Edit => ({ file, find, put: `${find}${text}` })
