/** The steps of `pnpm check`. */
import * as fs from "node:fs"
import * as path from "node:path"
import { root, tools, tsx } from "../repository.js"

/** What a step runs with Node. */
export interface Step {
  /** A script and its arguments. */
  readonly run: ReadonlyArray<string>
  /** Further arguments, where it only reports. Defaults to none. */
  readonly report?: ReadonlyArray<string>
  /** Further arguments where it repairs what it can. Defaults to those with which it reports. */
  readonly fix?: ReadonlyArray<string>
  /** The steps whose output it reads. Defaults to the compiler's. */
  readonly after?: ReadonlyArray<string>
}

const installed = (name: string, file: string): string => path.join(tools, "node_modules", name, file)

/** A program in TypeScript, by its path from the top. */
const program = (file: string): ReadonlyArray<string> => ["--import", tsx, path.join(root, file)]

const tool = (module: string): ReadonlyArray<string> => program(`packages/tools/src/${module}.ts`)

/** One that writes files, or with `--check` compares them. */
const generator = (run: ReadonlyArray<string>): Step => ({ run, report: ["--check"], fix: [] })

/** Tests that Node's own runner runs. */
const tests = (...files: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["--import", tsx, "--test", "--test-reporter", "spec"],
  ...files.map((file) => path.join(tools, "test", file))
]

/** Listed here, because depcruise would look for a pattern's matches all through `node_modules`. */
const sourceFolders = (): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(root, "packages"))
    .flatMap((name) => [`packages/${name}/src`, `packages/${name}/test`])
    .filter((folder) => !folder.startsWith("packages/tools/") && fs.existsSync(path.join(root, folder)))

export const steps: Readonly<Record<string, Step>> = {
  types: { run: [installed("typescript", "bin/tsc"), "-b", "packages/tsconfig.json"], after: [] },
  lint: {
    run: [
      installed("eslint", "bin/eslint.js"),
      ...["--config", "packages/tools/eslint.config.mjs", "--max-warnings", "0", "."]
    ],
    fix: ["--fix"]
  },
  citations: { run: tool("citations") },
  imports: {
    run: [
      installed("dependency-cruiser", "bin/dependency-cruise.mjs"),
      ...["--config", ".dependency-cruiser.cjs"],
      ...sourceFolders()
    ]
  },
  format: {
    run: [installed("prettier", "bin/prettier.cjs"), "--log-level", "warn", "."],
    report: ["--check"],
    fix: ["--write"]
  },
  codegen: generator(tool("codegen")),
  manifests: generator(tool("manifests")),
  reference: generator(tool("reference/rules")),
  sentences: { run: tool("sentences"), fix: ["--write"] },
  operations: generator(tool("reference/operations")),
  // The saved measurements as docs/performance.md draws them.
  results: generator(program("packages/bench/src/draw.ts")),
  // The page of what other clients do, from the cases that their tests run.
  clients: generator(program("packages/clients/src/page.ts")),
  docs: { run: tool("docs") },
  unused: { run: [installed("knip", "bin/knip.js"), "--config", "packages/tools/knip.jsonc"] },
  sizes: { run: tool("sizes") },
  typetests: { run: [installed("tstyche", "build/bin.js"), "--config", "packages/tools/tstyche.json"] },
  packages: { run: tool("packages") },
  installs: generator(tool("installLines")),
  editor: { run: tests("editor.test.ts") },
  // Adds an operation to a copy of the repository as docs/contributing.md says.
  contributing: { run: tests("newOperation.test.ts") },
  site: { run: tool("site") },
  // What people look at, in a browser; the site is the one that the step before built.
  browser: { run: tool("browser"), after: ["types", "site"] },
  // The rules above are themselves seen to refuse what they should.
  rules: {
    run: tests(
      "eslint.test.ts",
      "imports.test.ts",
      "accept.test.ts",
      "citations.test.ts",
      "consumers.test.ts",
      "docs.test.ts",
      "reference.test.ts",
      "installLines.test.ts",
      "links.test.ts",
      "mutants.test.ts",
      "pnpm.test.ts",
      "release.test.ts",
      "rulesPage.test.ts",
      "schedule.test.ts",
      "sentences.test.ts",
      "TestReporter.test.ts"
    )
  }
}
