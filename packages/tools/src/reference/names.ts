/** The pages of the domains. */

const pages: { readonly [domain: string]: string } = {
  Orders: "orders",
  Positions: "positions",
  Executions: "executions",
  Instruments: "instruments",
  Account: "account",
  Assets: "assets",
  Broker: "broker",
  ApiLimits: "api-limits"
}

export const domains: ReadonlyArray<string> = Object.keys(pages)

/** The file of a domain's page. */
export const fileOf = (domain: string): string => {
  const name = pages[domain]
  if (name === undefined) throw new Error(`there is no page for ${domain}`)
  return `${name}.md`
}

/** The title of a domain's page. */
export const titleOf = (domain: string): string => (domain === "ApiLimits" ? "API limits" : domain)

/** `executions.list` is at `executions.md#list`. */
export const pageOf = (operation: string): string => {
  const [domain = "", method = ""] = operation.split(".")
  return `${fileOf(`${domain.charAt(0).toUpperCase()}${domain.slice(1)}`)}#${method.toLowerCase()}`
}
