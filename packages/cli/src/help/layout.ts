const columns = 80

/** Text in lines of at most `width` columns, each after an indent. */
export const wrapText = (text: string, width: number = columns, indent = ""): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    if (line !== "" && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return line === "" ? lines : [...lines, indent + line]
}

const margin = 22

/** A name with its meaning beside or below it. */
export const entry = (name: string, meaning: string): ReadonlyArray<string> => {
  const lines = wrapText(meaning, columns, " ".repeat(margin))
  const head = `  ${name}`
  const [first, ...others] = lines
  if (first === undefined) return [head]
  return head.length < margin ? [head.padEnd(margin) + first.trimStart(), ...others] : [head, ...lines]
}

export const section = (heading: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", heading, ...lines]

/** The lines of a call, joined by backslashes so that a shell accepts them. */
export const callLines = (call: string): ReadonlyArray<string> =>
  call.length + 2 <= columns
    ? [`  ${call}`]
    : wrapText(call, columns - 2, "    ").map(
        (part, index, all) => `${index === 0 ? part.slice(2) : part}${index === all.length - 1 ? "" : " \\"}`
      )
