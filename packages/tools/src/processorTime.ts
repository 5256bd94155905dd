/** The processor time of the tests: `testSetup.ts` measures it in the worker, `TestReporter.ts` prints it. */
import * as fs from "node:fs"

/** Processor time in seconds. */
export interface ProcessorTime {
  /** Of the test's own process. */
  readonly own: number
  /**
   * Of the processes it started that have ended, and of those that they waited for. Known on Linux alone: 0 elsewhere.
   */
  readonly children: number
}

/** The fields `cutime` and `cstime` of proc(5) follow the name of the process, which may contain spaces and parentheses. */
const childrenTicks = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return Number(fields[13]) + Number(fields[14])
}

/** The unit of proc(5) is 1/100 s on every architecture that Node runs on. */
const ticksPerSecond = 100

const childrenSeconds = (): number => {
  try {
    return childrenTicks(fs.readFileSync("/proc/self/stat", "utf8")) / ticksPerSecond
  } catch {
    return 0
  }
}

/** Of this process alone, since its start, in seconds. */
export const ownSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

/** The processor time of this process since its start. */
export const processorTime = (): ProcessorTime => ({ own: ownSeconds(), children: childrenSeconds() })
