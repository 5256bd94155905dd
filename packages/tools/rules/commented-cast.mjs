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

    // A docblock describes what it stands on; only inside or on the line of the cast does it speak of the cast.
    const isReason = (comment) => !(comment.type === "Block" && comment.value.startsWith("*"))

    const isOnLines = (node) =>
      comments.some(
        (comment) => comment.loc.start.line <= node.loc.end.line && comment.loc.end.line >= node.loc.start.line
      )

    const isAbove = (node) => {
      let line = node.loc.start.line
      for (const comment of comments.toReversed()) {
        if (
          comment.loc.end.line === line - 1 &&
          sourceCode.getTokenBefore(comment)?.loc.end.line !== comment.loc.start.line
        ) {
          if (isReason(comment)) return true
          line = comment.loc.start.line
        }
      }
      return false
    }

    const report = (node) => {
      if (node.typeAnnotation.type === "TSTypeReference" && node.typeAnnotation.typeName.name === "const") return
      if (isOnLines(node)) return
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
    const outermost = (node) => {
      if (!/^(TSAsExpression|TSTypeAssertion)$/.test(node.parent.type)) report(node)
    }

    return { TSAsExpression: outermost, TSTypeAssertion: outermost }
  }
}
