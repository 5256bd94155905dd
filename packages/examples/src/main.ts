import { pathToFileURL } from "node:url"

/** Whether a module is the program that runs, not one that a test imports. */
export const isMain = (url: string): boolean =>
  process.argv[1] !== undefined && url === pathToFileURL(process.argv[1]).href
