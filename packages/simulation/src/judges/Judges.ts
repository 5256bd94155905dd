/** All judges: each reads the journal of every workload, and finds nothing if its facts do not occur. */
import { barred, intoBan, probes, stopped } from "./bans.js"
import { alarmed, defect, gaveUp, late, secret, silent, skewed, slow, spinning, stuck, unserved } from "./ends.js"
import { compared, denied, invented, renamed, replaced, twice, vague } from "./outcomes.js"
import { doubled, mixed, robbed, short, trespassed, unfinished } from "./exports.js"
import type * as Journal from "../world/Journal.js"
import type * as Judge from "../world/Judge.js"
import { hindered, leak, limit, order, spare, starved } from "./limits.js"
import { covered, crowded, fenced, forgotten, idle, lease, overlap, released } from "./owners.js"
import { capped, halted, misnamed, owed, reconciled, reopened, unclosed, unreconciled, unrecorded } from "./writes.js"

export const all: ReadonlyArray<Judge.Judge> = [
  ...[twice, renamed, denied, invented, silent, alarmed, stuck, spinning, defect, secret],
  ...[late, slow, vague, replaced, gaveUp, skewed, unserved, ...compared],
  ...[limit, leak, hindered, order, starved, spare],
  ...[intoBan, probes, barred, stopped],
  ...[unrecorded, owed, misnamed, capped, halted, unclosed, reopened, reconciled, unreconciled],
  ...[short, doubled, mixed, robbed, trespassed, unfinished],
  ...[fenced, overlap, lease, crowded, idle, released, covered, forgotten]
]

/** Everything that is wrong with a run. */
export const violations = (journal: Journal.Journal): ReadonlyArray<Judge.Violation> =>
  all.flatMap(({ find, rule }) => find(journal).map((finding) => ({ rule, ...finding })))
