// The part of `venue report` that renders: one import, one chunk.
export { isWhole, page } from "./page.js"
export { summary, terminalTable } from "./summary.js"
