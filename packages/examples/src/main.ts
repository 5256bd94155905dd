import { pathToFileURL } from "node:url"

/** Whether a module is the running program, and not imported by a test. */
export const isMain = (url: string): boolean =>
  process.argv[1] !== undefined && url === pathToFileURL(process.argv[1]).href
