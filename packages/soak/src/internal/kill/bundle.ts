import * as Effect from "effect/Effect"
import * as esbuild from "esbuild"
import { fileURLToPath, pathToFileURL } from "node:url"

// The database is a native library: it stays where it is installed, and is imported from there.
const native = /^@libsql\/client$/

const findNative: esbuild.Plugin = {
  name: "native",
  setup: (build) => {
    build.onResolve({ filter: native }, async ({ importer, kind, path, pluginData, resolveDir }) => {
      if (pluginData === "found") return undefined
      const found = await build.resolve(path, { importer, kind, resolveDir, pluginData: "found" })
      return { path: pathToFileURL(found.path).href, external: true }
    })
  }
}

/**
 * The real command, its sources in a few files: it starts in a fraction of the time that it takes to compile it each time, so that
 * kills land in what it does and not in its start. Gives the file to run.
 */
export const make = (folder: string): Effect.Effect<string> =>
  Effect.as(
    Effect.promise(() =>
      esbuild.build({
        absWorkingDir: fileURLToPath(new URL("../../..", import.meta.url)),
        entryPoints: { venue: fileURLToPath(new URL("../../../../cli/src/bin.ts", import.meta.url)) },
        outdir: folder,
        outExtension: { ".js": ".mjs" },
        bundle: true,
        splitting: true,
        platform: "node",
        format: "esm",
        target: "node20",
        // Some of what it is made of was written for another kind of module.
        banner: {
          js: 'import { createRequire as bundledRequire } from "node:module"; const require = bundledRequire(import.meta.url);'
        },
        plugins: [findNative],
        logLevel: "silent"
      })
    ),
    `${folder}/venue.mjs`
  )
