import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** The envelope of a response. */
export type Envelope = Readonly<Record<string, unknown>>

type Rows = ReadonlyArray<unknown>

export const parse = (body: string): Option.Option<Envelope> =>
  Option.filter(Option.liftThrowable((text: string): unknown => JSON.parse(text))(body), Predicate.isRecord)

/** The names of lists and cursors differ by operation, so they are recognised by their values. */
const rowsField = (result: Envelope): Option.Option<readonly [name: string, rows: Rows]> => {
  for (const [name, value] of Object.entries(result)) if (Array.isArray(value)) return Option.some([name, value])
  return Option.none()
}

const isCursor = (name: string): boolean => /cursor$/i.test(name)

const resultOf = (envelope: Envelope): Option.Option<Envelope> =>
  Option.liftPredicate(Predicate.isRecord)(envelope.result)

const withResult = (envelope: Envelope, result: unknown): Envelope => ({ ...envelope, result })

export const rows = (envelope: Envelope): Option.Option<Rows> =>
  Option.map(Option.flatMap(resultOf(envelope), rowsField), ([, found]) => found)

const withRows = (envelope: Envelope, change: (rows: Rows) => Option.Option<Rows>): Option.Option<Envelope> =>
  Option.flatMap(resultOf(envelope), (result) =>
    Option.flatMap(rowsField(result), ([name, found]) =>
      Option.map(change(found), (changed) => withResult(envelope, { ...result, [name]: changed }))
    )
  )

export const cursorOf = (parameters: Envelope): Option.Option<unknown> =>
  Option.fromNullable(Object.entries(parameters).find(([name]) => isCursor(name))?.[1])

/** The key of a list, without the position in it. */
export const listKey = (operation: string, uid: string, parameters: Envelope): string =>
  JSON.stringify([operation, uid, Object.entries(parameters).filter(([name]) => !isCursor(name))])

export const nullResult = (envelope: Envelope): Option.Option<Envelope> => Option.some(withResult(envelope, null))

/** Returns the response in the envelope of another operation. */
export const wrongEnvelope = (envelope: Envelope): Option.Option<Envelope> =>
  Option.some(
    "retCode" in envelope
      ? {
          ret_code: envelope.retCode,
          ret_msg: envelope.retMsg,
          ext_code: "",
          result: envelope.result,
          ext_info: null,
          time_now: envelope.time
        }
      : {
          retCode: envelope.ret_code,
          retMsg: envelope.ret_msg,
          result: envelope.result,
          retExtInfo: {},
          time: envelope.time_now ?? 0
        }
  )

export const missingRow = (envelope: Envelope): Option.Option<Envelope> =>
  withRows(envelope, (all) =>
    all.length === 0 ? Option.none() : Option.some(all.filter((_, index) => index !== Math.floor(all.length / 2)))
  )

export const otherRows = (envelope: Envelope, others: Rows): Option.Option<Envelope> =>
  withRows(envelope, () => Option.some(others))

export const otherCursor = (envelope: Envelope, cursor: unknown): Option.Option<Envelope> =>
  Option.flatMap(resultOf(envelope), (result) =>
    Option.map(Option.fromNullable(Object.keys(result).find(isCursor)), (name) =>
      withResult(envelope, { ...result, [name]: cursor })
    )
  )

export const missingCursor = (envelope: Envelope): Option.Option<Envelope> =>
  Option.flatMap(resultOf(envelope), (result) => {
    const kept = Object.entries(result).filter(([name]) => !isCursor(name))
    return kept.length === Object.keys(result).length
      ? Option.none()
      : Option.some(withResult(envelope, Object.fromEntries(kept)))
  })

const surprise = { newlyIntroduced: { since: "tomorrow", values: ["1", 2, null] } }

export const unknownField = (envelope: Envelope): Option.Option<Envelope> =>
  Option.map(resultOf(envelope), (result) => {
    const surprised = withResult(envelope, { ...result, ...surprise })
    const inRows = withRows(surprised, (all) =>
      Option.some(all.map((row) => (Predicate.isRecord(row) ? { ...row, ...surprise } : row)))
    )
    return Option.getOrElse(inRows, () => surprised)
  })

// Recognises enumeration values; a number can be anything.
const isWord = (value: string): boolean => /^[A-Za-z]/.test(value)
const words = new Set<string>(
  Object.values(Enumerations).flatMap((enumeration) =>
    "known" in enumeration ? enumeration.known.map(String).filter(isWord) : []
  )
)

const surprisingValue = "NewlyIntroduced"

const surpriseRecord = (record: Envelope): Option.Option<Envelope> => {
  const field = Object.entries(record).find(([, value]) => typeof value === "string" && words.has(value))
  return field === undefined ? Option.none() : Option.some({ ...record, [field[0]]: surprisingValue })
}

export const unknownEnumValue = (envelope: Envelope): Option.Option<Envelope> =>
  withRows(envelope, (all) => {
    for (const [index, row] of all.entries()) {
      const changed = Predicate.isRecord(row) ? surpriseRecord(row) : Option.none()
      if (Option.isSome(changed)) return Option.some(all.with(index, changed.value))
    }
    return Option.none()
  })
