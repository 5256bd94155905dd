/** Timers in the order of their instants. */
export interface Timer {
  readonly at: number
  /** Orders timers of one instant. */
  readonly number: number
  fire: (() => void) | undefined
}

const isEarlier = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.number < b.number)

/** A binary heap, the earliest timer first. */
export const make = () => {
  const heap: Array<Timer> = []
  const swap = (a: number, b: number) => {
    const [first, second] = [heap[a], heap[b]]
    if (first === undefined || second === undefined) return
    heap[a] = second
    heap[b] = first
  }
  const precedes = (a: number, b: number): boolean => {
    const [first, second] = [heap[a], heap[b]]
    return first !== undefined && second !== undefined && isEarlier(first, second)
  }
  return {
    push: (timer: Timer) => {
      let at = heap.push(timer) - 1
      while (at > 0 && precedes(at, (at - 1) >> 1)) {
        swap(at, (at - 1) >> 1)
        at = (at - 1) >> 1
      }
    },
    pop: (): Timer | undefined => {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined || heap.length === 0) return first
      heap[0] = last
      for (let at = 0; ;) {
        const left = 2 * at + 1
        const child = precedes(left + 1, left) ? left + 1 : left
        if (!precedes(child, at)) return first
        swap(at, child)
        at = child
      }
    }
  }
}
