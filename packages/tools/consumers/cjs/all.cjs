/** Loads every module that is open, and sees that those which are not stay closed. `modules.json` is written by `check packages`. */
const { closed, open } = require("../modules.json")
const problems = []
for (const name of open) {
  try {
    require(name)
  } catch (error) {
    problems.push(`${name}: ${error.message.split("\n")[0]}`)
  }
}
for (const name of closed) {
  try {
    require(name)
    problems.push(`${name} is open`)
  } catch (error) {
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") problems.push(`${name}: ${error.message}`)
  }
}
if (problems.length > 0) {
  console.error(problems.join("\n"))
  process.exitCode = 1
}
