/** Fragments of DuckDB queries. */
import * as Column from "../model/Column.js"

export const name = (text: string): string => `"${text.replaceAll('"', '""')}"`
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
export const list = (names: ReadonlyArray<string>): string => `[${names.map(text).join(", ")}]`

/**
 * A text as the type of its column, by the macros below; null if the type does not have its value exactly. `CAST` alone rounds, accepts other
 * spellings than the other formats, or ends the query.
 */
export const castColumn = ({ kind }: Column.Column, cell: string): string => {
  switch (kind) {
    case "decimal":
    case "integer":
    case "boolean":
      return `venue_${kind}(${cell})`
    case "millis":
    case "seconds":
    case "instant":
      return `venue_${kind}(${cell})`
    default:
      return cell
  }
}

/** A character that no text has: it marks escapes of JSON and unquoted numbers, for which DuckDB does not keep their spelling. */
const mark = "\ufdd0"

/** A number that JSON or text spells in any way: the spellings that `Decimal.parse` reads. */
const spelling = String.raw`[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?`

const macro = (signature: string, body: string): string => `CREATE OR REPLACE MACRO ${signature} AS\n  ${body};`

/** The macros that read texts as the types of columns. */
export const castMacros: ReadonlyArray<string> = [
  "-- A number without an exponent: its point is moved.",
  macro(
    "venue_shift(sign, whole, fraction, power)",
    `CASE WHEN power >= 0
    THEN sign || whole || left(fraction, power) || repeat('0', greatest(0, power - length(fraction))) || '.' || substr(fraction, power + 1)
    ELSE sign || left(repeat('0', greatest(0, -power - length(whole))) || whole, greatest(0, length(whole) + power)) || '.'
      || right(repeat('0', greatest(0, -power - length(whole))) || whole, -power) || fraction END`
  ),
  macro(
    "venue_plain(x)",
    String.raw`CASE WHEN NOT regexp_full_match(x, '${spelling}') THEN NULL
    WHEN NOT regexp_matches(x, '[eE]') THEN x
    ELSE venue_shift(regexp_extract(x, '^([+-]?)', 1), regexp_extract(x, '^[+-]?([0-9]*)', 1), regexp_extract(x, '\.([0-9]*)', 1),
      CAST(regexp_extract(x, '[eE]([+-]?[0-9]+)$', 1) AS INTEGER)) END`
  ),
  "-- The value of a text exactly, or NULL.",
  macro(
    "venue_decimal(x)",
    String.raw`CASE WHEN regexp_full_match(x, '-?[0-9]{1,20}(\.[0-9]{1,18})?') THEN TRY_CAST(x AS DECIMAL(38, 18))
    ELSE [CASE WHEN regexp_full_match(plain, '[+-]?0*[0-9]{0,20}(\.[0-9]{0,18}0*)?')
      THEN TRY_CAST(regexp_replace(plain, '^([+-]?)0*([0-9]{0,20}[.]?[0-9]{0,18})0*$', '\10\2') AS DECIMAL(38, 18)) END
      FOR plain IN [venue_plain(x)]][1] END`
  ),
  macro(
    "venue_integer(x)",
    `CASE WHEN regexp_full_match(x, '[0-9]{1,18}') THEN TRY_CAST(x AS BIGINT)
    ELSE [CASE WHEN CAST(TRY_CAST(exact AS BIGINT) AS DECIMAL(38, 18)) = exact THEN TRY_CAST(exact AS BIGINT) END
      FOR exact IN [venue_decimal(x)]][1] END`
  ),
  macro("venue_boolean(x)", "CASE x WHEN 'true' THEN true WHEN 'false' THEN false END"),
  "-- An instant of a year of four digits.",
  macro("venue_date(n)", "CASE WHEN n BETWEEN -62135596800000 AND 253402300799999 THEN epoch_ms(n) END"),
  macro(
    "venue_millis(x)",
    `CASE WHEN regexp_full_match(x, '[0-9]{1,13}') THEN epoch_ms(TRY_CAST(x AS BIGINT))
    ELSE [venue_date(n) FOR n IN [venue_integer(x)]][1] END`
  ),
  macro(
    "venue_seconds(x)",
    "[venue_date(TRY_CAST(1000 * CAST(n AS HUGEINT) AS BIGINT)) FOR n IN [venue_integer(x)]][1]"
  ),
  macro(
    "venue_instant(x)",
    `[venue_date(CASE WHEN n BETWEEN ${1 - Column.border} AND ${Column.border - 1} THEN 1000 * n ELSE n END) FOR n IN [venue_integer(x)]][1]`
  )
]

/** The macros that read JSON, and keep the spelling of its numbers and escapes. */
export const jsonMacros: ReadonlyArray<string> = [
  "-- A line of JSON whose escapes are marked, and whose numbers are texts.",
  macro(
    "venue_encode(line)",
    String.raw`replace(replace(replace(regexp_replace(
    replace(replace(replace(replace(line, '${mark}', '${mark}n'), '\\', '${mark}d'), '\"', '${mark}q'), '\', '${mark}b'),
    '("[^"]*")|(-?[0-9][0-9.eE+-]*)', '\1' || chr(1) || '\2' || chr(2), 'g'), chr(1) || chr(2), ''), chr(1), '"${mark}#'), chr(2), '"')`
  ),
  "-- JSON as the line spells it.",
  macro(
    "venue_spelling(x)",
    String.raw`replace(replace(replace(replace(regexp_replace(x, '"${mark}#([^"]*)"', '\1', 'g'), '${mark}d', '\\'), '${mark}q', '\"'), '${mark}b', '\'), '${mark}n', '${mark}')`
  ),
  "-- The text of a value. NULL for a text that files of other formats do not have: with half of a surrogate pair, or U+0000.",
  macro(
    "venue_text(x)",
    `CASE WHEN NOT contains(x, '${mark}') THEN nullif(x, '')
    WHEN starts_with(x, '${mark}#') THEN substr(x, 3)
    WHEN contains(x, '"') THEN venue_spelling(x)
    WHEN contains(x, '${mark}bu0000') THEN NULL
    ELSE json_extract_string(TRY_CAST('"' || venue_spelling(x) || '"' AS JSON), '$') END`
  ),
  "-- The fields that no column has, as JSON.",
  macro(
    "venue_extra(line, names, unfit)",
    `CASE WHEN length(unfit) > 0 OR NOT list_has_all(names, json_keys(line))
    THEN venue_spelling('{' || array_to_string([CAST(to_json(e.key) AS VARCHAR) || ':' || CAST(e.value AS VARCHAR)
      FOR e IN map_entries(CAST(line::JSON AS MAP(VARCHAR, JSON))) IF NOT list_contains(names, e.key) OR list_contains(unfit, e.key)], ',') || '}') END`
  )
]

/** Whether the files are in folders by month. */
const isByMonth = (files: ReadonlyArray<string>): boolean => files.some((file) => file.includes("/month="))

/** The selected columns after those of the dataset: the month if the files are split, and the file name. */
export const selectFromFiles = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  isByMonth(files) ? ["month", "filename"] : ["filename"]

/**
 * The list of files and the options to read them together, with their names. Only folders of months become a column, not other folders of
 * the path.
 */
export const ofFiles = (files: ReadonlyArray<string>): string =>
  `filename = true, hive_partitioning = ${isByMonth(files)}${isByMonth(files) ? ", hive_types_autocast = false" : ""}`

/** Like `ofFiles`, if a column is missing in some files. */
export const together = (files: ReadonlyArray<string>): string => `${ofFiles(files)}, union_by_name = true`
