import * as fs from "node:fs"

const length = 12

/**
 * Of files, every `sample`-th stretch of twelve lines, as Stryker names them; each file begins at another one. What goes beyond a stretch,
 * such as the body of a long function, is left out: such mutants are rarely survivors, so that the score of a sample is not above that of all.
 */
export const stretches = (files, sample) =>
  sample === 1
    ? files
    : files.flatMap((file, index) => {
        const lines = fs.readFileSync(file, "utf8").split("\n").length
        const starts = []
        for (let at = 1 + length * (index % sample); at <= lines; at += length * sample) starts.push(at)
        return starts.map((start) => `${file}:${start}-${start + length - 1}`)
      })
