/** A field that is text and not empty. */
export const textOf = (value: unknown, name: string): string | undefined => {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof text === "string" && text !== "" ? text : undefined
}
