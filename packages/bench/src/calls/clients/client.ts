import * as Page from "./page.js"

/** Makes sequential calls on each of its lines, and compares each result with the page. Returns the duration of each call in microseconds. */
export type Client = (calls: number, lines: number) => Promise<ReadonlyArray<number>>

/** The server checks nothing, so any secret works. */
export const credentials = { apiKey: "k".repeat(18), secret: "s".repeat(36) } as const

/** Returns the time of this process in microseconds. */
export const now = (): number => performance.now() * 1_000

/** Creates a client from a call that returns the rows of the page. */
export const ofPromise =
  (call: () => Promise<ReadonlyArray<unknown>>): Client =>
  async (calls, lines) => {
    const took: Array<number> = []
    const line = async () => {
      for (let index = 0; index < calls / lines; index++) {
        const begun = now()
        const { length } = await call()
        took.push(now() - begun)
        if (length !== Page.rows) throw new Error(`${length} rows`)
      }
    }
    await Promise.all(Array.from({ length: lines }, line))
    return took
  }
