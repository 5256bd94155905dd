import * as Assignment from "../src/accounts/assignment.js"
import { describe, expect, it } from "vitest"

const subject = (account: string, masterUid: string, egress = "any"): Assignment.Subject => ({
  account,
  masterUid,
  egress
})

const egresses = ["a", "b", "c"]

describe("the address of an account", () => {
  it.each([
    {
      title: "is the one that it names",
      subjects: [subject("x", "1", "b")],
      current: [["x", "a"]],
      expected: { x: "b" }
    },
    { title: "is absent where it names one that is absent", subjects: [subject("x", "1", "z")], expected: {} },
    {
      title: "stays what it was while that is present",
      subjects: [subject("x", "1")],
      current: [["x", "c"]],
      expected: { x: "c" }
    },
    {
      title: "is that of the master's other accounts when it is added",
      subjects: [subject("x", "1"), subject("y", "1")],
      current: [["y", "c"]],
      expected: { x: "c", y: "c" }
    }
  ] as const)("$title", ({ current, expected, subjects }) => {
    expect(Object.fromEntries(Assignment.assign(subjects, egresses, new Map(current ?? [])))).toEqual(expected)
  })

  it("is absent without addresses", () => {
    expect(Assignment.assign([subject("x", "1")], [])).toEqual(new Map())
  })

  it("does not depend on the order of the addresses, nor on one that is there twice", () => {
    const uids = Array.from({ length: 1000 }, (_, index) => String(index))
    const one = Assignment.chooser(["a", "b", "c", "d"])
    const other = Assignment.chooser(["d", "b", "a", "c", "b"])
    expect(uids.map(other)).toEqual(uids.map(one))
  })
})

describe("a million accounts over 64 addresses", () => {
  const names = Array.from({ length: 64 }, (_, index) => `198.51.100.${index + 1}`)

  /** How many accounts each address has, of UIDs that follow one another as those of a service do. */
  const counted = (uids: ReadonlyArray<number>) => {
    const choose = Assignment.chooser(names)
    const counts = new Map<string, number>()
    for (const uid of uids) {
      const chosen = choose(String(uid))
      if (chosen._tag === "Some") counts.set(chosen.value, (counts.get(chosen.value) ?? 0) + 1)
    }
    return [...counts.values()]
  }

  it.each([
    ["that follow one another", (index: number) => 100_000_000 + index],
    ["that are all even", (index: number) => 2 * index],
    ["that end alike", (index: number) => index * 1000 + 7]
  ] as const)("with UIDs %s fill the fullest to at most 1.05 of the mean", (_, uidOf) => {
    const counts = counted(Array.from({ length: 1_000_000 }, (_, index) => uidOf(index)))
    expect(counts).toHaveLength(64)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_000_000)
    expect(Math.max(...counts) / (1_000_000 / 64)).toBeLessThanOrEqual(1.05)
  })

  it("move only the accounts of an address that is removed, and spread them over all others", () => {
    const [gone, ...rest] = names
    const before = Assignment.chooser(names)
    const after = Assignment.chooser(rest)
    const received = new Map<string, number>()
    for (let uid = 0; uid < 1_000_000; uid++) {
      const [was, is] = [before(String(uid)), after(String(uid))]
      if (was._tag === "None" || is._tag === "None") throw new Error("an account has no address")
      if (was.value !== gone) {
        if (is.value !== was.value) throw new Error(`${uid} moved from ${was.value} to ${is.value}`)
      } else received.set(is.value, (received.get(is.value) ?? 0) + 1)
    }
    expect(received.size).toBe(63)
    const moved = [...received.values()].reduce((sum, count) => sum + count, 0)
    expect(Math.max(...received.values()) / (moved / 63)).toBeLessThanOrEqual(1.35)
  })
})
