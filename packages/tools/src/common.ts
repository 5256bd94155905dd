/** A source as CommonJS, and its declaration with the names that modules have there. */
import * as path from "node:path"
import ts from "typescript"

const renamed = (specifier: string): string =>
  /^\.{1,2}\//.test(specifier) ? specifier.replace(/\.js$/, ".cjs") : specifier

/** `import.meta.url`, where there is no such thing. */
const metaUrl: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const { factory } = context
  const require = (module: string) =>
    factory.createCallExpression(factory.createIdentifier("require"), undefined, [factory.createStringLiteral(module)])
  const fileUrl = () =>
    factory.createCallExpression(
      factory.createPropertyAccessExpression(require("node:url"), "pathToFileURL"),
      undefined,
      [factory.createIdentifier("__filename")]
    )
  const visit = (node: ts.Node): ts.Node =>
    ts.isPropertyAccessExpression(node) && ts.isMetaProperty(node.expression) && node.name.text === "url"
      ? factory.createPropertyAccessExpression(fileUrl(), "href")
      : ts.visitEachChild(node, visit, context)
  return ts.visitNode(file, visit, ts.isSourceFile)
}

/** Modules of the same package, by the names that they have here. */
const neighbours: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
  const { factory } = context
  const named = (node: ts.Expression): ts.Expression =>
    ts.isStringLiteral(node) ? factory.createStringLiteral(renamed(node.text)) : node
  const visit = (node: ts.Node): ts.Node => {
    if (ts.isImportDeclaration(node)) {
      const { attributes, importClause, modifiers, moduleSpecifier } = node
      return factory.updateImportDeclaration(node, modifiers, importClause, named(moduleSpecifier), attributes)
    }
    if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      const { attributes, exportClause, isTypeOnly, modifiers, moduleSpecifier } = node
      return factory.updateExportDeclaration(
        node,
        modifiers,
        isTypeOnly,
        exportClause,
        named(moduleSpecifier),
        attributes
      )
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      return factory.updateCallExpression(node, node.expression, undefined, node.arguments.map(named))
    }
    return ts.visitEachChild(node, visit, context)
  }
  return ts.visitNode(file, visit, ts.isSourceFile)
}

/** A declaration with the same names: `from "./Rule.cjs"` and `import("./Rule.cjs")`. */
export const declaration = (text: string): string =>
  text.replace(
    /((?:\bfrom |\bimport\()")(\.{1,2}\/[^"]*)(")/g,
    (_, before: string, name: string, after: string) => before + renamed(name) + after
  )

/** A source map with other fields. */
export const withMapFields = (map: string, fields: Readonly<Record<string, unknown>>): string =>
  // A source map is an object.
  JSON.stringify({ ...(JSON.parse(map) as object), ...fields })

/** A source as CommonJS. `file` is its path from `src/`. */
export const common = (text: string, file: string): { readonly js: string; readonly map: string } => {
  if (/^import (type )?\w+( from|,)/m.test(text)) {
    throw new Error(`${file}: a default import means another thing in CommonJS`)
  }
  const name = path.posix.basename(file, ".ts")
  const { outputText, sourceMapText = "{}" } = ts.transpileModule(text, {
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
  return {
    js: outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, `//# sourceMappingURL=${name}.cjs.map\n`),
    map: withMapFields(sourceMapText, { file: `${name}.cjs`, sources: [`${up}src/${file}`] })
  }
}
