// What `venue report` loads to write what it has read: one import, one chunk.
export { isWhole, page } from "./page.js"
export { summary, terminalTable } from "./summary.js"
