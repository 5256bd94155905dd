// A gateway serves http and https of a host from one address, and counts them together.
const defaultPorts = new Set(["", "80", "443"])

/** The number of cached addresses. More hosts are allowed, but slower. */
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
 * The address by which the service counts and bans, and whose clock is estimated: hostname and port of a base URL. Path prefixes are ignored, and http and
 * https on their default ports are the same address. Text that is not a URL is returned unchanged.
 */
export const of = (baseUrl: string): string => {
  const found = memo.get(baseUrl)
  if (found !== undefined) return found
  if (memo.size === remembered) memo.clear()
  const address = parse(baseUrl)
  memo.set(baseUrl, address)
  return address
}
