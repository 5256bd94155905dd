/**
 * The lint rules, run from the top of the repository: `eslint --config packages/tools/eslint.config.mjs .`
 *
 * Formatting is prettier's and the direction of imports between packages is dependency-cruiser's; neither is here.
 */
// @ts-check
import js from "@eslint/js"
import jsdoc from "eslint-plugin-jsdoc"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import tseslint from "typescript-eslint"
import { publicModules } from "./publicModules.mjs"
import commentedCast from "./rules/commented-cast.mjs"
import mapForData from "./rules/map-for-data.mjs"
import namedAfterFile from "./rules/named-after-file.mjs"
import tierTimeout from "./rules/tier-timeout.mjs"

const venue = {
  rules: {
    "commented-cast": commentedCast,
    "map-for-data": mapForData,
    "named-after-file": namedAfterFile,
    "tier-timeout": tierTimeout
  }
}

const root = path.resolve(fileURLToPath(import.meta.url), "../../..")

const sources = ["packages/*/src/**/*.ts"]
const tests = ["packages/*/test/**/*.ts"]
const configs = ["*.ts", "packages/*/*.ts"]
const scripts = ["packages/*/**/*.mjs", "packages/tools/*.cjs", "docs/.vitepress/**/*.mjs", ".dependency-cruiser.cjs"]

/** Packages at the edge, which may touch the world: the command, and what only measures or checks. */
const edges = [
  "packages/cli/src/**",
  "packages/bench/**",
  "packages/testing/**",
  "packages/clients/**",
  "packages/tools/**",
  "packages/simulation/src/main.ts"
]

/** Clients that know no schema, and what they look at in answers. */
const untyped = ["packages/clients/src/cases/*.ts"]

const time = "Time comes from `Clock` or `DateTime`, so that tests can move it."
const waiting = "Wait with `Effect.sleep` or a `Schedule`, so that tests can move time and interruption works."
const random = "Randomness comes from `Random`, so that a seed repeats it."
const output = "Say it with `Effect.log`; only the command line writes to the console."
const settings = "Settings come from `Config`; only the command line reads the process."

const bannedProperties = [
  { object: "Date", property: "now", message: time },
  { object: "performance", property: "now", message: time },
  { object: "Math", property: "random", message: random },
  { object: "process", property: "env", message: settings },
  ...["globalThis", "window", "self", "global"].flatMap((object) => [
    { object, property: "setTimeout", message: waiting },
    { object, property: "setInterval", message: waiting },
    { object, property: "setImmediate", message: waiting },
    { object, property: "console", message: output },
    { object, property: "process", message: settings },
    { object, property: "Date", message: time },
    { object, property: "Math", message: random },
    { object, property: "performance", message: time }
  ])
]

const measuring = "A test asserts no times: count the work (sandbox/test/utils/work.ts), and let the bench measure it."

/** What only a measurement would ask for. `Date.now` may be a timestamp of a request. */
const bannedInTests = [
  { object: "process", property: "cpuUsage", message: measuring },
  { object: "process", property: "hrtime", message: measuring },
  { object: "performance", property: "now", message: measuring }
]

const bannedGlobals = [
  { name: "setTimeout", message: waiting },
  { name: "setInterval", message: waiting },
  { name: "setImmediate", message: waiting },
  { name: "console", message: output }
]

const bannedModules = [
  { regex: "^(node:)?timers(/promises)?$", message: waiting },
  { regex: "^(node:)?console$", message: output },
  { regex: "^(node:)?process$", message: settings },
  { regex: "^(node:)?perf_hooks$", message: time }
]

const bannedSyntax = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: time },
  { selector: "CallExpression[callee.name='Date']", message: time }
]

const recursiveFolders = {
  selector: "CallExpression[callee.property.name='makeDirectory'] > ObjectExpression > Property[key.name='recursive']",
  message: "Recursive creation never ends where folders are refused, such as in /proc: use Folders.makeFolder."
}

const effectBarrel = {
  regex: "^(effect|@effect/(?!vitest$)[^/]+)(/index(\\.js)?)?$",
  message: 'Import the module, not the barrel: `import * as Effect from "effect/Effect"`.'
}

const ownBarrel = {
  regex: "^@effect-venue/[^/]+(/index(\\.[jt]s)?)?/?$",
  message: 'Import the module, not the barrel: `import * as Orders from "@effect-venue/services/Orders"`.'
}

const ownIndex = {
  regex: "^\\.{1,2}(/\\.{1,2})*(/src)?(/index(\\.[jt]s)?)?/?$",
  message: "Import the module, not the package's index."
}

const neighbour = {
  regex: "^(\\.\\./)+(packages/)?(?!src/|dist/)[^./][^/]*/(src|dist)(/|$)",
  message: "Another package is imported by its name, not by its path."
}

/**
 * The same refusals for `import("effect")`, as an expression and as a type, which `no-restricted-imports` does not see.
 *
 * @param {ReadonlyArray<{ readonly message: string, readonly regex: string }>} patterns
 */
const inlineImports = (patterns) =>
  patterns.flatMap(({ message, regex }) => {
    const literal = `/${regex.replaceAll("/", "\\u002F")}/`
    return [
      { selector: `ImportExpression > Literal.source[value=${literal}]`, message },
      { selector: `TSImportType Literal[value=${literal}]`, message }
    ]
  })

/** The published packages. */
const published = fs
  .readdirSync(path.join(root, "packages"))
  .filter((name) => fs.existsSync(path.join(root, "packages", name, "exports.txt")))

/** Modules with capital initials that users do not import. */
const unpublished = [
  ...published.flatMap((name) =>
    publicModules(path.join(root, "packages", name))
      .filter(({ sibling }) => sibling)
      .map(({ file }) => `packages/${name}/src/${file}`)
  )
]

/** `@category` groups the pages of modules where the kind of a declaration does not (tools/src/generators/category.ts). The first line has those of Effect's packages. */
const categories = [
  ...["accessors", "annotations", "combinators", "comparisons", "config", "constants", "constructors", "conversions"],
  ...["getters", "instances", "layers", "metrics", "models", "predicates", "references", "running", "schemas"],
  ...["streams", "symbols", "tags", "testing", "type-level"],
  ...["datasets", "endpoints", "enumerations", "failures", "faults", "fields", "findings", "handlers", "sinks"]
]

/** Exported values, which have a docblock. Those of a service's `make` and `layer` would repeat its name. */
const exported = "ExportNamedDeclaration[declaration.declarations.0.id.name=/^(?!(make|layer)$)./]"

const definiteAssignment = {
  selector: ":matches(VariableDeclarator, PropertyDefinition)[definite=true]",
  message: "`!:` asserts to the compiler what it cannot check. Give it a value, or make it optional."
}

export default tseslint.config(
  {
    ignores: [
      "**/node_modules/",
      "**/dist/",
      "**/build/",
      "**/coverage/",
      "venue-data/",
      "venue-export/",
      "**/*.d.ts",
      "**/*.d.mts",
      // Programs as they are written beside an installed package.
      "packages/tools/consumers/"
    ]
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: ["packages/vitest.project.ts", "packages/vitest.run.ts"],
          defaultProject: "tsconfig.base.json"
        },
        tsconfigRootDir: root
      }
    },
    rules: {
      // The generator of `Effect.gen` may have nothing to wait for yet: the shape stays the same when it has.
      "require-yield": "off",
      // A class made by `Context.Tag` or `Schema.TaggedError` carries its shape and companions in a namespace of types.
      "@typescript-eslint/no-namespace": ["error", { allowDeclarations: true }],
      // A schema and its type, a tag and its shape share one name on purpose; the compiler refuses real clashes.
      "no-redeclare": "off",
      // `Schema.Struct.Type<{}>`, `Effect<A, E, {}>` and `string & {}` say "nothing more" in the types of effect.
      "@typescript-eslint/no-empty-object-type": [
        "error",
        { allowObjectTypes: "always", allowInterfaces: "with-single-extends" }
      ],
      // Effect writes `ReadonlyArray<A>` everywhere, and one way is enough.
      "@typescript-eslint/array-type": ["error", { default: "generic" }],
      // Arrows that hand a callback's nothing on (`() => resume(exit)`) are the usual form of `Effect.async`.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Numbers, booleans and branded texts read well in messages; objects still do not.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // The functions of effect's modules are values, not methods, but some are declared as methods of an interface.
      "@typescript-eslint/unbound-method": ["error", { ignoreStatic: true }],
      // `{ readonly [key: string]: A }` is how effect spells it; `Readonly<Record<string, A>>` says no more.
      "@typescript-eslint/consistent-indexed-object-style": "off",
      // `Deferred.make<void>()` and `Effect.async<void>(…)` are how Effect says that there is no value.
      "@typescript-eslint/no-invalid-void-type": "off",
      "@typescript-eslint/consistent-type-imports": [
        "error",
        { fixStyle: "separate-type-imports", disallowTypeAnnotations: false }
      ],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/no-unused-vars": [
        "error",
        {
          argsIgnorePattern: "^_",
          varsIgnorePattern: "^_",
          destructuredArrayIgnorePattern: "^_",
          ignoreRestSiblings: true
        }
      ]
    }
  },
  { files: [...sources, ...tests], plugins: { venue }, rules: { "venue/named-after-file": "error" } },
  {
    files: tests,
    // Those of the tools run by Node's own runner, which has no tiers.
    ignores: ["packages/tools/test/**"],
    rules: { "venue/tier-timeout": "error" }
  },
  { files: tests, rules: { "no-restricted-properties": ["error", ...bannedInTests] } },
  {
    files: sources,
    plugins: { venue },
    rules: {
      "venue/commented-cast": "error",
      "venue/map-for-data": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/ban-ts-comment": [
        "error",
        { "ts-ignore": true, "ts-expect-error": true, "ts-nocheck": true, "ts-check": false }
      ],
      "no-restricted-globals": ["error", ...bannedGlobals],
      "no-restricted-properties": ["error", ...bannedProperties],
      "no-restricted-syntax": [
        "error",
        ...bannedSyntax,
        recursiveFolders,
        definiteAssignment,
        ...inlineImports([effectBarrel, ownBarrel, ownIndex, neighbour])
      ],
      "@typescript-eslint/no-restricted-imports": [
        "error",
        { patterns: [...bannedModules, effectBarrel, ownBarrel, ownIndex, neighbour] }
      ]
    }
  },
  {
    files: edges,
    rules: {
      "no-restricted-globals": "off",
      "no-restricted-properties": "off",
      "no-restricted-syntax": [
        "error",
        recursiveFolders,
        definiteAssignment,
        ...inlineImports([effectBarrel, ownBarrel, ownIndex, neighbour])
      ],
      "@typescript-eslint/no-restricted-imports": [
        "error",
        { patterns: [effectBarrel, ownBarrel, ownIndex, neighbour] }
      ]
    }
  },
  {
    files: [...tests, ...untyped],
    rules: {
      // What a fixture or a server's answer holds is looked at as it is; an assertion says what it should be.
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      // A promise-returning runner or a throwing callback is often handed over as it is.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-restricted-imports": ["error", { patterns: [ownBarrel, neighbour] }]
    }
  },
  {
    // The runner of Node itself waits for what these return.
    files: ["packages/tools/test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", package: "node:test", name: ["describe", "it", "before", "after"] }
          ]
        }
      ]
    }
  },
  {
    files: published.map((name) => `packages/${name}/src/**/[A-Z]*.ts`),
    ignores: unpublished,
    plugins: { jsdoc },
    rules: {
      "jsdoc/require-jsdoc": [
        "error",
        { contexts: [exported], enableFixer: false, require: { FunctionDeclaration: false } }
      ],
      "jsdoc/no-restricted-syntax": [
        "error",
        {
          contexts: [
            {
              context: "any",
              comment: `JsdocBlock:has(JsdocTag[tag=category]:not([name=/^(${categories.join("|")})$/]))`,
              message: `The categories are ${categories.join(", ")}.`
            }
          ]
        }
      ]
    }
  },
  { files: ["packages/*/src/index.ts"], rules: { "@typescript-eslint/no-restricted-imports": "off" } },
  {
    // The script of the sandbox's page.
    files: ["packages/sandbox/browser/*.mjs"],
    languageOptions: {
      globals: Object.fromEntries(
        [
          "document",
          "location",
          "navigator",
          "crypto",
          "fetch",
          "confirm",
          "Option",
          "Blob",
          "TextEncoder",
          "URLSearchParams"
        ].map((name) => [name, "readonly"])
      )
    }
  },
  {
    // Plain JavaScript, and what is in no project of the compiler: no rule that needs types.
    files: [...configs, ...scripts],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: Object.fromEntries(
        [
          "process",
          "console",
          "performance",
          "URL",
          "module",
          "require",
          "__dirname",
          "setTimeout",
          "clearTimeout"
        ].map((name) => [name, "readonly"])
      )
    },
    rules: {
      "@typescript-eslint/no-require-imports": "off",
      "@typescript-eslint/no-restricted-imports": "off",
      "no-restricted-syntax": "off"
    }
  }
)
