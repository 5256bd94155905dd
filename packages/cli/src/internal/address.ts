/** Whether a location is the address of a Postgres database, and no folder. */
export const isAddress = (location: string): boolean => /^postgres(ql)?:\/\//.test(location)

/** The address without what stands before the host, which may be a password, however it is written, and without its options. */
export const shown = (url: string): string => url.replace(/^(\w+:\/\/).*@/s, "$1").replace(/\?.*$/s, "")
