import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Decimal from "../scalars/Decimal.js"
import * as Endpoint from "./Endpoint.js"

export type Parameters = Readonly<Record<string, unknown>>

/** Returns a parameter, or `undefined` if it is left out. The service reads an empty text as left out. */
export const valueOf = (parameters: Parameters, name: string): unknown => {
  const value = parameters[name]
  return value === "" || value === null ? undefined : value
}

/** Whether a write has a value for one of the parameters. */
export const hasAny = (parameters: Parameters, names: ReadonlyArray<string>): boolean =>
  names.some((name) => valueOf(parameters, name) !== undefined)

/** Returns a text parameter, or `undefined` if it is left out. */
export const textOf = (parameters: Parameters, name: string): string | undefined => {
  const value = valueOf(parameters, name)
  return typeof value === "string" ? value : undefined
}

/** The category of an operation on contracts. */
export const contract = (parameters: Parameters): "linear" | "inverse" =>
  parameters.category === "inverse" ? "inverse" : "linear"

/** Whether a page belongs to the requested category. A page without a category does. */
export const isOfCategory = (page: { readonly category: Option.Option<string> }, category: string): boolean =>
  Option.isNone(page.category) || page.category.value === category

// Comparisons -------------------------------------------------------------------------------------------------------

/**
 * How a parameter is compared with a record. `selects`: it only selects the record. `unseen`: no record shows it. A function returns true if
 * the record shows the value; the value is `undefined` if the parameter is left out.
 */
export type Comparison<R> = "selects" | "unseen" | ((record: R, value: unknown, parameters: Parameters) => boolean)

type Comparisons<R> = Readonly<Record<string, Comparison<R>>>

type Maybe<A> = A | Option.Option<A>

const zero = BigDecimal.fromBigInt(0n)

const unwrapShown = <A>(field: Maybe<A>): A | undefined =>
  Option.isOption(field) ? Option.getOrUndefined(field) : field

/** Whether a decimal of a record is absent or zero. */
export const isNothing = (field: Maybe<BigDecimal.BigDecimal>): boolean =>
  BigDecimal.isZero(unwrapShown<BigDecimal.BigDecimal>(field) ?? zero)

const isSameDecimal = (field: Maybe<BigDecimal.BigDecimal>, value: unknown): boolean => {
  const sent = typeof value === "string" ? Decimal.parse(value) : Option.none()
  // A stop that was cancelled with 0 is shown as absent.
  return Option.exists(sent, (sent) => BigDecimal.equals(sent, unwrapShown<BigDecimal.BigDecimal>(field) ?? zero))
}

/** Compares a decimal. */
export const decimal =
  <K extends string>(name: K) =>
  (record: { readonly [P in K]: Maybe<BigDecimal.BigDecimal> }, value: unknown): boolean =>
    value === undefined || isSameDecimal(record[name], value)

/** Compares a decimal that the record lacks if the parameter is left out. */
export const decimalOrNone =
  <K extends string>(name: K) =>
  (record: { readonly [P in K]: Maybe<BigDecimal.BigDecimal> }, value: unknown): boolean =>
    value === undefined ? isNothing(record[name]) : isSameDecimal(record[name], value)

/** Compares a word, a number or a flag. */
export const exact =
  <K extends string>(name: K) =>
  (record: { readonly [P in K]: Maybe<string | number | boolean> }, value: unknown): boolean =>
    value === undefined || unwrapShown<string | number | boolean>(record[name]) === value

// Look-ups ----------------------------------------------------------------------------------------------------------

/** A write to be looked up. */
export interface Write<R> {
  readonly parameters: Parameters
  /** Whether a record shows the value of every parameter that is compared. */
  readonly isShownBy: (record: R) => boolean
}

const toUse = <R>(comparison: Comparison<R>): Endpoint.ParameterUse =>
  typeof comparison === "function" ? "compares" : comparison

/** Creates a look-up from the comparison of every parameter. A value that no record shows, or that has no comparison, leaves every outcome undetermined. */
export const makeFor =
  <R>() =>
  <const C extends Comparisons<R>>(
    comparisons: C,
    find: <E>(write: Write<R>, read: Endpoint.ReadCall<E>) => Effect.Effect<Endpoint.Finding, E>
  ): Endpoint.LookUp<keyof C & string> => {
    const all = new Map<string, Comparison<R>>(Object.entries(comparisons))
    // `Object.entries` loses the keys of the type.
    const uses = Object.fromEntries([...all].map(([name, comparison]) => [name, toUse(comparison)])) as {
      readonly [K in keyof C & string]: Endpoint.ParameterUse
    }
    return Endpoint.makeLookUp(uses, (parameters, read) => {
      const isShownBy = (record: R) =>
        [...all].every(
          ([name, comparison]) =>
            typeof comparison !== "function" || comparison(record, valueOf(parameters, name), parameters)
        )
      const isSeen = Object.keys(parameters).every(
        (name) => valueOf(parameters, name) === undefined || (all.get(name) ?? "unseen") !== "unseen"
      )
      return Effect.map(find({ parameters, isShownBy }, read), (finding): Endpoint.Finding =>
        isSeen ? finding : { ...finding, executed: "undetermined" }
      )
    })
  }

/** Adds the result of the write to a finding, if it was executed and a single record shows it. */
export const withResult = <R>(
  finding: Endpoint.Finding,
  records: ReadonlyArray<R>,
  toResult: (record: R) => object
): Endpoint.Finding => {
  const [record] = records
  return finding.executed === "yes" && record !== undefined && records.length === 1
    ? { ...finding, result: toResult(record) }
    : finding
}

/** Joins what several records show about a write: `yes` or `no` if they agree. */
export const joinFindings = (shown: ReadonlyArray<Endpoint.Finding["executed"]>): Endpoint.Finding["executed"] => {
  const [first = "undetermined"] = shown
  return shown.every((each) => each === first) ? first : "undetermined"
}
