import { byId, control, node, offer, on, parseJson } from "./dom.mjs"
import { inputOf, valueOf } from "./forms.mjs"
import { schemaOf } from "./faults.mjs"

const choice = byId("choice").elements

// Every command, with a form from its schema.

/** @type {Record<string, any>} */
let commandSchemas = {}
const command = byId("command").elements

const drawCommand = () => {
  const { schema, summary } = commandSchemas[command.name.value]
  byId("summary").textContent = summary + "."
  const required = schema.required ?? []
  byId("arguments").replaceChildren(
    ...Object.entries(schema.properties ?? {}).map(([name, field]) => inputOf(name, field, required.includes(name)))
  )
  const uid = byId("arguments").querySelector("[name=uid]")
  if (uid) uid.value = choice.account.value
}

/** A field of a command: JSON for lists, records and numbers, text for everything else. */
const argumentOf = (input, { properties }) => {
  if (input.type === "checkbox" || input.type === "number") return valueOf(input)
  const { anyOf, enum: values, type } = properties[input.name]
  const isText =
    type === "string" || (values ?? []).some((value) => String(value) === input.value && typeof value === "string")
  const json = isText ? undefined : parseJson(input.value)
  return json === undefined || (anyOf && type === undefined && typeof json === "number") ? input.value : json
}

command.name.addEventListener("change", drawCommand)
on(byId("command"), "submit", async () => {
  const { schema } = commandSchemas[command.name.value]
  const inputs = [...byId("arguments").querySelectorAll("input, select")].filter((input) =>
    input.type === "checkbox" ? input.checked : input.value !== ""
  )
  const result = await control(
    command.name.value,
    Object.fromEntries(inputs.map((input) => [input.name, argumentOf(input, schema)]))
  )
  byId("result").textContent = JSON.stringify(result, null, 2)
})

/** Offers every command and scenario of the OpenAPI document. `restore` has a field for its file. */
export const offerCommands = ({ paths }) => {
  commandSchemas = Object.fromEntries(
    Object.values(paths).flatMap(({ post }) =>
      post && post.operationId.startsWith("control.") && post.operationId !== "control.restore"
        ? [
            [
              post.operationId.slice(8),
              { schema: post.requestBody.content["application/json"].schema, summary: post.summary }
            ]
          ]
        : []
    )
  )
  offer(
    command.name,
    Object.keys(commandSchemas).map((name) => [name, name])
  )
  drawCommand()
  const scenarios = schemaOf(paths, "openScenario").properties.name.enum
  offer(
    byId("scenario").elements.name,
    scenarios.map((name) => [name, name.replaceAll("-", " ")])
  )
}

// The whole state.

on(byId("snapshot"), "click", async () => {
  const link = node("a")
  link.href = URL.createObjectURL(new Blob([JSON.stringify(await control("snapshot"))], { type: "application/json" }))
  link.download = "sandbox.json"
  link.click()
  URL.revokeObjectURL(link.href)
})
on(byId("restore"), "change", async () => {
  const [file] = byId("restore").files
  if (file) await control("restore", JSON.parse(await file.text()))
})
on(byId("reset"), "click", async () => {
  if (confirm("Go back to the state that the sandbox started from?")) await control("reset", {})
})
