/** The variables of an account: its name in capitals, with `_` for every other character than letters and digits. */
export const variablesOf = (account: string): { readonly apiKey: string; readonly apiSecret: string } => {
  const name = account.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")
  return { apiKey: `VENUE_${name}_API_KEY`, apiSecret: `VENUE_${name}_API_SECRET` }
}
