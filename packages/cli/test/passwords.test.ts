import * as Secrets from "@effect-venue/testing/Secrets"
import * as fs from "node:fs"
import * as path from "node:path"
import { expect, it } from "vitest"
import { folder, venue } from "./utils/venue.js"

type Call = readonly [args: ReadonlyArray<string>, environment?: Readonly<Record<string, string>>]

const accounts = (proxy: string): string => {
  const file = path.join(folder(), "proxies.json")
  const declared = {
    baseUrl: "https://venue.example",
    from: "2026-01-01",
    datasets: ["executions"],
    egresses: [{ name: "a", proxy }],
    accounts: { main: { masterUid: "1" } }
  }
  fs.writeFileSync(file, JSON.stringify(declared))
  return file
}

/** All that takes a URL, in its place and out of it. */
const calls: Readonly<Record<string, (url: string) => Call>> = {
  "venue verify": (url) => [["verify", url]],
  "venue verify, beside a folder": (url) => [["verify", "folder", url]],
  "venue verify env:NAME": (url) => [["verify", "env:BOOKS_URL"], { BOOKS_URL: url }],
  "venue report": (url) => [["report", url]],
  "venue fleet status --database": (url) => [["fleet", "status", "--database", url]],
  "venue fleet status --database env:NAME": (url) => [
    ["fleet", "status", "--database", "env:BOOKS_URL"],
    { BOOKS_URL: url }
  ],
  "venue fleet run --database": (url) => [["fleet", "run", accounts("http://host:1"), `--database=${url}`]],
  "venue fleet run, as the file": (url) => [["fleet", "run", url]],
  "a proxy in the file of venue fleet run": (url) => [["fleet", "run", accounts(url), "--once"]],
  "an option that is misspelled": (url) => [["verify", `--databse=${url}`]],
  "an option that takes no URL": (url) => [["export", "--from", url]],
  "the name of a command": (url) => [[url]],
  VENUE_BASE_URL: (url) => [
    ["call", "instruments.list", "{}"],
    { VENUE_BASE_URL: url, VENUE_API_KEY: "EXAMPLEKEY0001", VENUE_API_SECRET: "example-secret-0001" }
  ]
}

/** Addresses with a password: malformed, and of a database that does not exist. */
const urls = {
  ...Secrets.makeMalformedUrls("postgres"),
  "no database behind it": `postgres://user:${Secrets.password}@127.0.0.1:9/books`
}

it.each(Object.entries(calls))("%s fails for a malformed URL and does not print its password", async (_, call) => {
  for (const [name, url] of Object.entries(urls)) {
    const { code, err, out, progress } = await venue(...call(url))
    expect(code, name).not.toBe(0)
    expect(err, name).toMatch(/^venue: ./)
    expect(`${out}${err}${progress ?? ""}`, name).not.toContain(Secrets.password)
  }
})
