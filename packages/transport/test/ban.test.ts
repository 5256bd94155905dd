import { describe, expect, it } from "@effect/vitest"
import { Ban } from "../src/stores/ban.js"

/** What is done to a ban, at an instant. */
type Step =
  | readonly [at: number, "enter", entry: string]
  | readonly [at: number, "close", until: number]
  | readonly [at: number, "leave", probe: number, outcome: "unbanned" | "unknown"]

const shown = (entry: ReturnType<Ban["enter"]>): string =>
  entry._tag === "Closed" ? `Closed ${entry.until}` : entry._tag === "Probe" ? `Probe ${entry.probe}` : entry._tag

const table: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "is open until it is closed": [
    [0, "enter", "Open"],
    [0, "close", 10],
    [0, "enter", "Closed 10"],
    [9, "enter", "Closed 10"],
    [10, "enter", "Probe 1"]
  ],
  "is half-open at the first instant of a clock too": [
    [0, "close", 0],
    [0, "enter", "Probe 1"],
    [0, "enter", "Probing"]
  ],
  "is never closed for a shorter time": [
    [0, "close", 10],
    [1, "close", 5],
    [6, "enter", "Closed 10"]
  ],
  "opens when the probe was not banned": [
    [0, "close", 10],
    [10, "enter", "Probe 1"],
    [11, "enter", "Probing"],
    [12, "leave", 1, "unbanned"],
    [12, "enter", "Open"]
  ],
  "lets another probe go when the first has no answer": [
    [0, "close", 10],
    [10, "enter", "Probe 1"],
    [11, "leave", 1, "unknown"],
    [11, "enter", "Probe 2"],
    [12, "leave", 1, "unbanned"],
    [12, "enter", "Probing"]
  ],
  "stays closed when a call that was sent before the probe is banned": [
    [0, "close", 10],
    [10, "enter", "Probe 1"],
    [11, "close", 21],
    [12, "leave", 1, "unbanned"],
    [12, "enter", "Closed 21"],
    [21, "enter", "Probe 2"]
  ],
  "frees the place of a probe that does not end after its lease": [
    [0, "close", 10],
    [10, "enter", "Probe 1"],
    [109, "enter", "Probing"],
    [110, "enter", "Probe 2"],
    [111, "leave", 1, "unbanned"],
    [111, "enter", "Probing"]
  ]
}

describe("the ban of a host", () => {
  it.each(Object.entries(table))("%s", (_, steps) => {
    const ban = new Ban(100)
    for (const [at, what, first, second] of steps) {
      if (what === "close") ban.close(first)
      else if (what === "leave") ban.leave(first, second)
      else expect([at, shown(ban.enter(at))]).toEqual([at, first])
    }
  })
})
