import type * as Manifest from "@effect-venue/history/Manifest"
import { formatInstant } from "@effect-venue/schemas/siblings/Words"
import { version } from "../run/invocation.js"
import { section } from "./elements.js"
import { html, type Html } from "./html.js"
import type { Report } from "../figures/readReport.js"

// The origin of a page, for auditors.

const distinct = (values: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(values)]

/** The account of a part: its name, and its UID if the credentials declare it. */
const accountOf = ({ account, identity }: Manifest.Part): string => {
  const uid = identity.uid ?? undefined
  const named = account ?? (uid === undefined ? "not named" : "")
  return [named, uid === undefined ? "" : `UID ${uid}`].filter((text) => text !== "").join(", ")
}

export const accounts = ({ manifest }: Report): ReadonlyArray<string> => distinct(manifest.parts.map(accountOf))

export const sources = ({ manifest }: Report): ReadonlyArray<string> =>
  distinct(manifest.parts.map(({ identity }) => identity.host))

const entries = (report: Report): ReadonlyArray<readonly [name: string, value: string]> => {
  const { manifest } = report
  const { run } = manifest
  return [
    ["Account", accounts(report).join("; ")],
    ["Source", sources(report).join("; ")],
    ["Export", `${report.location}, ${manifest.format}`],
    ["Written at", `${formatInstant(run.endedAt)} UTC, begun at ${formatInstant(run.startedAt)} UTC`],
    ["Version", `manifest ${manifest.version}; page by venue ${version}`],
    ["Digest", `SHA-256 of the manifest ${report.digest}`]
  ]
}

export const provenanceSection = (report: Report): Html =>
  section(
    "About this export",
    false,
    html`<div class="card">
      <dl class="entries">
        ${entries(report).map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`
        )}
      </dl>
      <p class="note">The manifest has the SHA-256 of every file: the digest stands for all of them.</p>
    </div>`
  )
