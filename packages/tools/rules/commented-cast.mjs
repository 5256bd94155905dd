// @ts-check
/**
 * @typedef {import("eslint").Rule.Node} Node
 * @typedef {import("eslint").AST.SourceLocation} Location
 * @typedef {{ readonly type: string, readonly typeName?: { readonly name?: string } }} Annotation
 */

/**
 * The lines of a node or a comment. The parser gives each a location, which the types do not promise.
 *
 * @param {{ readonly loc?: Location | null | undefined }} part
 */
const linesOf = ({ loc }) => ({ first: loc?.start.line ?? 0, last: loc?.end.line ?? 0 })

/** @param {Node} node */
const isConst = (node) => {
  // What the parser for TypeScript adds to a cast.
  const { typeAnnotation } = /** @type {{ readonly typeAnnotation: Annotation }} */ (/** @type {unknown} */ (node))
  return typeAnnotation.type === "TSTypeReference" && typeAnnotation.typeName?.name === "const"
}

/**
 * A cast overrules the compiler, so it has to say why: `x as X` and `<X>x` need a comment on one of their lines, inside
 * the expression, or directly above the statement or member they belong to. `as const` overrules nothing and needs none.
 *
 * @type {import("eslint").Rule.RuleModule}
 */
export default {
  meta: {
    type: "suggestion",
    docs: { description: "Require a comment that says why beside every type assertion" },
    schema: [],
    messages: { bare: "A cast needs a comment that says why it holds: on its line, inside it or directly above." }
  },
  create(context) {
    const { sourceCode } = context

    // A directive to a tool is no reason.
    const comments = sourceCode
      .getAllComments()
      .filter(({ value }) => !/^\s*(eslint|prettier-ignore|@ts-|istanbul|v8 ignore|c8 ignore)/.test(value))

    /**
     * A docblock describes what it stands on; only inside or on the line of the cast does it speak of the cast.
     *
     * @param {(typeof comments)[number]} comment
     */
    const isReason = (comment) => !(comment.type === "Block" && comment.value.startsWith("*"))

    /** @param {Node} node */
    const isOnLines = (node) => {
      const { first, last } = linesOf(node)
      return comments.some((comment) => linesOf(comment).first <= last && linesOf(comment).last >= first)
    }

    /** @param {Node} node */
    const isAbove = (node) => {
      let line = linesOf(node).first
      for (const comment of comments.toReversed()) {
        const { first, last } = linesOf(comment)
        if (last === line - 1 && sourceCode.getTokenBefore(comment)?.loc.end.line !== first) {
          if (isReason(comment)) return true
          line = first
        }
      }
      return false
    }

    /** @param {Node} node */
    const report = (node) => {
      if (isConst(node) || isOnLines(node)) return
      for (let at = node; at !== null && at.type !== "Program"; at = at.parent) {
        if (isAbove(at)) return
        // Up to the statement or member, not beyond: a comment above a whole function speaks of the function.
        if (/(Statement|Declaration|PropertyDefinition|MethodDefinition)$/.test(at.type)) {
          if (/^Export/.test(at.parent?.type ?? "") && isAbove(at.parent)) return
          break
        }
      }
      context.report({ node, messageId: "bare" })
    }

    // `a as unknown as X` is one cast: the outer one is looked at.
    /** @param {Node} node */
    const outermost = (node) => {
      if (!/^(TSAsExpression|TSTypeAssertion)$/.test(node.parent?.type ?? "")) report(node)
    }

    return { TSAsExpression: outermost, TSTypeAssertion: outermost }
  }
}
