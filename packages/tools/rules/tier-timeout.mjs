// @ts-check

/** What runs tests, and what follows it: `it.live.each(names)`. */
const runner = /^(it|test|describe|layer|(before|after)(All|Each))\b/

/** A number, a product of numbers, or a name that says what it is. */
const time = /^([\d_* ]+|\w*timeout)$/i

/**
 * A test or hook has the timeout of its tier (packages/vitest.project.ts). One of its own is a measure of the machine on which it was chosen.
 *
 * @type {import("eslint").Rule.RuleModule}
 */
export default {
  meta: {
    type: "problem",
    docs: { description: "Disallow timeouts of single tests and hooks" },
    schema: [],
    messages: { own: "A test has the timeout of its tier: packages/vitest.project.ts." }
  },
  create: (context) => ({
    CallExpression({ arguments: all, callee }) {
      if (!runner.test(context.sourceCode.getText(callee))) return
      for (const argument of all) {
        const isOwn =
          argument.type === "ObjectExpression"
            ? argument.properties.some((one) => /^timeout\b/.test(context.sourceCode.getText(one)))
            : time.test(context.sourceCode.getText(argument))
        if (isOwn) context.report({ node: argument, messageId: "own" })
      }
    }
  })
}
