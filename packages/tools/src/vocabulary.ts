/** The words that this repository does not use, and which `words.ts` refuses. Decisions keep names of code that is renamed. */

/** A phrase or an identifier that must not come back. */
export interface Term {
  /** How messages name it. */
  readonly id: string
  /** What to write instead. */
  readonly instead: string
  /** What is counted: matches in the text of a file. */
  readonly pattern: RegExp
  /** Also one for every file that has this name, without its extension. */
  readonly fileName?: string
  /** The folder to which the term is restricted, because it is right elsewhere. Defaults to the whole repository. */
  readonly within?: string
}

/** Between the words of a phrase: white space, and what starts the next line of a comment or a quotation. */
const gap = String.raw`(?:\s|(?<=\n\s*)(?:\*|//|#|>))+`

const phrase = (id: string, instead: string, source: string): Term => ({
  id,
  instead,
  pattern: new RegExp(String.raw`(?<![\w-])(?:${source.replaceAll(" ", gap)})(?![\w-])`, "gi")
})

/** English that has to be read twice. */
export const phrases: ReadonlyArray<Term> = [
  phrase("unless told", "`Defaults to …`", "unless (?:told|given|replaced|said)(?: otherwise)?"),
  phrase("is told", "`is reported`, `is returned`, `is logged`", "(?:is|are|was|were|be|been|being|gets?) told"),
  phrase("told of", "`reported`", "told of"),
  phrase("tells", "`says`, `reports`, `outcome`", "tells"),
  phrase("nobody", "the caller, the process", "nobody(?:['’]s)?"),
  phrase("somebody", "the caller, the process", "somebody(?:['’]s)?"),
  phrase("whoever", "the caller, the process", "whoever"),
  phrase("one's own", "a custom store, a custom signer", "one['’]s own"),
  phrase("what became of", "the outcome of", "(?:what (?:has |had )?)?(?:became|become|becomes) of"),
  phrase("what is left", "`remaining`", "what (?:is|was) left(?! out)"),
  phrase("so much of", "`count`, `size`", "so much of"),
  phrase("so many", "`count`", "so many"),
  phrase("as it came", "`verbatim`, `unmodified`", "as (?:it|they) (?:came|comes?)"),
  phrase("lies ahead", "`is in the future`", "(?:lies|lie|lay|lying) ahead"),
  phrase("reaches back", "`exceeds retention`", "(?:reach|reaches|reached|reaching) back"),
  phrase(
    "come, came (noun or value)",
    "`exchange`, `response`, `input`",
    String.raw`(?:what|whatever|everything that|all that|how much) (?:has |have |had )?(?:came|comes?)|(?<=[(,=!{[]\s?)came|came(?=\s?[)\]:,;}=]|\.\w)`
  ),
  phrase("held against", "`compared with`, `checked against`", "(?:held|hold|holds|holding) against"),
  phrase("put aside", "`buffered`, `spooled to disk`", "(?:put|puts|putting|laid|lays) aside"),
  phrase("taken up again", "`resumed`", "(?:take|takes|took|taken|taking) up(?: again| where)?"),
  phrase("made up", "`generated`", "(?:made|make|makes|making)[ -]up"),
  phrase("in the place of", "`instead of`, `replaces`", "in the place of")
]

const name = (id: string, instead: string, more: Omit<Partial<Term>, "id" | "instead"> = {}): Term => ({
  id,
  instead,
  pattern: new RegExp(String.raw`\b${id}\b`, "g"),
  fileName: id,
  ...more
})

/** A file that is renamed; its name is an English word that is right in texts. */
const file = (id: string, instead: string): Term => ({
  id: `${id}.ts`,
  instead,
  pattern: new RegExp(String.raw`\b${id}\.(?:ts|js)\b`, "g"),
  fileName: id
})

const transport = "packages/transport/"
const history = "packages/history/"

/** Identifiers whose place another word has taken. */
export const names: ReadonlyArray<Term> = [
  name("Budgets", "RateLimiter"),
  name("BudgetStore", "RateLimitStore"),
  name("Ticket", "Reservation"),
  name("Settlement", "ChargeOutcome", { within: transport }),
  name("Lane", "Priority"),
  name("patience", "maxOvertakes, staleAfter"),
  name("Surroundings", "Dependencies"),
  name("surroundings", "dependencies"),
  name("succession", "Reloadable"),
  name("afresh", "overwrite"),
  name("sinceLast", "incremental"),
  name("since-last", "incremental"),
  name("standing", "inspect", { within: history }),
  name("strays", "nonRecords"),
  name("asides", "rejectedRows"),
  file("folder", "FolderStore.ts"),
  file("reading", "datasetWindows.ts, fetchWindow.ts, reconcile.ts"),
  name("isNominated", "mayNeedSettlement"),
  name("upkeep", "maintenance"),
  name("orderly", "viaSchema"),
  name("CapitalisedOrder", "OpenOrder"),
  name("UnlessTold", "default…", { pattern: /\w*UnlessTold\b/g })
]
