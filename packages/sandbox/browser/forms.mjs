import { node } from "./dom.mjs"

/** A field of a form, by its schema. */
export const inputOf = (name, schema, isRequired) => {
  const label = node("label", name + " ")
  const { type } = schema
  const input = node(schema.enum ? "select" : "input")
  if (schema.enum) input.append(...schema.enum.map((value) => new Option(value)))
  if (type === "boolean") [input.type, label.className] = ["checkbox", "check"]
  if (type === "number" || type === "integer" || schema.$ref)
    [input.type, input.step, input.className] = ["number", "any", "short"]
  input.name = name
  input.required = isRequired && type !== "boolean"
  label.title = schema.description || ""
  label.append(input)
  return label
}

/** The value of a field, as JSON. */
export const valueOf = (input) =>
  input.type === "checkbox" ? input.checked : input.type === "number" ? Number(input.value) : input.value
