// @ts-check
import * as path from "node:path"

/**
 * The name of a file without its extensions; of a folder's `utils` that of the folder.
 *
 * @param {string} file
 */
const nameOf = (file) => {
  const name = path
    .basename(file)
    .replace(/\.[a-z]+$/, "")
    .replace(".", "")
  return name === "utils" ? path.basename(path.dirname(file)) : name
}

/**
 * A namespace is called as the file that it is imported from, or its name is part of the other's: `import * as Holding from "./holding.js"`,
 * `import * as scripts from "./limitScripts.js"`. A reader who follows a name finds the file by it.
 *
 * @type {import("eslint").Rule.RuleModule}
 */
export default {
  meta: {
    type: "suggestion",
    docs: { description: "Require the name of a namespace import to agree with its file's" },
    schema: [],
    messages: { other: "{{ name }} is imported from {{ file }}: a namespace is called as its file." }
  },
  create: (context) => ({
    ImportNamespaceSpecifier(node) {
      const source = node.parent.type === "ImportDeclaration" ? node.parent.source.value : undefined
      if (typeof source !== "string" || !source.startsWith(".")) return
      const file = nameOf(path.resolve(path.dirname(context.filename), source))
      const [one, other] = [node.local.name.toLowerCase(), file.toLowerCase()]
      if (!one.includes(other) && !other.includes(one))
        context.report({ node, messageId: "other", data: { name: node.local.name, file } })
    }
  })
}
