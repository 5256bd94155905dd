/**
 * How long a test keeps the event loop from turning. Vitest fails a run when a worker has not read its messages for a minute by the
 * clock, whatever its tests say: on a busy machine that is a quarter of a minute of processor time. `testSetup.ts` measures it.
 */
import { ownSeconds } from "./processorTime.js"

/** The longest stretch that a test may take, in seconds of processor time. */
export const longestAllowed = 15

// The tests may replace these.
const { clearInterval, setImmediate, setInterval, setTimeout } = globalThis

const millisBetweenLooks = 50

const now = () => ({ clock: performance.now() / 1000, processor: ownSeconds() })

/** Measures stretches without a turn from now on. */
export const watch = () => {
  let last = now()
  let longest = 0
  const look = () => {
    const { clock, processor } = now()
    // Other threads of the process use processor time too; what the clock says is the most that a stretch can be.
    longest = Math.max(longest, Math.min(clock - last.clock, processor - last.processor))
    last = { clock, processor }
  }
  const timer = setInterval(look, millisBetweenLooks)
  timer.unref()
  return {
    /** The longest stretch since this was last asked, in seconds of processor time. */
    take: async (): Promise<number> => {
      // In turns of its own, a stretch that has not ended with one would be the next test's.
      if (now().clock - last.clock > (2 * millisBetweenLooks) / 1000) await new Promise((done) => setTimeout(done, 0))
      look()
      const taken = longest
      longest = 0
      return taken
    },
    stop: () => {
      clearInterval(timer)
    }
  }
}

let turned = performance.now()

/**
 * Lets the event loop turn, if it has not for long: promises that wait for nothing never do. For the hooks of properties, which are typed as
 * if they returned nothing: those of asynchronous ones are waited for, those of synchronous ones are not and change nothing.
 */
export const turn = (): unknown => {
  if (performance.now() - turned < millisBetweenLooks) return
  turned = performance.now()
  return new Promise<void>((done) => {
    setImmediate(() => {
      turned = performance.now()
      done()
    })
  })
}
