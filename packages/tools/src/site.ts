/**
 * Builds the site of docs/ into packages/tools/build/site, and follows every link of it. A dead one fails the build.
 *
 *     node packages/tools/bootstrap.mjs site            builds it
 *     node packages/tools/bootstrap.mjs site serve      builds it, and serves it on this machine until stopped
 */
import * as path from "node:path"
import { build, serve } from "vitepress"
import { deadLinksOfPages, deadLinksOfSite } from "./links.js"
import { pages } from "./markdown.js"
import { root, tools } from "./repository.js"

const docs = path.join(root, "docs")

await build(docs)
const dead = [...deadLinksOfSite(path.join(tools, "build", "site")), ...deadLinksOfPages(root, pages(root))]
for (const link of dead) console.log(`dead link: ${link}`)
if (dead.length > 0) process.exit(1)
if (process.argv[2] === "serve") await serve({ root: docs, port: 4173 })
