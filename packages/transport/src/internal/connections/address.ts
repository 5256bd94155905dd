// A gateway serves http and https of one host from one address, and counts them together.
const defaultPorts = new Set(["", "80", "443"])

/** How many addresses are remembered: more hosts than this are no error, only slower. */
const remembered = 1024

const memo = new Map<string, string>()

const parse = (baseUrl: string): string => {
  if (!URL.canParse(baseUrl)) return baseUrl
  const { hostname, port } = new URL(baseUrl)
  if (hostname === "") return baseUrl
  const name = hostname.replace(/\.$/, "")
  return defaultPorts.has(port) ? name : `${name}:${port}`
}

/**
 * What the service counts and bans by, and whose clock is learnt: hostname and port of a base URL. Path prefixes do not matter, nor
 * which of http and https it is on a default port. Text that is no URL stands for itself.
 */
export const of = (baseUrl: string): string => {
  const found = memo.get(baseUrl)
  if (found !== undefined) return found
  if (memo.size === remembered) memo.clear()
  const address = parse(baseUrl)
  memo.set(baseUrl, address)
  return address
}
