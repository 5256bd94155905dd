/** Takes secrets and whatever looks like a signature out of text that comes from elsewhere. */
export const scrubber = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  const known = secrets.filter((secret) => secret !== "")
  return (text) =>
    known
      .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, "<redacted>"), text)
      .replace(/\b[0-9a-f]{64}\b/g, "<redacted>")
}
