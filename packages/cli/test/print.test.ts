import { describe, expect, it } from "vitest"
import { style } from "../src/report/style.js"

/** The rules of a style sheet: a selector and its declarations. */
const rules = (text: string): ReadonlyArray<readonly [selector: string, declarations: string]> =>
  Array.from(text.matchAll(/([^{}]+)\{([^{}]*)\}/g), ([, selector = "", declarations = ""]) => [
    selector.trim(),
    declarations
  ])

describe("the printed report", () => {
  const [onScreen = "", inPrint = ""] = style.split("@media print {")
  const printed = rules(inPrint)
  const isHidden = (selector: string) =>
    printed.some(([hidden, declarations]) => selector.startsWith(hidden) && declarations.includes("display: none"))
  const cut = rules(onScreen).filter(([, declarations]) => declarations.includes("max-height"))

  it("contains every row of the tables that scroll on a screen", () => {
    expect(cut.map(([selector]) => selector)).toContain(".tall .scroll")
    for (const [selector] of cut.filter(([selector]) => !isHidden(selector))) {
      const declarations = printed.filter(([other]) => other === selector).map(([, declarations]) => declarations)
      expect(declarations.join(), selector).toContain("max-height: none")
      expect(declarations.join(), selector).toContain("overflow: visible")
    }
  })
})
