/** The address without user, password and options, also if it is not a valid URL. */
export const showAddress = (url: string): string => url.replace(/^(\w+:\/\/)?.*@/s, "$1").replace(/\?.*$/s, "")

/** A word with a user and a password: of a URL, or of one whose scheme was left out. */
const hasPassword = (word: string): boolean => /:.*@/s.test(word)

/**
 * Removes users and passwords from a text: those in the words of the command, since an address can be typed in the wrong place, and those
 * of other URLs.
 */
export const withoutPasswords = (text: string, words: ReadonlyArray<string>): string =>
  words
    .flatMap((word) => [word, word.replace(/^--?[\w-]+=/, "")])
    .filter(hasPassword)
    .reduce((rest, word) => rest.replaceAll(word, showAddress(word)), text)
    .replace(/(\w+:\/\/)[^\s"']*@/g, "$1")

const variablePrefix = "env:"

/** The name of the variable that contains the address; `undefined` if the location is not `env:NAME`. */
export const variableOf = (location: string): string | undefined =>
  location.startsWith(variablePrefix) ? location.slice(variablePrefix.length) : undefined

/** Whether a location is meant as a database: any URL, or `env:NAME`. */
export const isDatabase = (location: string): boolean => location.includes("://") || variableOf(location) !== undefined
