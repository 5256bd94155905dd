import { describe, expect, it } from "vitest"
import { Option } from "effect"
import * as Months from "../src/options/months.js"

const zone = (name: string) => Option.getOrThrow(Months.zone(name))

const hour = 3_600_000

/** The month of an instant as the platform's calendar names it. */
const expected = (name: string) => {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: name, year: "numeric", month: "2-digit" })
  return (at: number) => format.format(at)
}

describe("the months of a zone", () => {
  const borders: ReadonlyArray<readonly [zone: string, within: string, from: string, to: string]> = [
    ["UTC", "2026-03-15T00:00Z", "2026-03-01T00:00Z", "2026-04-01T00:00Z"],
    // Clocks go forward on 29 March, and back on 25 October.
    ["Europe/Berlin", "2026-03-15T00:00Z", "2026-02-28T23:00Z", "2026-03-31T22:00Z"],
    ["Europe/Berlin", "2026-10-25T01:30Z", "2026-09-30T22:00Z", "2026-10-31T23:00Z"],
    ["Europe/Berlin", "2025-12-31T23:00Z", "2025-12-31T23:00Z", "2026-01-31T23:00Z"],
    ["Europe/Berlin", "2025-12-31T22:59Z", "2025-11-30T23:00Z", "2025-12-31T23:00Z"],
    // 1 October 2023 has no midnight there: clocks go from 00:00 to 01:00.
    ["America/Asuncion", "2023-10-10T00:00Z", "2023-10-01T04:00Z", "2023-11-01T03:00Z"],
    // 1 November 2020 has two: clocks go from 01:00 to 00:00.
    ["America/Havana", "2020-11-10T00:00Z", "2020-11-01T04:00Z", "2020-12-01T05:00Z"],
    ["Asia/Kathmandu", "2026-06-30T18:15Z", "2026-06-30T18:15Z", "2026-07-31T18:15Z"],
    ["+02:00", "2026-06-30T22:00Z", "2026-06-30T22:00Z", "2026-07-31T22:00Z"]
  ]
  for (const [name, within, from, to] of borders) {
    it(`${name}: that of ${within} is from ${from} to ${to}`, () => {
      expect(Months.monthAt(zone(name), Date.parse(within))).toMatchObject({
        from: Date.parse(from),
        to: Date.parse(to)
      })
    })
  }

  for (const name of ["UTC", "Europe/Berlin", "America/Asuncion", "America/Havana", "Australia/Lord_Howe"]) {
    it(`${name}: agree with the platform's calendar in every hour around the borders of two years, in any order`, () => {
      const month = Months.make(zone(name))
      const calendar = expected(name)
      const borders = Array.from({ length: 25 }, (_, index) => Date.UTC(2019, 11 + index, 1))
      const hours = Array.from({ length: 61 }, (_, index) => ((index * 17) % 61) - 30).flatMap((offset) =>
        borders.map((border) => border + offset * hour)
      )
      expect(hours.filter((at) => month(at) !== calendar(at))).toEqual([])
    })
  }

  for (const name of ["Europe/Nowhere", "", "berlin time", "+99:00"]) {
    it(`there is no zone "${name}"`, () => {
      expect(Months.zone(name)).toEqual(Option.none())
    })
  }
})
