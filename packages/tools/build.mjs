/**
 * Builds the published packages into their `dist/`, as they are packed:
 *
 *     dist/esm/    modules, their types and maps, from the compiler
 *     dist/cjs/    the same for `require`: each source written out as CommonJS, beside the same types
 *     dist/bin/    of the command alone: the program, with everything that it imports
 *
 * Types need no second run: what a declaration says does not depend on the form. Names do: `.cjs` and `.d.cts`, in the files
 * and where they name each other.
 *
 *     node packages/tools/build.mjs
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { publish } from "../cli/bundle.mjs"
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

/** The modules, their types and maps; says whether it could. */
export const compile = () => {
  names.forEach(tidy)
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

const renamed = (specifier) => (/^\.{1,2}\//.test(specifier) ? specifier.replace(/\.js$/, ".cjs") : specifier)

/** Modules of the same package, by the names that they have here. */
const neighbours = (context) => (file) => {
  const { factory } = context
  const literal = (node) => factory.createStringLiteral(renamed(node.text))
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      return factory.updateImportDeclaration(
        node,
        node.modifiers,
        node.importClause,
        literal(node.moduleSpecifier),
        node.attributes
      )
    }
    if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      return factory.updateExportDeclaration(
        node,
        node.modifiers,
        node.isTypeOnly,
        node.exportClause,
        literal(node.moduleSpecifier),
        node.attributes
      )
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [name] = node.arguments
      return factory.updateCallExpression(node, node.expression, undefined, [
        ts.isStringLiteral(name) ? literal(name) : name
      ])
    }
    return ts.visitEachChild(node, visit, context)
  }
  return ts.visitNode(file, visit)
}

/** The same in a declaration: `from "./Rule.js"` and `import("./Rule.js")`. */
const declaration = (text) =>
  text.replace(
    /((?:\bfrom |\bimport\()")(\.{1,2}\/[^"]*)(")/g,
    (_, before, name, after) => before + renamed(name) + after
  )

const common = (text, file) => {
  if (/^import (type )?\w+( from|,)/m.test(text))
    throw new Error(`${file}: a default import means another thing in CommonJS`)
  const name = path.posix.basename(file, ".ts")
  const { outputText, sourceMapText } = ts.transpileModule(text, {
    // By its name it is CommonJS, in which `import()` of a module stays what it is.
    fileName: `${name}.cts`,
    transformers: { before: [metaUrl, neighbours] },
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
  const map = { ...JSON.parse(sourceMapText), file: `${name}.cjs`, sources: [`${up}src/${file}`] }
  return {
    js: outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, `//# sourceMappingURL=${name}.cjs.map\n`),
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
    fs.writeFileSync(`${to}.cjs`, js)
    fs.writeFileSync(`${to}.cjs.map`, map)
    const types = path.join(esm, file.replace(/\.ts$/, ""))
    const declared = declaration(fs.readFileSync(`${types}.d.ts`, "utf8"))
    fs.writeFileSync(`${to}.d.cts`, declared.replace(/(sourceMappingURL=.*)\.d\.ts\.map/, "$1.d.cts.map"))
    const declaredMap = JSON.parse(fs.readFileSync(`${types}.d.ts.map`, "utf8"))
    fs.writeFileSync(`${to}.d.cts.map`, JSON.stringify({ ...declaredMap, file: `${path.basename(to)}.d.cts` }))
  }
}

/** Builds everything; says whether it could. */
export const build = async () => {
  if (!compile()) return false
  names.forEach(writeCommon)
  await publish(path.join(folderOf("cli"), "dist", "bin"))
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (await build()) console.log(`built ${names.join(", ")}`)
  else process.exitCode = 1
}
