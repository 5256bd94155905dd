/** All judges: each reads the journal of every workload, and finds nothing if its facts do not occur. */
import { barred, intoBan, probes, stopped } from "./bans.js"
import { compared, denied, invented, replaced } from "./calls/outcomes.js"
import { defect, spinning, stuck } from "./calls/endings.js"
import { gaveUp, secret, skewed, unserved } from "./calls/failures.js"
import { late, slow } from "./calls/late.js"
import { alarmed, silent } from "./calls/silent.js"
import { renamed, twice } from "./calls/twice.js"
import { vague } from "./calls/vague.js"
import { doubled, mixed, short } from "./exports/rows.js"
import { robbed, trespassed, unfinished } from "./exports/starts.js"
import type * as Journal from "../world/Journal.js"
import * as Judge from "../world/Judge.js"
import { hindered, leak, limit, spare } from "./limits/places.js"
import { order, starved } from "./limits/order.js"
import { fenced, lease, overlap } from "./owners/fenced.js"
import { covered, forgotten } from "./owners/ledger.js"
import { crowded, idle, released } from "./owners/work.js"
import { capped, halted } from "./writes/capped.js"
import { misnamed, owed, reopened, unclosed, unrecorded } from "./writes/owed.js"
import { reconciled, unreconciled } from "./writes/reconciled.js"

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
export const violations = (journal: Journal.Journal): ReadonlyArray<Judge.Violation> => Judge.violations(all, journal)
