/** The version of the command. */
export const version = "0.1.0"
