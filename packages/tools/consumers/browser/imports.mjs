/** The bundle of a browser imports nothing of Node. */
import * as fs from "node:fs"
import { builtinModules } from "node:module"

const { inputs, outputs } = JSON.parse(fs.readFileSync("meta.json", "utf8"))
const imports = [...Object.values(inputs), ...Object.values(outputs)]
  .flatMap((file) => file.imports)
  .map(({ original, path }) => original ?? path)
const ofNode = imports.filter((name) => name.startsWith("node:") || builtinModules.includes(name))
if (ofNode.length > 0) {
  console.error(`imports ${[...new Set(ofNode)].join(", ")}`)
  process.exitCode = 1
}
