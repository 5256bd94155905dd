import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as Part from "@effect-venue/history/Part"
import type * as Transport from "@effect-venue/transport/Transport"
import { listAlternatives, suggest } from "@effect-venue/schemas/siblings/Words"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Refusal } from "../run/failures.js"

// Subjects of an export, derived from the table of datasets: a new row there is a new dataset here.

export const categories = ["linear", "inverse", "spot"] as const

export type Category = (typeof categories)[number]

/** What every dataset is called here, and its line of help. */
export const datasets: ReadonlyArray<{ readonly name: string; readonly summary: string }> = Datasets.datasets

/** Stands for every dataset of an account. */
export const all = "all"

/** What narrows datasets down that have such a parameter; the others are exported whole. */
export const filters = ["symbol", "coin"] as const

/** The mistake of a symbol or a coin, whose names are in upper case, if the text is not. */
export const upperCaseMistake = (name: string, text: string): string | undefined =>
  /[a-z]/.test(text) ? `${name}: "${text}" has lower-case letters: ${suggest([text.toUpperCase()])}` : undefined

export interface Asked {
  readonly datasets: ReadonlyArray<string>
  /** As given by the user; empty by default. */
  readonly categories: ReadonlyArray<Category>
  /** Those of named datasets if `categories` is empty; empty for all that a dataset has. */
  readonly defaultCategories: ReadonlyArray<Category>
  readonly filters: Readonly<Partial<Record<(typeof filters)[number], string>>>
}

/** A dataset with its query. */
export interface Subject {
  readonly dataset: Dataset.Dataset<never, unknown>
  readonly query: Readonly<Record<string, string>>
}

const distinct = <A>(some: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(some)]

/** Everything that was asked for, each dataset in those of the categories that it has; or why that cannot be. */
export const select = ({
  categories,
  datasets: names,
  defaultCategories,
  filters
}: Asked): Either.Either<ReadonlyArray<Subject>, Refusal> => {
  const refuse = (message: string) => Either.left(new Refusal({ message }))
  const isAll = names.includes(all)
  const chosen: ReadonlyArray<Dataset.Dataset<never, unknown>> = isAll
    ? // A sum over the whole range is no history and concerns other accounts, so it has to be named.
      Datasets.datasets.filter(({ instant, name }) => Option.isSome(instant) || names.includes(name))
    : distinct(names).flatMap((name) => Datasets.datasets.filter((dataset) => dataset.name === name))

  const subjects: Array<Subject> = []
  for (const dataset of chosen) {
    const own = Object.fromEntries(Object.entries(filters).filter(([name]) => dataset.parameters.includes(name)))
    if (dataset.categories.length === 0) {
      subjects.push({ dataset, query: own })
      continue
    }
    const taken = Datasets.categoriesOf(dataset, categories.length > 0 || isAll ? categories : defaultCategories)
    // A named dataset is not left out in silence.
    if (taken.length === 0 && names.includes(dataset.name)) {
      return refuse(`${dataset.name}: category must be ${listAlternatives(dataset.categories)}`)
    }
    subjects.push(...taken.map((category) => ({ dataset, query: { category, ...own } })))
  }
  if (categories.length > 0 && chosen.every((dataset) => dataset.categories.length === 0)) {
    return refuse(`there is no category of ${listAlternatives(names)}: leave it out`)
  }
  for (const name of Object.keys(filters)) {
    if (chosen.every(({ parameters }) => !parameters.includes(name))) {
      return refuse(`${listAlternatives(names)} cannot be limited to one ${name}: leave it out`)
    }
  }
  return Either.right(subjects)
}

/** The part of an export for a subject, of an account if it has a name. */
export const part = (
  { dataset, query }: Subject,
  account: { readonly name: string | undefined; readonly transport: Transport.Transport.Shape }
): Part.Part => {
  const { name, transport } = account
  // `select` passes each dataset the parameters of its row in the table; the types of queries cannot express that.
  return Part.make(
    dataset as Dataset.Dataset<object, unknown>,
    query,
    name === undefined ? undefined : { name, transport }
  )
}
