// The modules of `venue export` and `venue start`, loaded when they run: one import, one chunk.
export * as continued from "./continued.js"
export { exportHistory } from "./exportHistory.js"
export { sinkOf } from "./sinks.js"
export * as venue from "../account/venue.js"
