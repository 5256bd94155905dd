import * as Either from "effect/Either"

/** A business failure: an HTTP 200 with a return code other than 0. */
export interface Refusal {
  readonly code: number
  readonly message: string
}

export const make = (code: number, message: string): Refusal => ({ code, message })

export const left = (code: number, message: string): Either.Either<never, Refusal> => Either.left(make(code, message))

/** Return code 10001, with the message of the service. (docs/reference/responses.md#error-bodies) */
export const parameter = (what: string): Either.Either<never, Refusal> => left(10001, `params error: ${what}`)
