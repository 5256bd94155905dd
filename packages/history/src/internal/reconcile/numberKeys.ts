/** Numbers equal records without an id: the key of the first is its content, the second has `#2` after it. */
export const numberKeys = (): ((content: string) => string) => {
  const counts = new Map<string, number>()
  return (content) => {
    const count = (counts.get(content) ?? 0) + 1
    counts.set(content, count)
    return count === 1 ? content : `${content}#${count}`
  }
}
