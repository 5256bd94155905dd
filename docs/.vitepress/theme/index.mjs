import Theme from "vitepress/theme"
import { Mermaid } from "./mermaid.mjs"
import "./style.css"

export default {
  extends: Theme,
  enhanceApp: ({ app }) => {
    app.component("Mermaid", Mermaid)
  }
}
