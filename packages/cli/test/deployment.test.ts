import * as FleetMetrics from "@effect-venue/fleet/siblings/Metrics"
import * as Gauges from "@effect-venue/transport/siblings/GaugeReadings"
import * as TransportMetrics from "@effect-venue/transport/Metrics"
import { Effect, Metric, MetricLabel, Predicate } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { ofProcess } from "../src/monitor/server.js"
import { folder as temporary, venue } from "./utils/venue.js"

// The files of docs/operations.

const folder = fileURLToPath(new URL("../../../docs/operations", import.meta.url))

const textOf = (name: string): string => fs.readFileSync(path.join(folder, name), "utf8")

interface Rule {
  readonly alert: string
  readonly expr: string
}

interface Panel {
  readonly title: string
  readonly targets: ReadonlyArray<{ readonly expr: string }>
}

const rules = (
  parse(textOf("alerts.yml")) as { readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }> }
).groups.flatMap(({ rules }) => rules)

const { panels } = JSON.parse(textOf("dashboard.json")) as { readonly panels: ReadonlyArray<Panel> }

const isMetric = (value: unknown): value is Metric.Metric<unknown, number, unknown> =>
  Predicate.hasProperty(value, Metric.MetricTypeId)

/** The names of all metrics of the packages, as the registry has them once each was set. */
const exported = (): ReadonlySet<string> => {
  const of = [MetricLabel.make("of", "deployment")]
  for (const value of Object.values<unknown>({ ...FleetMetrics, ...Gauges, ...TransportMetrics })) {
    if (isMetric(value)) value.unsafeUpdate(0, of)
  }
  const pairs = Effect.runSync(Metric.snapshot)
  return new Set([...pairs.map(({ metricKey }) => metricKey.name), ...Object.keys(ofProcess()), "up"])
}

const used = (expr: string): ReadonlyArray<string> => expr.match(/\b(?:(?:venue|process)_[a-z_]+|up)\b/g) ?? []

describe("the files of docs/operations", () => {
  it.each([
    ...rules.map(({ alert, expr }) => [alert, [expr]] as const),
    ...panels.map(({ targets, title }) => [title, targets.map(({ expr }) => expr)] as const)
  ])("use metrics that exist (%s)", (_, exprs) => {
    const names = exported()
    const missing = exprs.flatMap(used).filter((name) => !names.has(name))
    expect(exprs.flatMap(used).length).toBeGreaterThan(0)
    expect(missing).toEqual([])
  })

  it("explain what to do when each alert fires", () => {
    const headings = [...textOf("README.md").matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
    expect(headings).toEqual(rules.map(({ alert }) => alert))
  })

  const unit = /^ExecStart=\/usr\/bin\/venue (?<words>.*)$/m.exec(textOf("venue-fleet.service"))?.groups?.words
  const { services } = parse(textOf("compose.yaml")) as {
    readonly services: Record<string, { readonly command?: ReadonlyArray<string> }>
  }
  it.each([
    ["the unit", unit?.split(" ") ?? []],
    ["fleet-a of the compose file", services["fleet-a"]?.command?.slice(1) ?? []],
    ["fleet-b of the compose file", services["fleet-b"]?.command?.slice(1) ?? []]
  ])("call the command with options that it has: it looks for the accounts (%s)", async (_, words) => {
    const free = words.map((word) => (word === "9464" ? "0" : word === "0.0.0.0" ? "127.0.0.1" : word))
    const { code, err } = await venue(free, { DATABASE_URL: "postgres://127.0.0.1:9/books" })
    expect(code).toBe(2)
    expect(err).toMatch(/"message":"[^"]*accounts\.json: it does not exist, or cannot be read/)
  })

  const isMissing = spawnSync("promtool", ["--version"]).status !== 0
  it.skipIf(isMissing)("fire as their tests expect, with promtool of Debian's package prometheus", () => {
    const { output, status } = spawnSync("promtool", ["test", "rules", "alerts.test.yml"], {
      cwd: folder,
      encoding: "utf8"
    })
    expect({ status, output }).toEqual({ status: 0, output: [null, expect.stringContaining("SUCCESS"), ""] })
  })

  const isUnverified = spawnSync("systemd-analyze", ["--version"]).status !== 0
  it.skipIf(isUnverified)("have a unit that systemd-analyze accepts (skipped without systemd)", () => {
    // It looks for the program.
    const unit = path.join(temporary(), "venue-fleet.service")
    fs.writeFileSync(unit, textOf("venue-fleet.service").replace("/usr/bin/venue", process.execPath))
    const { stderr, stdout } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" })
    // Units of the machine that ours depends on can have warnings.
    expect(`${stdout}${stderr}`.split("\n").filter((line) => line.includes("venue-fleet"))).toEqual([])
  })

  it.skipIf(isMissing)("have a configuration of Prometheus that promtool accepts", () => {
    const folder = temporary()
    const { configs } = parse(textOf("compose.yaml")) as {
      readonly configs: Record<string, { readonly content: string }>
    }
    fs.writeFileSync(path.join(folder, "prometheus.yml"), configs.prometheus?.content ?? "")
    fs.writeFileSync(path.join(folder, "alerts.yml"), textOf("alerts.yml"))
    const { output, status } = spawnSync("promtool", ["check", "config", "prometheus.yml"], {
      cwd: folder,
      encoding: "utf8"
    })
    expect({ status, output }).toEqual({ status: 0, output: [null, expect.stringContaining("5 rules found"), ""] })
  })
})
