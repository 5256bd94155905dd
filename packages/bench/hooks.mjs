import { transform } from "esbuild"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const isSource = (url) => url?.endsWith(".ts") === true

/** Modules name each other by what they will be compiled to. */
export const resolve = (specifier, context, next) =>
  next(
    isSource(context.parentURL) && specifier.startsWith(".") ? specifier.replace(/\.js$/, ".ts") : specifier,
    context
  )

export const load = async (url, context, next) => {
  if (!isSource(url)) return next(url, context)
  const sourcefile = fileURLToPath(url)
  const { code } = await transform(await readFile(sourcefile, "utf8"), { loader: "ts", target: "node20", sourcefile })
  return { format: "module", source: code, shortCircuit: true }
}
