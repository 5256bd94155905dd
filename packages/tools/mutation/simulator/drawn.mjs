/** Mutants at random places of what sends, waits and judges answers, made by Stryker's mutators. */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { equivalent, withoutLine } from "./equivalent.mjs"
import { packages } from "./trial.mjs"

/** The rooms of a call that the simulator answers for, and the modules that they stand behind. */
const rooms = ["call", "attempt", "response", "stores", "limits", "bans", "journal"].map(
  (room) => `transport/src/${room}`
)

/**
 * A file of warnings; one of the journal in SQL, which the world does not have; and one that checks requests and words their refusals, which has tables of its
 * own.
 */
const leftOut = ["reachability.ts", "outsideTransaction.ts", "codec.ts"]

/** The public modules that it answers for. */
const judged = ["RateLimiter.ts", "BanGate.ts"]

const files = [
  ...rooms.flatMap((room) =>
    readdirSync(path.join(packages, room))
      .filter((file) => (/^[a-z]/.test(file) || judged.includes(file)) && !leftOut.includes(file))
      .map((file) => `${room}/${file}`)
  )
]

/**
 * Lines that say something to a person and decide nothing: spans, metrics, log lines, the text of failures, states that are only shown.
 * No rule of a judge is about them.
 */
const silent =
  /telemetry|[mM]etric|[tT]rac(er|ing)|isDeparted|\breport(Reached)?\(|\blog(Debug|Warning|ged)\b|annotateLogs|[mM]essage|detail|retMsg|describeCause|Duration\.format|description|excerpt|scrub|operation|dropped|waitingFor|waited|^import|Context\.(Tag|Reference)|@effect-venue/

/** Two words in a text: it is for a person. */
const sentence = /^["`'].*[a-z] [a-z]/i

/** The instrumenter comes with Stryker, and has no name of its own here. */
const instrumenter = async () => {
  const core = createRequire(import.meta.url).resolve("@stryker-mutator/core")
  return import(pathToFileURL(createRequire(core).resolve("@stryker-mutator/instrumenter")).href)
}

const ignore = () => undefined
const quiet = { isDebugEnabled: () => false, debug: ignore, info: ignore, warn: ignore }

/** The offset of a line and a column in a text. */
const offsetOf = (text) => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return ({ column, line }) => starts[line] + column
}

const lineAt = (text, at) => text.slice(text.lastIndexOf("\n", at - 1) + 1).split("\n")[0]

const mutantsOf = async (Instrumenter, file) => {
  const full = path.join(packages, file)
  const content = readFileSync(full, "utf8")
  const options = { plugins: null, ignorers: [], excludedMutations: [], noHeader: true }
  const { mutants } = await new Instrumenter(quiet).instrument([{ name: full, mutate: true, content }], options)
  const offset = offsetOf(content)
  return mutants.map(({ location, mutatorName, replacement }) => {
    const [start, end] = [offset(location.start), offset(location.end)]
    const original = content.slice(start, end)
    const name = `${file}:${location.start.line + 1} ${mutatorName}: ${short(original)} -> ${short(replacement)}`
    const isText = mutatorName === "StringLiteral" && sentence.test(original)
    return { file: full, start, end, replacement, name, isText, line: lineAt(content, start) }
  })
}

const short = (text) => text.replaceAll(/\s+/g, " ").slice(0, 60)

/** Numbers below `count` in an order that the seed decides. */
const shuffled = (count, seed) => {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
  const order = Array.from({ length: count }, (_, index) => index)
  for (let index = count - 1; index > 0; index--) {
    const other = Math.floor(next() * (index + 1))
    ;[order[index], order[other]] = [order[other], order[index]]
  }
  return order
}

/** `count` mutants that bear on what the judges see, drawn by a seed, without those that are argued to do the same. */
export const draw = async (count, seed) => {
  const { Instrumenter } = await instrumenter()
  const all = (await Promise.all(files.map((file) => mutantsOf(Instrumenter, file)))).flat()
  const judged = all.filter(({ isText, line }) => !isText && !silent.test(line))
  const drawn = shuffled(judged.length, seed).map((index) => judged[index])
  return {
    total: all.length,
    judged: judged.length,
    mutants: drawn.filter(({ name }) => !(withoutLine(name) in equivalent)).slice(0, count)
  }
}
