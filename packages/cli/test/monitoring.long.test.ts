import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { declare, password, schemaNamed, server } from "./utils/fleets.js"
import { metricsAt, metricsOf, scrape, until, valuesOf } from "./utils/scrape.js"
import { ago, exchange, launch, type Running } from "./utils/venue.js"

// Three processes of a fleet on one Postgres are scraped, while one of them is killed and one address is banned.

const { credentials, sandbox } = await exchange({ limits: "off" })

const database = schemaNamed("fleet_scraped")

const egresses = ["second", "third", "fourth"]

const roles = ["main", "sub", "customer"] as const

interface Member extends Running {
  readonly url: string
}

/** Starts a process and waits until it is ready. */
const member = async (file: string): Promise<Member> => {
  let output = ""
  const args = ["fleet", "run", file, "--database", "env:DATABASE_URL", "--metrics-port", "0", "--log-format", "json"]
  const running = launch(args, { DATABASE_URL: database.address }, (text) => (output = text))
  const url = await metricsAt(() => output)
  const readiness = async () => {
    const answer = await fetch(`${url}/readyz`)
    return `${answer.status} ${await answer.text()}\n${output}`
  }
  await until(readiness, (answer) => answer.startsWith("200 "))
  return { ...running, url }
}

const silences = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    valuesOf(text, "venue_fleet_owner_silence_seconds").map(({ labels, value }) => [labels.egress ?? "", value])
  )

const bans = (text: string) => valuesOf(text, "venue_ban_seconds").filter(({ value }) => value > 0)

describe.skipIf(server.isSkipped)(`three processes of a fleet that are scraped, ${server.label}`, () => {
  beforeAll(database.create)
  afterAll(database.drop)

  it("report a banned address, and the silence of a killed process until its address has a new owner", async () => {
    const accounts = Object.fromEntries(
      roles.map((role, index) => [role, { masterUid: role, egress: egresses[index], every: "1 minute", to: undefined }])
    )
    const file = declare(credentials, "scraped", accounts, {
      from: ago(2),
      to: undefined,
      egresses: egresses.map((name, index) => ({ name, localAddress: `127.0.0.${index + 2}` }))
    })
    const members = [await member(file), await member(file), await member(file)]
    const first = members[0] ?? expect.fail("no process")
    await scrape(first.url, (text) => {
      const found = silences(text)
      return egresses.every((egress) => (found[egress] ?? Infinity) < 15)
    })

    // The next call is refused as banned.
    await Effect.runPromise(sandbox.faults.set([{ fault: { kind: "ban" }, count: 1 }]))
    const banned = await Promise.race(
      members.map(async ({ url }) => bans(await scrape(url, (text) => bans(text).length > 0)))
    )
    expect(banned).toHaveLength(1)
    expect(banned[0]?.labels.address).toBe(new URL(credentials.main.baseUrl).host)
    expect(banned[0]?.value).toBeGreaterThan(540)
    expect(banned[0]?.value).toBeLessThanOrEqual(600)

    const [owner] = await database.query<{ readonly name: string; readonly pid: string }>(
      `SELECT name, split_part(owner, ' ', -1) AS pid FROM venue_fleet_egresses WHERE name <> '${banned[0]?.labels.egress}' LIMIT 1`
    )
    const { name: egress, pid } = owner ?? expect.fail("no owner")
    const killed = members.find((each) => each.pid === Number(pid)) ?? expect.fail("no such process")
    const [survivor] = members.filter((each) => each !== killed)
    const { url } = survivor ?? expect.fail("no survivor")
    // Its address has a new owner after at least eight seconds: a process that has just reported would not be silent for long enough.
    await scrape(url, (text) => (silences(text)[egress] ?? 0) > 5)
    killed.kill("SIGKILL")
    await killed.ended
    await expect(fetch(`${killed.url}/metrics`)).rejects.toThrow()
    // An owner that lives reports every ten seconds.
    const silent = await scrape(url, (text) => (silences(text)[egress] ?? 0) > 11)
    expect(valuesOf(silent, "venue_fleet_owner_silence_seconds")).toHaveLength(3)
    await scrape(url, (text) => (silences(text)[egress] ?? Infinity) < 10)

    const texts = await Promise.all(members.filter((each) => each !== killed).map(({ url }) => metricsOf(url)))
    for (const text of texts) {
      expect(
        valuesOf(text, "venue_fleet_export_age_seconds")
          .map(({ labels }) => labels.account)
          .sort()
      ).toEqual([...roles].sort())
    }
    members.forEach((each) => each.kill("SIGTERM"))
    const ended = await Promise.all(members.map(({ ended }) => ended))
    const all = [...texts, ...ended.flatMap(({ err, out }) => [err, out])].join("\n")
    for (const role of roles) {
      for (const secret of [credentials[role].apiKey, credentials[role].apiSecret]) {
        expect(all).not.toContain(Redacted.value(secret))
      }
    }
    expect(all).not.toContain(password)
  })
})
