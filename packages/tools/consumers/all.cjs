/** Requires every public module, and expects that the others cannot be required. `modules.json` is written by `check packages`. */
const modules = require("./modules.json")

const failureOf = (name) => {
  try {
    require(name)
    return undefined
  } catch (error) {
    return error
  }
}

const problems = []
for (const name of [...modules.open, ...modules.closed]) {
  const error = failureOf(name)
  const isOpen = modules.open.includes(name)
  if (isOpen && error !== undefined) problems.push(`${name}: ${error.message.split("\n")[0]}`)
  if (!isOpen && error?.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") problems.push(`${name} is not closed`)
}
if (problems.length > 0) throw new Error(problems.join("\n"))
