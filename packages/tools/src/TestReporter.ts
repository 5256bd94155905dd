/**
 * What a run of the tests prints: a line of progress now and then, failures in full, and one page with the totals and what takes
 * most processor time. `testSetup.ts` measures it.
 */
import type { RunnerTestFile, TestModule, TestSpecification } from "vitest/node"
import { DefaultReporter } from "vitest/reporters"
import { processorTime, type ProcessorTime } from "./processorTime.js"

const rowsOfATable = 10

const millisBetweenProgress = 20_000

interface Row {
  readonly name: string
  readonly processor: ProcessorTime
  /** In seconds. */
  readonly clock: number
  /** The longest time for which the event loop did not turn, in seconds of processor time: 0 where it was not measured. */
  readonly turn: number
}

const both = ({ children, own }: ProcessorTime): number => own + children

const sum = (times: ReadonlyArray<ProcessorTime>): ProcessorTime => ({
  own: times.reduce((seconds, { own }) => seconds + own, 0),
  children: times.reduce((seconds, { children }) => seconds + children, 0)
})

const line = (processor: string, children: string, clock: string, turn: string, name: string): string =>
  `  ${processor.padStart(9)}  ${children.padStart(8)}  ${clock.padStart(6)}  ${turn.padStart(4)}  ${name}`

const table = (title: string, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.length === 0
    ? []
    : [
        "",
        title,
        line("processor", "children", "clock", "turn", ""),
        ...[...rows]
          .sort((a, b) => both(b.processor) - both(a.processor))
          .slice(0, rowsOfATable)
          .map(({ clock, name, processor, turn }) =>
            line(both(processor).toFixed(1), processor.children.toFixed(1), clock.toFixed(1), turn.toFixed(1), name)
          )
      ]

export default class TestReporter extends DefaultReporter {
  private lastProgress = performance.now()
  private files = 0

  constructor() {
    // The summary of the default reporter redraws itself on a terminal.
    super({ summary: false })
  }

  override onTestRunStart(specifications: ReadonlyArray<TestSpecification>): void {
    super.onTestRunStart(specifications)
    this.files = specifications.length
  }

  /** Files that passed are only counted; the default reporter prints what failed, with its tests. */
  protected override printTestModule(testModule: TestModule): void {
    if (testModule.state() === "failed") super.printTestModule(testModule)
    else this.printProgress()
  }

  private printProgress(): void {
    const now = performance.now()
    if (now - this.lastProgress < millisBetweenProgress) return
    this.lastProgress = now
    const ended = this.ctx.state.getTestModules().filter((module) => !["queued", "pending"].includes(module.state()))
    const seconds = ((now - this.start) / 1000).toFixed(0)
    this.log(`  ${ended.length} of ${this.files} files after ${seconds} s`)
  }

  override reportTestSummary(files: Array<RunnerTestFile>, errors: Array<unknown>): void {
    const modules = this.ctx.state.getTestModules()
    const lines = [
      ...table(
        "Slowest files by processor time, in seconds",
        modules.flatMap((module) => this.rowOfFile(module))
      ),
      ...table(
        "Slowest tests by processor time, in seconds",
        modules.flatMap((module) => this.rowsOfTests(module))
      )
    ]
    lines.forEach((text) => this.log(text))
    super.reportTestSummary(files, errors)
    const tests = sum(modules.flatMap((module) => module.meta().processorTime ?? []))
    this.log(
      [
        `  Processor  ${(both(tests) + processorTime().own).toFixed(1)}s:`,
        `${tests.own.toFixed(1)}s in the files, ${tests.children.toFixed(1)}s in processes that they started,`,
        `${processorTime().own.toFixed(1)}s in the runner; the start of the workers is not included\n`
      ].join(" ")
    )
  }

  private rowOfFile(module: TestModule): ReadonlyArray<Row> {
    const processor = module.meta().processorTime
    const { collectDuration, duration, setupDuration } = module.diagnostic()
    const clock = (setupDuration + collectDuration + duration) / 1000
    const turn = Math.max(0, ...[...module.children.allTests()].map((test) => test.meta().longestTurn ?? 0))
    return processor === undefined ? [] : [{ name: this.relative(module.moduleId), processor, clock, turn }]
  }

  private rowsOfTests(module: TestModule): ReadonlyArray<Row> {
    return [...module.children.allTests()].flatMap((test) => {
      const { longestTurn: turn = 0, processorTime: processor } = test.meta()
      const clock = (test.diagnostic()?.duration ?? 0) / 1000
      const name = `${this.relative(module.moduleId)} > ${test.fullName}`
      return processor === undefined ? [] : [{ name, processor, clock, turn }]
    })
  }
}
