/** The worlds, by name. */
import * as CallWorld from "./CallWorld.js"
import * as GateWorld from "./GateWorld.js"
import * as LimiterWorld from "./LimiterWorld.js"
import * as ProcessesWorld from "./ProcessesWorld.js"
import type * as World from "./World.js"

export const worlds: Readonly<Record<string, World.World>> = Object.fromEntries(
  [CallWorld.world, GateWorld.world, LimiterWorld.world, ProcessesWorld.world].map((world) => [world.name, world])
)
