/** The category of a declaration on the page of its module, as its kind tells it. A docblock has a `@category` only where it differs. */
import ts from "typescript"

const callee = (node: ts.Node | undefined): string => {
  let called = node
  while (called !== undefined && ts.isCallExpression(called)) called = called.expression
  return called?.getText() ?? ""
}

const categoryOfClass = (node: ts.ClassDeclaration): string => {
  const parent = callee(node.heritageClauses?.[0]?.types[0]?.expression)
  if (/\bContext\.Tag$|\bEffect\.Service$/.test(parent)) return "tags"
  if (/\bContext\.Reference$/.test(parent)) return "references"
  return parent.endsWith("Error") ? "failures" : /\b(Schema|Data)\./.test(parent) ? "schemas" : "models"
}

/** The category by the beginning of a name. */
const byName: ReadonlyArray<readonly [RegExp, string]> = [
  [/^layerTest$/, "testing"],
  [/^layer/, "layers"],
  [/^(make|empty)(?![a-z])/, "constructors"],
  [/^(from|to)[A-Z]/, "conversions"],
  [/^is[A-Z]/, "predicates"],
  [/^run(?![a-z])/, "running"]
]

/** The category by what a constant is initialized with. */
const byCallee: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Metric\./, "metrics"],
  [/^(Endpoint\.)?(make|define|standard|legacy|endpoint)/, "endpoints"],
  [/^enumeration\./, "enumerations"],
  [/^Dataset\./, "datasets"],
  [/^Schema\./, "schemas"]
]

const categoryOfValue = (name: string, initializer: ts.Expression | undefined): string => {
  const named = byName.find(([pattern]) => pattern.test(name))
  if (named !== undefined) return named[1]
  if (initializer === undefined || ts.isArrowFunction(initializer)) return "constructors"
  const called = ts.isCallExpression(initializer) ? callee(initializer) : initializer.getText()
  return byCallee.find(([pattern]) => pattern.test(called))?.[1] ?? (/^[A-Z]/.test(name) ? "schemas" : "constants")
}

/** Returns the category that follows from the kind, the name and the value of a declaration, and from the folder of its file. */
export const categoryOf = (node: ts.Node): string => {
  if (ts.isVariableDeclaration(node) && /\/handlers\/[^/]+$/.test(node.getSourceFile().fileName)) return "handlers"
  if (ts.isClassDeclaration(node)) return categoryOfClass(node)
  if (ts.isVariableDeclaration(node)) return categoryOfValue(node.name.getText(), node.initializer)
  if (ts.isFunctionDeclaration(node)) return categoryOfValue(node.name?.text ?? "", undefined)
  return "models"
}
