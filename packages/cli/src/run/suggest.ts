import * as AutoCorrect from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import { listAlternatives } from "@effect-venue/schemas/siblings/Words"

// Suggests corrections of words.

const distance = (left: string, right: string): number =>
  AutoCorrect.levensteinDistance(left, right, CliConfig.defaultConfig)

/** The likely corrections of a word: the closest names, or those that begin with it; empty if none is close. */
export const nearest = (word: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const close = names
    .map((name) => ({ name, distance: distance(word, name) }))
    .filter(({ distance }) => distance <= Math.max(2, Math.floor(word.length / 4)))
  const least = Math.min(...close.map(({ distance }) => distance))
  const found = close.filter(({ distance }) => distance === least).map(({ name }) => name)
  return found.length > 0 || word.length < 3 ? found : names.filter((name) => name.startsWith(word))
}

/** Asks whether the user meant one of the names. */
export const suggest = (names: ReadonlyArray<string>): string => `did you mean ${listAlternatives(names)}?`

/** The rule of a parameter whose values are in upper case, if the text is not. */
export const upperCaseMistake = (name: string, text: string): string | undefined =>
  /[a-z]/.test(text) ? `${name}: "${text}" has lower-case letters: ${suggest([text.toUpperCase()])}` : undefined
