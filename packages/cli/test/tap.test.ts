import type * as Singer from "@effect-venue/history/Singer"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { ago, folder, linesOf, sharedExchange, variablesOf, venue } from "./utils/venue.js"

const shared = sharedExchange({ limits: "off" })

const write = (name: string, content: unknown) => {
  fs.writeFileSync(path.join(folder(), name), JSON.stringify(content))
  return name
}

const range = {
  start_date: ago(5),
  end_date: ago(1),
  datasets: ["executions", "transfers"],
  categories: ["linear", "spot"]
}

const messagesOf = (out: string) => linesOf(out).map((line) => JSON.parse(line) as Singer.Message)

describe("venue tap", () => {
  it("prints schemas, every row and a final state, and nothing new from that state", async () => {
    const config = write("tap.json", range)
    const { code, err, out } = await venue(["tap", "--config", config], shared.current().variables)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const messages = messagesOf(out)
    expect(
      messages.filter(({ type }) => type === "SCHEMA").map((one) => (one.type === "SCHEMA" ? one.stream : ""))
    ).toEqual(["executions-spot", "executions-linear", "transfers"])
    const records = messages.filter(({ type }) => type === "RECORD")
    expect(records.length).toBeGreaterThan(100)
    const last = messages.at(-1)
    const state = write("state.json", last?.type === "STATE" ? last.value : undefined)
    const again = await venue(["tap", "--config", config, "--state", state], shared.current().variables)
    expect(messagesOf(again.out).filter(({ type }) => type === "RECORD")).toEqual([])
  })

  it("ends with 1 while a range can lack rows, and the next run with its state brings these rows", async () => {
    const config = write("tap.json", { ...range, datasets: ["executions"], categories: ["linear"] })
    const whole = await venue(["tap", "--config", config], shared.current().variables)
    await shared.faults({ fault: { kind: "missingCursor" }, operations: ["executions.list"] })
    const bad = await venue(["tap", "--config", config], shared.current().variables)
    expect(bad.code).toBe(1)
    expect(bad.err).toMatch(
      /^missing {3}executions-linear, .*: a page did not say whether another one follows\nvenue: the streams can lack/
    )
    await shared.faults()
    const last = messagesOf(bad.out).at(-1)
    const state = write("state.json", last?.type === "STATE" ? last.value : undefined)
    const next = await venue(["tap", "--config", config, "--state", state], shared.current().variables)
    expect({ code: next.code, err: next.err }).toEqual({ code: 0, err: "" })
    const keysOf = (out: string) =>
      messagesOf(out).flatMap((each) => (each.type === "RECORD" ? [each.record.venue_key] : []))
    expect([...keysOf(bad.out), ...keysOf(next.out)].toSorted()).toEqual(keysOf(whole.out).toSorted())
  })

  it("accepts states and settings of other conventions, with a notice of what it does not know", async () => {
    const config = write("tap.json", { ...range, datasets: ["transfers"], categories: [], batch_size: 5 })
    const first = await venue(["tap", "--config", config], shared.current().variables)
    expect(first.err).toBe("--config: tap.json has the unknown field batch_size, which is ignored\n")
    const last = messagesOf(first.out).at(-1)
    const value = last?.type === "STATE" ? last.value : undefined
    for (const each of [{ singer_state: value }, { ...value, currently_syncing: "transfers" }]) {
      const state = write("state.json", each)
      const { code, err, out } = await venue(["tap", "--config", config, "--state", state], shared.current().variables)
      expect({ code, err }).toEqual({ code: 0, err: first.err })
      expect(messagesOf(out).filter(({ type }) => type === "RECORD")).toEqual([])
    }
  })

  const streamsOf = async (config: unknown) => {
    const args = ["tap", "--config", write("tap.json", config), "--discover"]
    const { code, err, out } = await venue(args, shared.current().variables)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const { streams } = JSON.parse(out) as { readonly streams: ReadonlyArray<{ readonly tap_stream_id: string }> }
    return streams.map(({ tap_stream_id }) => tap_stream_id)
  }

  it("accepts the file of docs/books.md, and takes of each dataset those of the categories that it has", async () => {
    const page = fs.readFileSync(new URL("../../../docs/books.md", import.meta.url), "utf8")
    const [, text = ""] = /```json\n(\{\n {2}"start_date".*?)```/s.exec(page) ?? []
    const example = JSON.parse(text) as typeof range
    const streams = ["executions-spot", "executions-linear", "closed-pnl-linear", "transfers"]
    expect(await streamsOf(example)).toEqual(streams)
    const config = write("tap.json", { ...example, start_date: ago(3), end_date: ago(2) })
    const { code, err, out } = await venue(["tap", "--config", config], shared.current().variables)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(messagesOf(out).flatMap((each) => (each.type === "SCHEMA" ? [each.stream] : []))).toEqual(streams)
  })

  it("takes every category if none is named", async () => {
    const { start_date } = range
    expect(await streamsOf({ start_date, datasets: ["closed-pnl", "transfers"] })).toEqual([
      "closed-pnl-linear",
      "closed-pnl-inverse",
      "transfers"
    ])
    expect(await streamsOf({ start_date })).toEqual(expect.arrayContaining(["executions-spot", "closed-pnl-inverse"]))
  })

  it("reads the streams that a catalog selects", async () => {
    const config = write("tap.json", range)
    const discovered = await venue(["tap", "--config", config, "--discover"], shared.current().variables)
    const catalog = JSON.parse(discovered.out) as {
      readonly streams: ReadonlyArray<{
        readonly tap_stream_id: string
        readonly metadata: ReadonlyArray<{ readonly metadata: Record<string, unknown> }>
      }>
    }
    for (const { metadata, tap_stream_id } of catalog.streams) {
      for (const one of metadata) one.metadata.selected = tap_stream_id === "transfers"
    }
    const { code, out } = await venue(
      ["tap", "--config", config, "--catalog", write("catalog.json", catalog)],
      shared.current().variables
    )
    expect(code).toBe(0)
    expect(
      messagesOf(out)
        .map((one) => ("stream" in one ? one.stream : "transfers"))
        .every((name) => name === "transfers")
    ).toBe(true)
  })

  it("reads the account from its file, and never prints the secret", async () => {
    const {
      VENUE_API_KEY: api_key,
      VENUE_API_SECRET: api_secret,
      VENUE_BASE_URL: base_url
    } = variablesOf(shared.current().credentials.sub)
    const config = write("tap.json", {
      ...range,
      datasets: ["transfers"],
      categories: [],
      api_key,
      api_secret,
      base_url
    })
    expect(await venue(["tap", "--config", config])).toMatchObject({ code: 0, err: "" })
    const wrong = write("wrong.json", { ...range, api_secret: 7, api_key: "SECRETKEY" })
    const refused = await venue(["tap", "--config", wrong])
    expect(refused).toMatchObject({ code: 2, err: "venue: --config: wrong.json has no valid api_secret\n" })
  })

  const refused: ReadonlyArray<readonly [config: unknown, message: string]> = [
    [{}, "--config: bad.json has no valid start_date"],
    [{ start_date: "soon" }, '--config: start_date "soon" must be'],
    [
      { ...range, datasets: ["executions", "closed-pnl"], categories: ["spot"] },
      "closed-pnl: category must be linear or inverse"
    ],
    [{ ...range, datasets: ["fills"] }, "--config: the dataset fills is unknown: it is one of"]
  ]
  for (const [config, message] of refused) {
    it(`refuses ${JSON.stringify(config)}`, async () => {
      const { code, err } = await venue(["tap", "--config", write("bad.json", config)], shared.current().variables)
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    })
  }
})
