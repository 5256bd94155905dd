import * as Either from "effect/Either"
import * as Fleet from "./Fleet.js"
import * as KillExports from "./KillExports.js"
import * as KillWrites from "./KillWrites.js"
import * as SharedLimits from "./SharedLimits.js"
import type * as Workload from "./shared/Workload.js"

export const workloads = {
  fleet: Fleet.workload,
  "kill-exports": KillExports.workload,
  "kill-writes": KillWrites.workload,
  "shared-limits": SharedLimits.workload
} as const satisfies Readonly<Record<string, Workload.Workload>>

/** The workload that the arguments name, and its options; or their mistake. */
export const requestOf = (words: ReadonlyArray<string>) => {
  const [name = "", ...given] = words.flatMap((word) => (word === "--" ? [] : word.split("=")))
  const workload: Workload.Workload | undefined = Object.hasOwn(workloads, name)
    ? workloads[name as keyof typeof workloads] // `hasOwn` has just found it.
    : undefined
  if (workload === undefined) {
    const all = Object.entries(workloads).map(([name, { title }]) => `${name} (${title})`)
    return Either.left(`there is no workload ${name}: ${all.join(", ")}`)
  }
  const options = new Map(Object.entries(workload.defaults))
  for (let index = 0; index < given.length; index += 2) {
    const option = (given[index] ?? "").replace(/^--/, "")
    const value = given[index + 1] ?? "nothing"
    if (!options.has(option) || !/^\d{1,9}$/.test(value) || (option !== "seed" && Number(value) < 1)) {
      const usage = [...options.keys()].map((key) => `--${key} N`).join(" ")
      return Either.left(`${given[index] ?? ""} ${value} is not an option of ${name}: ${usage}, whole numbers above 0`)
    }
    options.set(option, Number(value))
  }
  return Either.right({ name, workload, options })
}
