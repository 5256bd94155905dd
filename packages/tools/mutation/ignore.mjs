import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin"

/** The makers of tags and references, whose first text only has to be unique. */
const makers = new Set(["Tag", "Reference"])

/** Leaves the names of tags and references alone: another name does the same. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "names of tags", {
    shouldIgnore: (path) => {
      if (!path.isStringLiteral()) return undefined
      const { callee } = path.parent.type === "CallExpression" ? path.parent : {}
      // `Context.Tag("name")`, and `Context.Reference<Self>()("name", …)`, which is called twice.
      const maker = callee?.type === "CallExpression" ? callee.callee : callee
      return maker?.type === "MemberExpression" && maker.object.name === "Context" && makers.has(maker.property.name)
        ? "the name of a tag says nothing"
        : undefined
    }
  })
]
