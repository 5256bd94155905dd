/** Imports every public module, and expects that the others cannot be imported. `modules.json` is written by `check packages`. */
import { createRequire } from "node:module"

const modules = createRequire(import.meta.url)("./modules.json")

const problems = []
for (const name of [...modules.open, ...modules.closed]) {
  const error = await import(name).then(
    () => undefined,
    (error) => error
  )
  const isOpen = modules.open.includes(name)
  if (isOpen && error !== undefined) problems.push(`${name}: ${error.message.split("\n")[0]}`)
  if (!isOpen && error?.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") problems.push(`${name} is not closed`)
}
if (problems.length > 0) throw new Error(problems.join("\n"))
