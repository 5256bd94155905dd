/** Registers `hook.mjs` with the mutant of the environment variable `MUTANT`: `{ file, start, end, replacement }`. */
import { register } from "node:module"

if (process.env.MUTANT !== undefined) {
  register(new URL("hook.mjs", import.meta.url), { data: JSON.parse(process.env.MUTANT) })
}
