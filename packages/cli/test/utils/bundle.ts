import * as esbuild from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly venue: string
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * Puts the sources of the command into a few files, once for all tests: each test starts processes of it, and compiling it takes ten
 * times as long as starting it.
 */
export default async (project: TestProject): Promise<() => void> => {
  const folder = path.join(root, "build", `venue-${process.pid}`)
  await esbuild.build({
    entryPoints: { venue: path.join(root, "src/bin.ts") },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: {
      js: 'import { createRequire as bundledRequire } from "node:module"; const require = bundledRequire(import.meta.url);'
    },
    plugins: [
      {
        name: "native",
        setup: (build) => {
          // A native library stays where it is installed.
          build.onResolve({ filter: /^@libsql\/client$/ }, async ({ importer, kind, path, pluginData, resolveDir }) => {
            if (pluginData === "found") return undefined
            const found = await build.resolve(path, { importer, kind, resolveDir, pluginData: "found" })
            return { path: pathToFileURL(found.path).href, external: true }
          })
        }
      }
    ],
    logLevel: "silent"
  })
  project.provide("venue", path.join(folder, "venue.mjs"))
  return () => fs.rmSync(folder, { recursive: true, force: true })
}
