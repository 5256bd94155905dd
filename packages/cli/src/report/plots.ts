/** The plots of a report, as SVG text. Money becomes a number only here, as the position of a mark; labels have the exact amount. */
import * as Plot from "@observablehq/plot"
import { DOMImplementation, XMLSerializer } from "@xmldom/xmldom"
import * as BigDecimal from "effect/BigDecimal"
import * as coverage from "../figures/coverage.js"
import { Html, plain } from "./html.js"
import * as money from "../figures/money.js"
import type { Period } from "../figures/period.js"
import type { Covered } from "../figures/readReport.js"
import type { Market, Volume } from "../figures/tally.js"
import { countNoun, formatInstant } from "@effect-venue/schemas/siblings/Words"

/** So narrow that the text is still readable on a phone; two drawings stand side by side on a desk. */
const width = 440

/** Draws without a browser. `name` is the name of the chart for screen readers. A stretched one has no text. */
const svg = (name: string, options: Plot.PlotOptions, isStretched = false): Html => {
  const document = new DOMImplementation().createDocument("http://www.w3.org/1999/xhtml", "html", null)
  const drawn = Plot.plot({
    ...options,
    width,
    // This document has only the members that Plot uses, not all of the browser's type.
    document: document as unknown as Document,
    className: "plot",
    style: "font-family: inherit; font-size: 12px; background: transparent"
  })
  // Plot names its groups, which have no role that allows a name: the picture as a whole has one.
  for (const group of Array.from(drawn.getElementsByTagName("g"))) group.removeAttribute("aria-label")
  drawn.setAttribute("role", "img")
  drawn.setAttribute("aria-label", plain(name))
  if (isStretched) drawn.setAttribute("preserveAspectRatio", "none")
  // The same element, called by the types of the library that made it.
  return new Html(
    new XMLSerializer().serializeToString(drawn as unknown as Parameters<XMLSerializer["serializeToString"]>[0])
  )
}

const at = (millis: number): Date => new Date(millis)

const short = (text: string, most: number): string => {
  const shown = plain(text)
  const chars = Array.from(shown)
  return chars.length <= most ? shown : `${chars.slice(0, most - 1).join("")}…`
}

const span = (from: number, to: number): string => `${formatInstant(from)} to ${formatInstant(to)} UTC`

const time = ({ from, to }: Period): Plot.ScaleOptions => ({ type: "utc", domain: [at(from), at(to)], label: null })

const margins = { marginLeft: 70, marginRight: 16 }

const amountAxis = (label: string): Plot.ScaleOptions => ({ label: short(label, 40), grid: true, nice: true, ticks: 5 })

/** A mark of a result: a part of it, or all of it. Its title has the exact amounts. */
export interface Mark {
  readonly month: string
  readonly part: string
  readonly fill: string
  readonly amount: BigDecimal.BigDecimal
  readonly title: string
}

/** The parts of the results of months as bars, and the results as points. A point of a sum that lacks rows is hollow. */
export const results = (
  name: string,
  currency: string,
  bars: ReadonlyArray<Mark>,
  nets: ReadonlyArray<Mark & { readonly isWhole: boolean }>
): Html => {
  const months = [...new Set(nets.map(({ month }) => month))]
  const every = Math.ceil(months.length / 6)
  const place = ({ amount, fill, month, title }: Mark) => ({
    ...{ month, fill, y: money.position(amount), title: plain(title) }
  })
  return svg(name, {
    ...margins,
    height: 220,
    x: {
      type: "band",
      domain: months,
      label: null,
      padding: months.length < 4 ? 0.7 : 0.25,
      tickFormat: (month: string) => (months.indexOf(month) % every === 0 ? month : "")
    },
    y: amountAxis(`${currency} per month`),
    color: { type: "identity" },
    marks: [
      Plot.barY(bars.map(place), { x: "month", y: "y", fill: "fill", rx: 1, className: "part", title: "title" }),
      Plot.ruleY([0], { strokeOpacity: 0.5 }),
      Plot.dot(
        nets.map((net) => ({ ...place(net), fill: net.isWhole ? "var(--text)" : "var(--card)" })),
        {
          ...{ x: "month", y: "y", r: 4, stroke: "var(--text)", strokeWidth: 1.5 },
          ...{ fill: "fill", className: "net", title: "title" }
        }
      )
    ]
  })
}

/** An amount at the end of a step of time, and in all. */
export interface Point {
  readonly to: number
  readonly total: BigDecimal.BigDecimal
  readonly title: string
}

/** The sum up to the end of each step that has rows. */
export const cumulative = (name: string, currency: string, points: ReadonlyArray<Point>, period: Period): Html => {
  const dots = points.map(({ title, to, total }) => ({ x: at(to), y: money.position(total), title: plain(title) }))
  const last = dots.at(-1)
  const line = [{ x: at(period.from), y: 0 }, ...dots, ...(last === undefined ? [] : [{ x: at(period.to), y: last.y }])]
  return svg(name, {
    ...margins,
    height: 220,
    x: time(period),
    y: amountAxis(`${currency} in all`),
    marks: [
      Plot.areaY(line, { x: "x", y1: 0, y2: "y", curve: "step-after", fill: "var(--line)", fillOpacity: 0.14 }),
      Plot.ruleY([0], { strokeOpacity: 0.5 }),
      Plot.line(line, { x: "x", y: "y", curve: "step-after", stroke: "var(--line)", strokeWidth: 2 }),
      Plot.dot(dots, { x: "x", y: "y", r: 3, fill: "var(--line)", className: "point", title: "title" })
    ]
  })
}

/** The number of symbols that get a bar; the others share one. */
export const mostBars = 20

export const barsOf = ({ symbols, total }: Market): ReadonlyArray<Volume> => {
  if (symbols.length <= mostBars) return symbols
  const shown = symbols.slice(0, mostBars - 1)
  const others = symbols.slice(mostBars - 1)
  const left = (of: (volume: Volume) => BigDecimal.BigDecimal) =>
    shown.reduce((rest, volume) => BigDecimal.subtract(rest, of(volume)), of(total))
  return [
    ...shown,
    {
      symbol: countNoun(others.length, "other symbol"),
      value: left(({ value }) => value),
      makerValue: left(({ makerValue }) => makerValue),
      fills: others.reduce((sum, { fills }) => sum + fills, 0),
      makerFills: others.reduce((sum, { makerFills }) => sum + makerFills, 0)
    }
  ]
}

export const volume = (name: string, market: Market): Html => {
  // Shortened names can be equal, so positions are identified by number.
  const bars = barsOf(market).map(({ fills, symbol, value }, index) => ({
    place: String(index),
    name: short(symbol, 14),
    x: money.position(value),
    end: Math.max(money.position(value), 0),
    text: money.text(value),
    title: plain(`${symbol}\n${money.text(value)} ${market.currency}\n${countNoun(fills, "fill")}`)
  }))
  const names = new Map(bars.map(({ name, place }) => [place, name]))
  return svg(name, {
    marginLeft: 112,
    marginRight: 130,
    marginTop: 6,
    height: 46 + bars.length * 22,
    x: { label: short(market.currency, 40), grid: true, nice: true, ticks: 2 },
    y: {
      type: "band",
      domain: bars.map(({ place }) => place),
      label: null,
      tickFormat: (place: string) => names.get(place) ?? "",
      tickSize: 0,
      padding: 0.25
    },
    marks: [
      Plot.barX(bars, { x: "x", y: "place", fill: "var(--line)", rx: 2, className: "symbol", title: "title" }),
      Plot.text(bars, { x: "end", y: "place", text: "text", textAnchor: "start", dx: 6, fill: "currentColor" })
    ]
  })
}

interface Share {
  readonly label: string
  readonly side: "maker" | "taker"
  readonly from: number
  readonly to: number
  readonly percent: string
  readonly title: string
}

const decimal = (count: number): BigDecimal.BigDecimal => BigDecimal.fromBigInt(BigInt(count))

/** How much of a market was traded as maker: by value, and by number of fills. */
const sharesOf = ({ category, currency, total }: Market): ReadonlyArray<Share> =>
  [
    {
      label: `${category}, by value in ${currency}`,
      maker: total.makerValue,
      whole: total.value,
      unit: ` ${currency}`
    },
    {
      label: `${category}, ${currency}, by fills`,
      maker: decimal(total.makerFills),
      whole: decimal(total.fills),
      unit: " fills"
    }
  ].flatMap(({ label, maker, unit, whole }): ReadonlyArray<Share> => {
    if (whole.value === 0n) return []
    const border = money.position(BigDecimal.unsafeDivide(maker, whole))
    const taker = BigDecimal.subtract(whole, maker)
    const share = (side: "maker" | "taker", amount: BigDecimal.BigDecimal, from: number, to: number): Share => {
      const percent = money.share(amount, whole) ?? ""
      const title = `${label}\n${side} ${money.text(amount)}${unit} of ${money.text(whole)}${unit} (${percent})`
      return { label, side, from, to, percent, title: plain(title) }
    }
    return [share("maker", maker, 0, border), share("taker", taker, border, 1)]
  })

export const makerShare = (name: string, markets: ReadonlyArray<Market>): Html => {
  const shares = markets.flatMap(sharesOf)
  const labels = [...new Set(shares.map(({ label }) => label))]
  const marks = (side: "maker" | "taker", fill: string) =>
    Plot.barX(
      shares.filter((share) => share.side === side),
      {
        x1: "from",
        x2: "to",
        y: "label",
        fill,
        className: side,
        title: "title",
        insetLeft: side === "taker" ? 1 : 0
      }
    )
  return svg(name, {
    marginLeft: 168,
    marginRight: 56,
    marginTop: 6,
    height: 46 + labels.length * 22,
    x: { label: null, domain: [0, 1], tickFormat: "%", ticks: 5 },
    y: {
      type: "band",
      domain: labels,
      label: null,
      tickFormat: (label: string) => short(label, 25),
      tickSize: 0,
      padding: 0.25
    },
    marks: [
      marks("maker", "var(--line)"),
      marks("taker", "var(--quiet)"),
      Plot.text(
        shares.filter(({ side }) => side === "maker"),
        { x: 1, y: "label", text: "percent", textAnchor: "start", dx: 8, fill: "currentColor" }
      )
    ]
  })
}

const stretchText = ({ because, from, rows, state, to, windows }: coverage.Stretch): string => {
  const what = {
    rows: `${countNoun(rows, "row")}, ${countNoun(windows, "window")}, read to the end`,
    empty: `no rows, ${countNoun(windows, "window")}, read to the end`,
    missing: `may be missing: ${because}`,
    gap: `missing: ${because}`
  }
  return `${span(from, to)}\n${what[state]}`
}

const density = ({ from, rows, to }: coverage.Stretch): number => rows / Math.max(to - from, 1)

/** The marks of a part: read and missing ranges. */
const bandMarks = ({ stretches }: Covered, index: number) => {
  const place = String(index)
  const read = stretches.filter((stretch) => !coverage.isGap(stretch))
  const densest = Math.max(...read.map(density), Number.MIN_VALUE)
  return {
    windows: read.map((stretch) => ({
      place,
      x1: at(stretch.from),
      x2: at(stretch.to),
      opacity: stretch.rows === 0 ? 0.12 : 0.35 + 0.65 * Math.sqrt(density(stretch) / densest),
      title: plain(stretchText(stretch))
    })),
    gaps: stretches.filter(coverage.isGap).map((stretch) => ({
      place,
      x1: at(stretch.from),
      x2: at(stretch.to),
      middle: at((stretch.from + stretch.to) / 2),
      title: plain(stretchText(stretch))
    }))
  }
}

/** The height of a band, in pixels. */
export const bandHeight = 24

/** A band for each part, one below the other, with its read ranges, and its missing ranges in red with a mark. */
export const bands = (name: string, parts: ReadonlyArray<Covered>, period: Period): Html => {
  const marks = parts.map(bandMarks)
  const windows = marks.flatMap((band) => band.windows)
  const gaps = marks.flatMap((band) => band.gaps)
  const span = { x1: "x1", x2: "x2", y: "place", title: "title" } as const
  return svg(
    name,
    {
      ...{ marginLeft: 0, marginRight: 0, marginTop: 0, marginBottom: 0 },
      height: parts.length * bandHeight,
      x: { ...time(period), axis: null },
      y: {
        type: "band",
        domain: parts.map((_, index) => String(index)),
        axis: null,
        paddingInner: 0.3,
        paddingOuter: 0.15
      },
      opacity: { type: "identity" },
      marks: [
        Plot.barX(windows, {
          ...span,
          fill: "var(--covered)",
          fillOpacity: "opacity",
          insetLeft: 0.25,
          insetRight: 0.25,
          className: "window"
        }),
        Plot.barX(gaps, { ...span, fill: "url(#gap)", stroke: "var(--bad)", className: "gap" }),
        // For a range of any length.
        Plot.dot(gaps, {
          x: "middle",
          y: "place",
          dy: -8,
          symbol: "triangle",
          rotate: 180,
          r: 4,
          fill: "var(--bad)",
          className: "gap-mark",
          title: "title"
        })
      ]
    },
    true
  )
}
