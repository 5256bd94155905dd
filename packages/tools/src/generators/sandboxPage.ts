/**
 * Bundles the script of the sandbox's page, `packages/sandbox/browser`, into the module that serves it.
 *
 *     node --import tsx packages/tools/src/generators/sandboxPage.ts            writes the module if it differs
 *     node --import tsx packages/tools/src/generators/sandboxPage.ts --check    fails if it differs
 */
import { build } from "esbuild"
import * as path from "node:path"
import { bring, formatFile, root } from "../repository/repository.js"

const target = path.join(root, "packages/sandbox/src/page/script.ts")

const { outputFiles } = await build({
  entryPoints: [path.join(root, "packages/sandbox/browser/main.mjs")],
  bundle: true,
  write: false,
  format: "iife",
  target: "es2022",
  minifyWhitespace: true,
  minifySyntax: true,
  charset: "utf8",
  legalComments: "none"
})
const [bundled] = outputFiles
if (bundled === undefined) throw new Error("esbuild has written nothing")

const text = `/**
 * The script of the page. It is a bundle of \`packages/sandbox/browser\`, small and in one text, because a page that cannot load other files needs no
 * file of the package at run time, and works from a bundle of the server. \`npm run fix -- sandboxScript\` writes it; \`npm run check\` refuses an old one.
 */
export const script = ${JSON.stringify(bundled.text)}
`

bring(new Map([[target, await formatFile(target, text)]]))
