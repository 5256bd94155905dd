import { attempt, byId, control, offer, on, readAgain } from "./dom.mjs"

const choice = byId("choice").elements

// The account: what a program needs to use it.

export /** @type {Array<any>} */
let holders = []
const holder = () => holders.find(({ uid }) => uid === choice.account.value)
const keyOf = () => holder()?.keys.find(({ apiKey }) => apiKey === byId("key").value)

const copy = async (text, button) => {
  await navigator.clipboard.writeText(text)
  const label = button.textContent
  button.textContent = "Copied"
  setTimeout(() => (button.textContent = label), 1500)
}

export const drawHolder = (accounts) => {
  holders = accounts
  const keys = holder()?.keys ?? []
  offer(
    byId("key"),
    keys.map(({ apiKey, readOnly, role }) => [apiKey, (role || "opened") + (readOnly ? ", reads only" : "")])
  )
  const key = keyOf()
  const text =
    key === undefined
      ? "This account has no key."
      : "export VENUE_BASE_URL=" +
        location.origin +
        "\nexport VENUE_API_KEY=" +
        key.apiKey +
        "\nexport VENUE_API_SECRET=" +
        key.apiSecret
  if (byId("variables").textContent !== text) byId("variables").textContent = text
}
byId("copy").addEventListener("click", (event) => attempt(() => copy(byId("variables").textContent, event.target)))
on(byId("key"), "change", readAgain)

// Orders: signed calls, as a program sends them, so that they are among the requests below.

const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

const sign = async (secret, text) => {
  if (!crypto.subtle)
    throw new Error("The browser signs only on pages of this machine: open the page at http://127.0.0.1.")
  const utf8 = new TextEncoder()
  const key = await crypto.subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign"
  ])
  return hex(await crypto.subtle.sign("HMAC", key, utf8.encode(text)))
}

/** Calls an operation of the service with the chosen key. Fails with the refusal. */
export const call = async (path, parameters) => {
  const key = keyOf()
  if (key === undefined) throw new Error("The account has no key: open one with the command openKey.")
  const body = JSON.stringify(parameters)
  const timestamp = String((await control("clock")).now)
  const headers = {
    "Content-Type": "application/json",
    "X-BAPI-API-KEY": key.apiKey,
    "X-BAPI-TIMESTAMP": timestamp,
    "X-BAPI-RECV-WINDOW": "5000",
    "X-BAPI-SIGN": await sign(key.apiSecret, timestamp + key.apiKey + "5000" + body)
  }
  const answer = await (await fetch("/cloud/trade/v3/" + path, { method: "POST", headers, body })).json()
  if (answer.retCode !== 0) throw new Error(answer.retCode + " " + answer.retMsg)
  return answer.result
}
