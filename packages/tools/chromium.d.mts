import type { Browser } from "puppeteer-core"

/** Starts a browser without a window; `undefined` where there is none. */
export declare const launch: () => Promise<Browser | undefined>
