// @ts-check
import { parseArgs } from "node:util"

/**
 * The options of a command by name: the name of the value, such as `FILE`, or "" if the option has none.
 *
 * @typedef {Readonly<Record<string, string>>} Options
 *
 * @typedef {object} Command
 * @property {string} command how it is called: `npm run check`
 * @property {Options} options all but `--help` and, if `names` are given, `--list`
 * @property {ReadonlyArray<readonly [name: string, about?: string]>} [names] what can be named; `--list` prints those with a text
 *
 * @typedef {{ readonly names: ReadonlyArray<string>, readonly values: Readonly<Record<string, string | undefined>> }} Arguments
 */

/** @type {(message: string) => never} */
const refuse = (message) => {
  console.error(message)
  process.exit(2)
}

/**
 * Reads the names and options that a command received. Prints the names and ends with `--list`, prints the usage and ends with `--help`, and ends with
 * exit code 2 if an option or a name is unknown. The value of an option without a value is "".
 *
 * @param {ReadonlyArray<string>} args
 * @param {Command} command
 * @returns {Arguments}
 */
export const readArguments = (args, { command, names = [], options }) => {
  /** @type {Options} */
  const all = { ...(names.length === 0 ? {} : { list: "" }), ...options, help: "" }
  const shown = Object.entries(all).map(([name, value]) => `[--${name}${value === "" ? "" : ` ${value}`}]`)
  const usage = `Usage: ${command}${command.includes(" -- ") ? "" : " --"} ${[...shown, ...(names.length === 0 ? [] : ["[name ...]"])].join(" ")}`
  const { positionals, tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, { type: value === "" ? "boolean" : "string" }])
    )
  })
  /** @type {Record<string, string>} */
  const values = {}
  for (const token of tokens) {
    if (token.kind !== "option") continue
    const { name, rawName, value } = token
    const needed = Object.hasOwn(all, name) ? all[name] : undefined
    if (needed === undefined) refuse(`There is no option ${rawName}.\n${usage}`)
    if (needed !== "" && value === undefined) refuse(`${rawName} needs a value.\n${usage}`)
    if (needed === "" && value !== undefined) refuse(`${rawName} has no value.\n${usage}`)
    values[name] = value ?? ""
  }
  if (values.help !== undefined) {
    console.log(usage)
    process.exit(0)
  }
  if (values.list !== undefined) {
    const width = Math.max(...names.map(([name]) => name.length))
    for (const [name, about] of names) if (about !== undefined) console.log(`${name.padEnd(width)}  ${about}`)
    process.exit(0)
  }
  const unknown = positionals.filter((name) => !names.some(([known]) => known === name))
  if (unknown.length > 0) {
    const list = names.length === 0 ? "" : ` \`${command} -- --list\` prints the names.`
    refuse(`There is no ${unknown.join(", ")}.${list}\n${usage}`)
  }
  return { names: positionals, values }
}
