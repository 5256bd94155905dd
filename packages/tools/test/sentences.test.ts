import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { checkDocument, checkIds, sentencesOf, updated, type Inventory } from "../src/sentences.js"

const document = `# A service

Words about it.

## Queries

A page has an end. It may not
be empty: one row is there.

### 1. Apples

GET /apples

| Param | Req |
|---|---|
| size | yes |
| colour | no |

1. First rule. Second rule.
- Third rule.
`

const inventory = (): Inventory => {
  const blank = updated({}, sentencesOf(document))
  return Object.fromEntries(
    Object.entries(blank).map(([section, entries]) => [section, entries.map((entry) => ({ ...entry, rules: ["a/b"] }))])
  )
}

const known = new Set(["a/b"])

describe("the inventory of sentences", () => {
  it("has every sentence, list item and row, by section and place, and no heads of tables", () => {
    assert.deepEqual(
      sentencesOf(document).map(({ place, section, text }) => `${section} ${place}: ${text}`),
      [
        " 1: Words about it.",
        "Queries 1: A page has an end.",
        "Queries 2: It may not be empty: one row is there.",
        "Queries, 1. Apples 1: GET /apples",
        "Queries, 1. Apples 2: size | yes",
        "Queries, 1. Apples 3: colour | no",
        "Queries, 1. Apples 4: First rule.",
        "Queries, 1. Apples 5: Second rule.",
        "Queries, 1. Apples 6: Third rule."
      ]
    )
  })

  it("holds no words of the document", () => {
    assert.doesNotMatch(JSON.stringify(inventory()), /empty|Second|colour/)
  })

  it("fits the document that it was made of", () => {
    assert.deepEqual(checkDocument(inventory(), sentencesOf(document)), [])
    assert.deepEqual(checkIds(inventory(), known), [])
  })

  it("lists a sentence that was added, and one that was changed twice: as new and as gone", () => {
    const added = sentencesOf(document.replace("Second rule.", "Second rule. A further one."))
    assert.deepEqual(checkDocument(inventory(), added), ["Queries, 1. Apples, 6 is not in the inventory"])
    const changed = sentencesOf(document.replace("size | yes", "size | no"))
    assert.deepEqual(checkDocument(inventory(), changed), [
      "Queries, 1. Apples, 2 is not in the inventory",
      "Queries, 1. Apples, 2 is not in the document"
    ])
  })

  it("refuses a sentence without rules and reason, with both, and with a rule that is not in the list", () => {
    const entry = { place: 1, digest: "0" }
    assert.deepEqual(checkIds({ A: [entry] }, known), ["A, 1 has no rule"])
    assert.deepEqual(checkIds({ A: [{ ...entry, none: "introduction" }] }, known), [])
    assert.deepEqual(checkIds({ A: [{ ...entry, rules: ["a/b"], none: "introduction" }] }, known), [
      "A, 1 has rules and is none"
    ])
    assert.deepEqual(checkIds({ A: [{ ...entry, rules: ["a/c"] }] }, known), ["A, 1: there is no rule a/c"])
  })

  it("keeps the rules of sentences that have moved", () => {
    const moved = updated(inventory(), sentencesOf(document.replace("First rule.", "A new first. First rule.")))
    assert.deepEqual(
      (moved["Queries, 1. Apples"] ?? []).map(({ place, rules = [] }) => [place, rules.length]),
      [
        [1, 1],
        [2, 1],
        [3, 1],
        [4, 0],
        [5, 1],
        [6, 1],
        [7, 1]
      ]
    )
  })
})
