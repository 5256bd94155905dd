import * as Page from "../page.js"

/** A client under way: makes one call after the other on each of so many lines, and holds what came back against the page. */
export interface Client {
  readonly run: (calls: number, lines: number) => Promise<void>
  readonly close?: () => Promise<void>
}

/** The secret's letters are of no account to a server that checks nothing. */
export const credentials = { apiKey: "k".repeat(18), secret: "s".repeat(36) } as const

/** A client out of a call that gives the rows of the page. */
export const ofPromise = (call: () => Promise<ReadonlyArray<unknown>>): Client => ({
  run: async (calls, lines) => {
    const line = async () => {
      for (let index = 0; index < calls / lines; index++) {
        const { length } = await call()
        if (length !== Page.rows) throw new Error(`${length} rows`)
      }
    }
    await Promise.all(Array.from({ length: lines }, line))
  }
})
