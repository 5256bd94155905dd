/** Runs the bundle with nothing of Node: only what browsers have as well. */
import * as fs from "node:fs"
import * as vm from "node:vm"

const web = [
  ...[
    "AbortController",
    "AbortSignal",
    "atob",
    "btoa",
    "clearInterval",
    "clearTimeout",
    "crypto",
    "Event",
    "EventTarget"
  ],
  ...["fetch", "FormData", "Headers", "performance", "queueMicrotask", "ReadableStream", "Request", "Response"],
  ...["setInterval", "setTimeout", "structuredClone", "TextDecoder", "TextEncoder", "TransformStream", "URL"],
  ...["URLSearchParams", "WritableStream"]
]
const context = vm.createContext({ console, ...Object.fromEntries(web.map((name) => [name, globalThis[name]])) })
await vm.runInContext(`(async () => {${fs.readFileSync("out.js", "utf8")}})()`, context)
