/**
 * Builds the published packages into their `dist/`, as they are packed:
 *
 *     dist/esm/    modules, their types and maps, from the compiler
 *     dist/cjs/    the same for `require`: each source written out as CommonJS, beside the same types
 *
 * Types need no second run: what a declaration says does not depend on the form, and `dist/cjs/package.json` says how the
 * declarations beside it are to be read.
 *
 *     node packages/tools/build.mjs
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { filesOf, folderOf, names, root, tools } from "./published.mjs"

const built = ["js", "js.map", "d.ts", "d.ts.map"]

const expected = (name) =>
  filesOf(path.join(folderOf(name), "src")).flatMap((file) =>
    built.map((extension) => file.replace(/\.ts$/, `.${extension}`))
  )

/** What earlier builds left of sources that are gone, and a memory of files that are gone. */
const tidy = (name) => {
  const dist = path.join(folderOf(name), "dist")
  const wanted = new Set(expected(name).map((file) => `esm/${file}`))
  for (const file of filesOf(dist)) {
    if (!wanted.has(file)) fs.rmSync(path.join(dist, file))
  }
  const folders = fs.existsSync(dist) ? fs.readdirSync(dist, { withFileTypes: true }) : []
  for (const entry of folders) {
    if (entry.name !== "esm") fs.rmSync(path.join(dist, entry.name), { recursive: true, force: true })
  }
  const isWhole = [...wanted].every((file) => fs.existsSync(path.join(dist, file)))
  // The compiler believes its own notes, not the folder.
  if (!isWhole) fs.rmSync(path.join(folderOf(name), "build", "src.tsbuildinfo"), { force: true })
}

const compile = () => {
  const tsc = path.join(tools, "node_modules", "typescript", "bin", "tsc")
  const projects = names.map((name) => path.join(folderOf(name), "tsconfig.src.json"))
  return spawnSync(process.execPath, [tsc, "-b", ...projects], { cwd: root, stdio: "inherit" }).status === 0
}

/** `import.meta.url`, where there is no such thing. */
const metaUrl = (context) => (file) => {
  const { factory } = context
  const require = (module) =>
    factory.createCallExpression(factory.createIdentifier("require"), undefined, [factory.createStringLiteral(module)])
  const visit = (node) =>
    ts.isPropertyAccessExpression(node) && ts.isMetaProperty(node.expression) && node.name.text === "url"
      ? factory.createPropertyAccessExpression(
          factory.createCallExpression(
            factory.createPropertyAccessExpression(require("node:url"), "pathToFileURL"),
            undefined,
            [factory.createIdentifier("__filename")]
          ),
          "href"
        )
      : ts.visitEachChild(node, visit, context)
  return ts.visitNode(file, visit)
}

const common = (text, file) => {
  if (/^import (type )?\w+( from|,)/m.test(text)) throw new Error(`${file}: a default import means another thing in CommonJS`)
  const name = path.posix.basename(file, ".ts")
  const { outputText, sourceMapText } = ts.transpileModule(text, {
    // By its name it is CommonJS, in which `import()` of a module stays what it is.
    fileName: `${name}.cts`,
    transformers: { before: [metaUrl] },
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.Node16,
      isolatedModules: true,
      // Without helpers: no source imports a default.
      esModuleInterop: false,
      sourceMap: true
    }
  })
  const up = "../".repeat(file.split("/").length + 1)
  const map = { ...JSON.parse(sourceMapText), file: `${name}.js`, sources: [`${up}src/${file}`] }
  return {
    js: outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, `//# sourceMappingURL=${name}.js.map\n`),
    map: JSON.stringify(map)
  }
}

const writeCommon = (name) => {
  const src = path.join(folderOf(name), "src")
  const esm = path.join(folderOf(name), "dist", "esm")
  const cjs = path.join(folderOf(name), "dist", "cjs")
  for (const file of filesOf(src)) {
    const to = path.join(cjs, file.replace(/\.ts$/, ""))
    fs.mkdirSync(path.dirname(to), { recursive: true })
    const { js, map } = common(fs.readFileSync(path.join(src, file), "utf8"), file)
    fs.writeFileSync(`${to}.js`, js)
    fs.writeFileSync(`${to}.js.map`, map)
    for (const extension of ["d.ts", "d.ts.map"]) {
      fs.copyFileSync(path.join(esm, file.replace(/ts$/, extension)), `${to}.${extension}`)
    }
  }
  fs.writeFileSync(path.join(cjs, "package.json"), `${JSON.stringify({ type: "commonjs", sideEffects: false })}\n`)
}

/** Builds everything; says whether it could. */
export const build = () => {
  names.forEach(tidy)
  if (!compile()) return false
  names.forEach(writeCommon)
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (build()) console.log(`built ${names.join(", ")}`)
  else process.exitCode = 1
}
