/** The elements of the page, requests to the control path, and actions with their failures. Values become text nodes, never HTML. */

/** @type {(id: string) => any} */
export const byId = (id) => document.getElementById(id)
export const problem = byId("problem")

export const node = (tag, text, className) => {
  const element = document.createElement(tag)
  if (text !== undefined) element.textContent = text
  if (className) element.className = className
  return element
}

/** A request to the control path. Fails with the message of its refusal. */
export const control = async (name, argument) => {
  const response = await fetch(
    "/sandbox/control/" + name,
    argument === undefined ? {} : { method: "POST", body: JSON.stringify(argument) }
  )
  const json = await response.json()
  if (!response.ok) throw new Error(json.error === "InvalidArgument" ? json.field + " " + json.message : json.message)
  return json
}

/** Several readings by one request. */
export const readAll = async (...commands) => (await control("", { commands })).results

const refreshing = { refresh: () => Promise.resolve() }

/** Sets what is read again after an action. */
export const onRefresh = (refresh) => {
  refreshing.refresh = refresh
}

export const unreachable = "The sandbox does not answer."

/** Reports a failure until the next success of its kind. */
export const reportFailures = async (action, isOver) => {
  try {
    await action()
    if (isOver()) problem.textContent = ""
  } catch (error) {
    problem.textContent =
      error instanceof TypeError ? unreachable : error instanceof Error ? error.message : String(error)
  }
}

/** Runs an action and shows its result. A failure stays until the next action. */
export const attempt = (action) =>
  reportFailures(
    () => action().then(() => refreshing.refresh()),
    () => true
  )

export const on = (target, event, action) =>
  target.addEventListener(event, (event) => {
    event.preventDefault()
    attempt(action)
  })

/** Replaces the options of a select if they have changed, and keeps the choice. */
export const offer = (select, options, first = []) => {
  const text = JSON.stringify(options)
  if (select.dataset.shown === text) return
  select.dataset.shown = text
  const { value } = select
  select.replaceChildren(...[...first, ...options].map(([value, text]) => new Option(text, value)))
  if ([...select.options].some((option) => option.value === value)) select.value = value
}

export const parseJson = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const instant = (millis) => new Date(Number(millis)).toISOString().replace("T", " ").slice(0, 19)
/** A button in a row of a table, named after what it acts on. */
export const rowButton = (label, subject, action) => {
  const button = node("button", label, "small")
  button.type = "button"
  button.setAttribute("aria-label", label + " " + subject)
  on(button, "click", action)
  return button
}

/** An action that only reads the page again. */
export const readAgain = () => Promise.resolve()
