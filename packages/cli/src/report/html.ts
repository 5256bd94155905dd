/** Text that is already HTML. All other text of a page is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

export type Value = string | number | Html | ReadonlyArray<Html>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

// Characters that no document can contain, and those that change the direction of text.
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\ufffe\uffff]/gu

/** Escapes untrusted text from an export. */
export const plain = (text: string): string =>
  text.replace(unprintable, (char) => (char === "\n" || char === "\t" ? char : "\ufffd"))

const escapeText = (text: string): string => plain(text).replace(/[&<>"']/g, (char) => entities[char] ?? char)

const showValue = (value: Value): string =>
  value instanceof Html
    ? value.text
    : typeof value === "string"
      ? escapeText(value)
      : typeof value === "number"
        ? String(value)
        : value.map(({ text }) => text).join("")

/** HTML with values in it, which are escaped. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(strings.reduce((text, part, index) => text + showValue(values[index - 1] ?? "") + part))

export const empty = new Html("")
