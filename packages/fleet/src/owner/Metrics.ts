/**
 * The metrics of a fleet, with the label `egress` except for the last two. Gauges of the ledger are computed by the transport's `Gauges.refresh`, and
 * every process reports them for the whole ledger.
 *
 * @sibling
 */
import * as Metric from "effect/Metric"

/** Ended runs of exports, by `egress` and `outcome`: `done`, `incomplete`, `failed`, `stopped` or `lost`. */
export const exports = Metric.counter("venue_fleet_exports_total", {
  description: "runs of exports that ended",
  incremental: true
})

/** Exports that run, by `egress`. */
export const running = Metric.gauge("venue_fleet_running", { description: "exports that run" })

/** Calls per second over the last report, by `egress`. */
export const callsPerSecond = Metric.gauge("venue_fleet_calls_per_second", { description: "calls per second" })

/** Exports that are due and wait for their run, by `egress`. */
export const due = Metric.gauge("venue_fleet_due", { description: "exports that are due and do not run" })

/** Exports that wait for another attempt, by `egress`. */
export const failing = Metric.gauge("venue_fleet_failing", { description: "exports that wait for another attempt" })

/** Exports whose last manifest has gaps that the next run reads again, by `egress`. */
export const incomplete = Metric.gauge("venue_fleet_incomplete", {
  description: "exports with gaps that the next run reads again"
})

/** Exports whose last manifest lacks rows that no later run can add, or has conflicting rows, by `egress`. */
export const lost = Metric.gauge("venue_fleet_lost", {
  description: "exports that lack rows which no later run can add"
})

/** Accounts with stopped exports, which run again only after a change of the accounts, by `egress`. */
export const stoppedAccounts = Metric.gauge("venue_fleet_stopped_accounts", {
  description: "accounts with exports that are stopped"
})

/**
 * Seconds since the owner of an address last reported to the ledger, by `egress`. An owner reports every 10 seconds. Infinite if the address never had
 * an owner.
 */
export const ownerSilence = Metric.gauge("venue_fleet_owner_silence_seconds", {
  description: "seconds since the owner of an address last reported"
})

/**
 * Seconds since the last run of an export without open gaps began, or since the export was declared, by `account` and `part`. Reported for the 1,000 exports
 * that are furthest behind their period, without finished and paused ones.
 */
export const exportAge = Metric.gauge("venue_fleet_export_age_seconds", {
  description: "seconds since the last export without open gaps"
})

/** How often the same exports are due, in seconds. */
export const exportPeriod = Metric.gauge("venue_fleet_export_period_seconds", {
  description: "how often an export is due"
})
