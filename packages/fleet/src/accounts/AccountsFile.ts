/**
 * Schemas and a parser for JSON files with accounts by name: the file of a fleet, its file of keys, and the config file of the command.
 *
 * @sibling
 */
import * as Credentials from "@effect-venue/signing/Credentials"
import * as BaseUrl from "@effect-venue/signing/siblings/BaseUrl"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** A mistake in a file. `path` is the field, such as `accounts.alice.from`, and "" for the whole file. `rule` contains nothing from the file. */
export interface Mistake {
  readonly path: string
  readonly rule: string
}

/** The message of a field's rule. Messages of a schema quote the value, which can be a secret; this one does not. */
export const rule = (text: string) => ({ message: () => text })

/** Text that is not empty. */
export const filled = Schema.String.annotations(rule("must be text")).pipe(
  Schema.filter((text) => text.trim() !== "", rule("must not be empty"))
)

/** The address of a service. */
export const baseUrl = filled.pipe(
  Schema.filter(
    (text) => Either.isRight(Credentials.makeEither({ baseUrl: text, apiKey: "", apiSecret: Redacted.make("") })),
    rule("must be an absolute http or https address, without user, query or fragment")
  )
)

const nameRule =
  "must consist of letters, digits, dots, underscores and hyphens, begin with a letter or a digit, and have at most 64 characters"

/** The name of an account or an address. Folders, files and environment variables contain it. */
export const name = filled.pipe(Schema.filter((text) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text), rule(nameRule)))

/** A field that can be absent, and cannot be null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** An object of at least one account, by name. */
export const accounts = <A, I>(account: Schema.Schema<A, I>) =>
  Schema.Record({ key: Schema.String, value: account })
    .annotations(rule("must be an object, with an account by each name"))
    .pipe(Schema.filter((all) => Object.keys(all).length > 0, rule("must have at least one account")))

/**
 * Returns the first two names that a file system could confuse: they differ only in upper and lower case, white space or Unicode composition, or not
 * at all.
 */
export const alike = (names: Iterable<string>): readonly [first: string, second: string] | undefined => {
  const seen = new Map<string, string>()
  for (const name of names) {
    const key = name.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase()
    const earlier = seen.get(key)
    if (earlier !== undefined) return [earlier, name]
    seen.set(key, name)
  }
  return undefined
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

/** The path of the first field that JSON text contains twice. `JSON.parse` silently keeps the last one. */
const findRepeatedField = (json: string): string | undefined => {
  const levels: Array<{ readonly fields: Set<string> | undefined; label: string }> = []
  let isField = false
  for (const [found] of json.matchAll(token)) {
    const level = levels.at(-1)
    if (found === "{" || found === "[") {
      levels.push(found === "{" ? { fields: new Set(), label: "" } : { fields: undefined, label: "0" })
      isField = found === "{"
    } else if (found === "}" || found === "]") {
      levels.pop()
      isField = false
    } else if (found === "," && level !== undefined) {
      isField = level.fields !== undefined
      if (!isField) level.label = String(Number(level.label) + 1)
    } else if (isField && level?.fields !== undefined) {
      level.label = String(JSON.parse(found))
      if (level.fields.has(level.label)) return levels.map(({ label }) => label).join(".")
      level.fields.add(level.label)
      isField = false
    }
  }
  return undefined
}

const ruleOf = (issue: ParseResult.ArrayFormatterIssue): string =>
  issue._tag === "Missing" ? "is required" : issue._tag === "Unexpected" ? "is not a setting" : issue.message

/** Reads the text of a file with `accounts`. Refuses a field that occurs twice, and names of accounts that a file system could confuse. */
export const parse = <A extends { readonly accounts: object }, I>(
  schema: Schema.Schema<A, I>,
  text: string
): Either.Either<A, Mistake> =>
  Either.gen(function* () {
    const refuse = (path: string, rule: string) => Either.left<Mistake>({ path, rule })
    const json: unknown = yield* Either.try({
      try: (): unknown => JSON.parse(text),
      catch: (): Mistake => ({ path: "", rule: "is not JSON" })
    })
    const repeated = findRepeatedField(text)
    if (repeated !== undefined) return yield* refuse(repeated, "is there twice")
    const file = yield* Either.mapLeft(
      Schema.decodeUnknownEither(schema, { errors: "first", onExcessProperty: "error" })(json),
      (error): Mistake => {
        const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
        return issue === undefined
          ? { path: "", rule: "is not valid" }
          : { path: issue.path.map(String).join("."), rule: ruleOf(issue) }
      }
    )
    const names = Object.keys(file.accounts)
    const wrong = names.find((text): boolean => !Schema.is(name)(text))
    if (wrong !== undefined) return yield* refuse(`accounts.${wrong}`, `is not a name, which ${nameRule}`)
    const pair = alike(names)
    if (pair !== undefined) {
      return yield* refuse(
        `accounts.${pair[1]}`,
        `differs from ${pair[0]} in upper and lower case alone: a file system can take the two for one`
      )
    }
    return file
  })

/** The `baseUrl` of an account, or the common one of all accounts. An http URL of another machine needs `allowsInsecure`. */
export const baseUrlOf = (
  name: string,
  account: { readonly baseUrl?: string | undefined },
  file: { readonly baseUrl?: string | undefined },
  allowsInsecure: boolean
): Either.Either<string, Mistake> => {
  const path = `accounts.${name}.baseUrl`
  const url = account.baseUrl ?? file.baseUrl
  if (url === undefined) return Either.left({ path, rule: "is required, here or for all accounts" })
  return BaseUrl.isInsecure(url) && !allowsInsecure
    ? Either.left({ path, rule: "is http to another machine: use https, or set VENUE_ALLOW_INSECURE=1" })
    : Either.right(url)
}

/** The first two accounts with one API key at one service. */
export const sharingKey = (
  accounts: ReadonlyMap<string, Pick<Credentials.Credentials.Shape, "apiKey" | "baseUrl">>
): readonly [first: string, second: string] | undefined => {
  const seen = new Map<string, string>()
  for (const [name, { apiKey, baseUrl }] of accounts) {
    const key = JSON.stringify([new URL(baseUrl).host, Redacted.value(apiKey)])
    const earlier = seen.get(key)
    if (earlier !== undefined) return [earlier, name]
    seen.set(key, name)
  }
  return undefined
}

/** The names of the environment variables of an account: its name in capitals, with `_` for every other character than letters and digits. */
export const variablesOf = (account: string): { readonly apiKey: string; readonly apiSecret: string } => {
  const name = account.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")
  return { apiKey: `VENUE_${name}_API_KEY`, apiSecret: `VENUE_${name}_API_SECRET` }
}
