/** The worlds, by name. */
import * as CallWorld from "./CallWorld.js"
import * as ExportWorld from "./ExportWorld.js"
import type * as World from "./World.js"

export const worlds: Readonly<Record<string, World.World>> = Object.fromEntries(
  [CallWorld.world, ExportWorld.world].map((world) => [world.name, world])
)
