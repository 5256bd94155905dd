/**
 * Builds the site of docs/ into packages/tools/build/site. A link that leads nowhere fails it.
 *
 *     node packages/tools/site.mjs            builds it
 *     node packages/tools/site.mjs serve      builds it, and shows it on this machine until stopped
 */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build, serve } from "vitepress"

const docs = path.resolve(fileURLToPath(import.meta.url), "../../../docs")

await build(docs)
if (process.argv[2] === "serve") await serve({ root: docs, port: 4173 })
