/** The worlds, by name. */
import * as AnswerWorld from "./AnswerWorld.js"
import * as BansWorld from "./BansWorld.js"
import * as CallWorld from "./CallWorld.js"
import * as ExportWorld from "./ExportWorld.js"
import * as GateWorld from "./GateWorld.js"
import * as LimiterWorld from "./LimiterWorld.js"
import * as OwnersWorld from "./OwnersWorld.js"
import * as ProcessesWorld from "./ProcessesWorld.js"
import * as StoreWorld from "./StoreWorld.js"
import type * as World from "./World.js"

export const worlds = {
  answers: AnswerWorld.world,
  bans: BansWorld.world,
  call: CallWorld.world,
  export: ExportWorld.world,
  gate: GateWorld.world,
  limiter: LimiterWorld.world,
  owners: OwnersWorld.world,
  processes: ProcessesWorld.world,
  store: StoreWorld.world
} as const satisfies Readonly<Record<string, World.World>>

/** How the seeds of a run over all worlds are shared out: by what a seed costs. */
export const shares: Readonly<Record<keyof typeof worlds, number>> = {
  answers: 0.05,
  bans: 0.1,
  call: 0.08,
  export: 0.005,
  gate: 0.25,
  limiter: 0.38,
  owners: 0.02,
  processes: 0.015,
  store: 0.1
}
