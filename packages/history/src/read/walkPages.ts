import type * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/siblings/Pages"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Dataset from "../model/Dataset.js"
import * as Rows from "../formats/Rows.js"
import type * as Part from "../model/Part.js"
import { ask } from "../model/datasetWindows.js"
import type { Collected, WindowCounts } from "./collect.js"

/** Reads the pages of a range in their order. `prepare` runs before a page counts as read; `take` gets its result. */
export type WalkPages<E, F, R> = (
  range: Dataset.Window,
  pages: Pick<Collected<E>, "prepare" | "take">
) => Effect.Effect<Pages.Walked<unknown>, Failure.ReadFailure | E | F, R>

export interface Options<R, F> {
  readonly part: Part.Part<unknown, R>
  /** Adds details to a failure that ends the reading. */
  readonly failed: (failure: Failure.ReadFailure) => F
  readonly onPage: (rows: number) => Effect.Effect<void>
}

export const make = <R, F, E>({ failed, onPage, part }: Options<R, F>, counts: WindowCounts): WalkPages<E, F, R> => {
  const { dataset } = part

  /** Rows of two pages are compared by this text. */
  const textOf = (row: unknown): string =>
    (Predicate.isRecord(row) ? Rows.id(dataset, row) : undefined) ?? JSON.stringify(row)

  // A response that cannot be read is requested again, and does not end the reading.
  const page = (request: Dataset.Ask) =>
    Effect.mapError(part.page(request), (failure) =>
      failure._tag === "UnexpectedResponse" ? failure : failed(failure)
    )

  return (range, { prepare, take }) =>
    Effect.tap(
      Pages.walk(
        {
          page: (cursor) => page({ ...ask(dataset, range), cursor }),
          text: textOf,
          comparesRows: true,
          prepare,
          onProblem: counts.count
        },
        (prepared, rows) => Effect.zipRight(take(prepared), onPage(rows))
      ),
      (walked) =>
        Effect.sync(() => {
          counts.requests += walked.requests
          counts.rereads += walked.rereads
        })
    )
}
