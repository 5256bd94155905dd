/** Writes the saved results to docs/performance.md. `--check` only compares, and exits with 1 if the page is outdated. */
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import * as Drawing from "./drawing.js"
import * as Results from "./results.js"

const file = fileURLToPath(new URL("../../../../docs/performance.md", import.meta.url))
const present = fs.readFileSync(file, "utf8")
const wanted = Drawing.page(present, Results.parse(fs.readFileSync(Results.file, "utf8")))

if (present !== wanted) {
  if (process.argv.includes("--check")) {
    console.log("docs/performance.md is outdated: npm run fix -- results draws it")
    process.exitCode = 1
  } else fs.writeFileSync(file, wanted)
}
