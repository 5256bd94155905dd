/** The worlds, by name. */
import * as CallWorld from "./CallWorld.js"
import * as ExportWorld from "./ExportWorld.js"
import * as GateWorld from "./GateWorld.js"
import * as LimiterWorld from "./LimiterWorld.js"
import * as ProcessesWorld from "./ProcessesWorld.js"
import type * as World from "./World.js"

export const worlds = {
  call: CallWorld.world,
  export: ExportWorld.world,
  gate: GateWorld.world,
  limiter: LimiterWorld.world,
  processes: ProcessesWorld.world
} as const satisfies Readonly<Record<string, World.World>>
