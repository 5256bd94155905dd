import { byId, control, node, offer, on, rowButton } from "./dom.mjs"
import { inputOf, valueOf } from "./forms.mjs"

const fault = byId("fault").elements

// The kinds of faults with their fields, the operations and the scenarios are those of the OpenAPI document.

/** @type {Array<any>} */
let kinds = []
export const schemaOf = (paths, name) =>
  paths["/sandbox/control/" + name].post.requestBody.content["application/json"].schema
const kindOf = (schema) => schema.properties.kind.enum[0]

const drawKind = () => {
  const schema = kinds.find((kind) => kindOf(kind) === fault.kind.value)
  byId("meaning").textContent = "The caller receives: " + schema.description + "."
  const fields = Object.entries(schema.properties).filter(([name]) => name !== "kind")
  byId("fields").replaceChildren(...fields.map(([name, field]) => inputOf(name, field, schema.required.includes(name))))
}

fault.kind.addEventListener("change", drawKind)
on(byId("fault"), "submit", () => {
  const inputs = [...byId("fields").querySelectorAll("input, select")].filter(
    (input) => input.type === "checkbox" || input.value !== ""
  )
  const { count, kind, operation } = fault
  return control("addFaults", {
    rules: [
      {
        fault: { kind: kind.value, ...Object.fromEntries(inputs.map((input) => [input.name, valueOf(input)])) },
        ...(operation.value === "" ? {} : { operations: [operation.value] }),
        ...(count.value === "" ? {} : { count: Number(count.value) })
      }
    ]
  })
})
on(byId("clear"), "click", () => control("setFaults", { rules: [] }))

/** Offers the kinds of faults and the operations of the OpenAPI document. */
export const offerFaults = ({ components, paths }) => {
  const { oneOf } = schemaOf(paths, "addFaults").properties.rules.items.properties.fault
  kinds = oneOf.map(({ $ref }) => components.schemas[$ref.replace("#/components/schemas/", "")])
  offer(
    fault.kind,
    kinds.map((schema) => [kindOf(schema), kindOf(schema)])
  )
  drawKind()
  const operations = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .map(({ operationId }) => operationId)
  offer(
    fault.operation,
    operations.filter((name) => !name.startsWith("control.")).map((name) => [name, name]),
    [["", "all operations"]]
  )
}

const ruleText = ({ count, fault: { kind, ...fields }, operations = ["all operations"], ...rest }) =>
  [
    kind,
    ...Object.entries({ ...fields, ...rest }).map(
      ([name, value]) => name + " " + (typeof value === "string" ? value : JSON.stringify(value))
    ),
    "on " + operations.join(", "),
    ...(count === undefined ? [] : [count === 1 ? "once" : count + " times"])
  ].join(", ")

let lastRules = ""

/** Lists the faults that are set, each with a button that removes it. */
export const drawRules = (rules) => {
  const text = JSON.stringify(rules)
  if (lastRules === text) return
  lastRules = text
  byId("rules").replaceChildren(
    ...rules.map((rule, index) => {
      const item = node("li", ruleText(rule) + " ")
      item.append(rowButton("Remove", ruleText(rule), () => control("setFaults", { rules: rules.toSpliced(index, 1) })))
      return item
    })
  )
}
