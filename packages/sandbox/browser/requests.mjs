import { byId, instant, node, parseJson } from "./dom.mjs"

export const drawRequest = (row) => {
  const answer = parseJson(row.response ?? "")
  const message = answer && (answer.retMsg ?? answer.ret_msg)
  const signedText = /origin_string\[([^]*)\]$/.exec(message ?? "")?.[1]
  const refusal = row.fault
    ? "The fault " + row.fault.kind + " was applied."
    : row.code
      ? row.code + " " + message
      : row.status === 401
        ? "A header of the signature is missing."
        : ""
  const parts = [
    ["Request", row.method + " " + row.path + " at " + instant(row.at)],
    ["Parameters", JSON.stringify(row.parameters, null, 2)],
    ["Signature", row.signature],
    ["Text that should have been signed", signedText],
    ["Why refused", signedText ? "The signature does not fit this text, in which {key} stands for the key." : refusal],
    [
      "Answer",
      row.response === null
        ? "no response"
        : "HTTP " + row.status + "\n" + (answer ? JSON.stringify(answer, null, 2) : row.response)
    ]
  ]
  const list = parts.flatMap(([title, text]) => {
    if (!text) return []
    const value = node("dd")
    value.append(node("pre", text))
    return [node("dt", title), value]
  })
  byId("detail").replaceChildren(...list)
  byId("detail").parentElement.hidden = false
  byId("detail").parentElement.focus()
}
