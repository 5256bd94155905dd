/**
 * What the page of `venue report` shows, as it is read inside of the page. These functions run there: they use nothing from outside, and name no
 * function of their own, because a compiled name calls a helper that the page does not have.
 */

/** A drawing of a figure. */
interface Drawing {
  readonly name: string
  readonly role: string | null
  /** For each kind of mark, how many are visible. */
  readonly marks: ReadonlyArray<readonly [kind: string, count: number]>
}

/** A figure: its drawings, and the rows of its table. */
export interface Figure {
  readonly title: string
  readonly rows: number
  /** The second column of its table. */
  readonly counted: ReadonlyArray<string>
  readonly drawings: ReadonlyArray<Drawing>
}

/** The figures of the page, except those of coverage. */
export const figures = (): ReadonlyArray<Figure> =>
  Array.from(document.querySelectorAll("figure:not(.coverage)"), (figure) => ({
    title: figure.querySelector("h3")?.textContent ?? "",
    rows: figure.querySelectorAll("details tbody tr").length,
    counted: Array.from(figure.querySelectorAll("details tbody tr"), (row) =>
      (row.children[1]?.textContent ?? "").replaceAll(",", "")
    ),
    drawings: Array.from(figure.querySelectorAll("svg"), (svg) => ({
      name: svg.getAttribute("aria-label") ?? "",
      role: svg.getAttribute("role"),
      marks: ["point", "step", "symbol", "maker", "taker"]
        .filter((kind) => svg.querySelector(`g.${kind}`) !== null)
        .map((kind) => {
          const marks = svg.querySelectorAll<SVGGraphicsElement>(`g.${kind} > *`)
          const boxes = Array.from(marks, (mark) => mark.getBBox())
          return [kind, boxes.filter(({ height, width }) => width > 0 && height > 0).length] as const
        })
    }))
  }))

/** A gap of a part. `from` and `to` are shares of the part's length, from 0 to 1. */
export interface Gap {
  readonly from: number
  readonly to: number
  /** Whether nothing covers it. */
  readonly isSeen: boolean
  readonly fill: string
}

/** A part: its gaps, and the marks that point to them. */
export interface Coverage {
  readonly gaps: ReadonlyArray<Gap>
  readonly marks: number
}

/** The coverage of each part. */
export const coverage = (): ReadonlyArray<Coverage> =>
  Array.from(document.querySelectorAll("figure.coverage"), (figure) => {
    const windows = Array.from(figure.querySelectorAll("g.window > rect"), (rect) => rect.getBoundingClientRect())
    const left = Math.min(...windows.map((box) => box.left))
    const right = Math.max(...windows.map((box) => box.right))
    return {
      gaps: Array.from(figure.querySelectorAll("g.gap > rect"), (rect) => {
        rect.scrollIntoView({ block: "center" })
        const box = rect.getBoundingClientRect()
        return {
          from: (box.left - left) / (right - left),
          to: (box.right - left) / (right - left),
          isSeen: document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === rect,
          fill: getComputedStyle(rect).fill
        }
      }),
      marks: figure.querySelectorAll("g.gap-mark > *").length
    }
  })
