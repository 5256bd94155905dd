/** Runs tasks side by side, as far as they do not need each other. */

export interface Task {
  readonly name: string
  /** The names of the tasks that have to end before it starts. */
  readonly after: ReadonlyArray<string>
}

/** Runs all tasks, the first that may start first, and at most `atOnce` at a time. Returns their results in the order in which they end. */
export const schedule = async <A>(
  tasks: ReadonlyArray<Task>,
  atOnce: number,
  run: (name: string) => Promise<A>
): Promise<ReadonlyArray<A>> => {
  const waiting = [...tasks]
  const done = new Set<string>()
  const running = new Set<Promise<void>>()
  const results: Array<A> = []
  while (waiting.length + running.size > 0) {
    const ready = waiting.findIndex(({ after }) => after.every((earlier) => done.has(earlier)))
    const [next] = ready === -1 || running.size >= atOnce ? [] : waiting.splice(ready, 1)
    if (next !== undefined) {
      const ended = run(next.name).then((result) => {
        results.push(result)
        done.add(next.name)
        running.delete(ended)
      })
      running.add(ended)
    } else if (running.size > 0) await Promise.race(running)
    else throw new Error(`nothing lets ${waiting.map(({ name }) => name).join(", ")} start`)
  }
  return results
}
