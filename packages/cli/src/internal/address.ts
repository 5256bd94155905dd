/** Whether a location is the address of a Postgres database, and no folder. */
export const isAddress = (location: string): boolean => /^postgres(ql)?:\/\//.test(location)

/** The address without what stands before the host, which may be a password, however it is written, and without its options. */
export const shown = (url: string): string => url.replace(/^(\w+:\/\/).*@/s, "$1").replace(/\?.*$/s, "")

const variablePrefix = "env:"

/** The name of the variable that has the address; `undefined` where the location names none. */
export const variableOf = (location: string): string | undefined =>
  location.startsWith(variablePrefix) ? location.slice(variablePrefix.length) : undefined

/** Whether a location is a Postgres database: its address, or `env:NAME` for the one in a variable. */
export const isDatabase = (location: string): boolean => isAddress(location) || variableOf(location) !== undefined
