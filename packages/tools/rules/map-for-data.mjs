// @ts-check
import ts from "typescript"

/**
 * What the parser for TypeScript adds.
 *
 * @typedef {{
 *   readonly program: ts.Program | null
 *   readonly esTreeNodeToTSNodeMap: { readonly get: (node: import("eslint").Rule.Node) => ts.Node }
 * }} Services
 */

/**
 * A name that comes from data can be `__proto__`: `record[name] = value` then writes nothing. A `Map` keeps any name, and
 * `Object.fromEntries` makes a record of one.
 *
 * @type {import("eslint").Rule.RuleModule}
 */
export default {
  meta: {
    type: "problem",
    docs: { description: "Forbid writing into a record under a name that is only known when it runs" },
    schema: [],
    messages: { record: "The name may be `__proto__`. Use a Map, or Object.fromEntries." }
  },
  create(context) {
    // The configuration parses every file with types.
    const { esTreeNodeToTSNodeMap, program } = /** @type {Services} */ (
      /** @type {unknown} */ (context.sourceCode.parserServices)
    )
    if (program === null) return {}
    const checker = program.getTypeChecker()
    /** @param {unknown} node */
    const typeOf = (node) =>
      checker.getTypeAtLocation(esTreeNodeToTSNodeMap.get(/** @type {import("eslint").Rule.Node} */ (node)))
    return {
      AssignmentExpression({ left }) {
        if (left.type !== "MemberExpression" || !left.computed) return
        const isText = (typeOf(left.property).flags & ts.TypeFlags.String) !== 0
        const isRecord = checker.getIndexInfoOfType(typeOf(left.object), ts.IndexKind.String) !== undefined
        if (isText && isRecord) context.report({ node: left, messageId: "record" })
      }
    }
  }
}
