/** The lint rules that need no types, for `npm run fix`: they take seconds for any number of files. */
import tseslint from "typescript-eslint"
import config from "./eslint.config.mjs"

export default tseslint.config(config, tseslint.configs.disableTypeChecked, {
  // A directive can silence a rule that needs types.
  linterOptions: { reportUnusedDisableDirectives: "off" },
  rules: { "venue/map-for-data": "off" }
})
