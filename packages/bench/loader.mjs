/**
 * Runs the sources as they will be published: types taken away, and nothing else. Loaders for daily work also give every function its
 * name back when it is made, which a client that is measured would pay with every call.
 *
 *     node --import ./packages/bench/loader.mjs packages/bench/src/main.ts
 */
import { register } from "node:module"

register("./hooks.mjs", import.meta.url)
