/** Whether a location is the address of a Postgres database, and no folder. */
export const isAddress = (location: string): boolean => /^postgres(ql)?:\/\//.test(location)

/** The address without what stands before the host, which may be a password. */
export const shown = (url: string): string => url.replace(/^(\w+:\/\/)[^@/]*@/, "$1").replace(/\?.*$/, "")
