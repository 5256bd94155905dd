/**
 * What axe-core finds wrong with a page: the rules of WCAG 2.2, levels A and AA, among them the contrast of texts. It runs in the page itself and
 * loads nothing.
 */
import type * as Axe from "axe-core"
import assert from "node:assert/strict"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "puppeteer-core"

const source = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

/** What axe-core looked at, by rule. */
export interface Examined {
  readonly violations: ReadonlyArray<string>
  /** How many elements each rule was applied to. */
  readonly applied: ReadonlyMap<string, number>
}

const describeResult = ({ help, id, nodes }: Axe.Result): ReadonlyArray<string> =>
  nodes.map(
    ({ any, target }) => `${id} (${help}): ${target.join(" ")}${any.map(({ message }) => `; ${message}`).join("")}`
  )

interface Colour {
  readonly alpha: number
  readonly parseString: (text: string) => void
}

/** The part of axe-core that computes contrasts. */
interface AxeWithColours {
  readonly setup: (element: Element) => void
  readonly teardown: () => void
  readonly commons: {
    readonly color: {
      readonly Color: new () => Colour
      readonly getOwnBackgroundColor: (style: CSSStyleDeclaration) => Colour
      readonly getContrast: (behind: Colour, text: Colour) => number
    }
  }
}

/** What WCAG asks of text of the usual size. */
const leastContrast = 4.5

/** Runs the rules on a page. */
export const examine = async (page: Page): Promise<Examined> => {
  await page.evaluate(source)
  const results = await page.evaluate(
    (values) =>
      // The script above defines it.
      (globalThis as unknown as { readonly axe: typeof Axe }).axe.run(document, {
        runOnly: { type: "tag", values },
        // An experiment: of a button it takes the shortcut beside the word for a part of the word.
        rules: { "label-content-name-mismatch": { enabled: false } },
        resultTypes: ["violations", "passes"]
      }),
    levels
  )
  const applied = new Map<string, number>()
  for (const { id, nodes } of [...results.passes, ...results.violations]) {
    applied.set(id, (applied.get(id) ?? 0) + nodes.length)
  }
  return { violations: results.violations.flatMap(describeResult), applied }
}

/** The contrast of each text of a drawing with what is behind it. The rules leave these out, so axe-core is asked for two colours. */
const contrastsOfDrawings = (page: Page): Promise<ReadonlyArray<number>> =>
  page.evaluate(() => {
    // The script that was evaluated before defines it; its parts have no types.
    const { axe } = globalThis as unknown as { readonly axe: AxeWithColours }
    axe.setup(document.documentElement)
    try {
      return Array.from(document.querySelectorAll("figure svg text"), (text) => {
        const { color } = axe.commons
        const fill = new color.Color()
        fill.parseString(getComputedStyle(text).fill)
        // The nearest ground that lets nothing through.
        for (let element = text.parentElement; element !== null; element = element.parentElement) {
          const ground = color.getOwnBackgroundColor(getComputedStyle(element))
          if (ground.alpha === 1) return color.getContrast(ground, fill)
        }
        return 0
      })
    } finally {
      axe.teardown()
    }
  })

/** Fails with what is wrong. A page without a text whose contrast was measured proves nothing. */
export const accessible = async (page: Page, name: string): Promise<void> => {
  const { applied, violations } = await examine(page)
  assert.deepEqual(violations, [], name)
  assert.ok(
    (applied.get("color-contrast") ?? 0) > 10,
    `${name}: the contrast of ${applied.get("color-contrast") ?? 0} texts was measured`
  )
  const faint = (await contrastsOfDrawings(page)).filter((contrast) => contrast < leastContrast)
  assert.deepEqual(faint, [], `${name}: texts of drawings`)
}
