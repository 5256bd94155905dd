// The modules that a module can import: `npm run check -- imports`, over src and test of every package.

const fs = require("node:fs")
const path = require("node:path")
const internalTests = require("./packages/tools/internalTests.cjs")
const rooms = require("./packages/tools/rooms.cjs")

// Each package may import those before it.
const line = ["schemas", "signing", "transport", "services", "history", "books", "fleet", "cli"]

const sources = (...names) => `^packages/(${names.join("|")})/src/`

// By path, and by name where the importing package does not even depend on it, so that the right rule speaks.
const packages = (...names) => `^(packages|@effect-venue)/(${names.join("|")})(/|$)`

/** The files that a package opens for the other packages of this repository. */
const siblings = fs.readdirSync(path.join(__dirname, "packages")).flatMap((name) => {
  const manifest = path.join(__dirname, "packages", name, "package.json")
  if (!fs.existsSync(manifest)) return []
  return Object.entries(JSON.parse(fs.readFileSync(manifest, "utf8")).exports ?? {})
    .filter(([opened]) => opened.startsWith("./siblings/"))
    .map(([, file]) => `^packages/${name}/${file.slice(2).replaceAll(".", "\\.")}$`)
})

const onward = line.slice(0, -1).map((name, index) => ({
  name: `${name}-imports-only-what-comes-before`,
  comment: `The direction is ${line.join(" <- ")}.`,
  severity: "error",
  from: { path: sources(name) },
  to: { path: packages(...line.slice(index + 1)) }
}))

const inRooms = (name, folders) => `^packages/${name}/src/(${folders.join("|")})/`

const roomOrder = Object.entries(rooms).flatMap(([name, order]) => [
  ...order.slice(0, -1).map((room, index) => ({
    name: `${name}-${room}-imports-only-rooms-before-it`,
    comment: `The rooms of ${name} are ${order.join(" <- ")}.`,
    severity: "error",
    from: { path: inRooms(name, [room]) },
    to: { path: inRooms(name, order.slice(index + 1)) }
  })),
  {
    name: `${name}-has-no-other-rooms`,
    severity: "error",
    from: { path: `^packages/${name}/` },
    to: { path: `^packages/${name}/src/[^/]+/`, pathNot: inRooms(name, order) }
  }
])

const testedInside = internalTests.map((file) => `^${file.replaceAll(".", "\\.")}$`)

/** Modules of one room can name the types of each other. */
const typeCircles = fs.readdirSync(path.join(__dirname, "packages"), { withFileTypes: true }).flatMap(({ name }) => {
  const src = path.join(__dirname, "packages", name, "src")
  if (name === "tools" || !fs.existsSync(src)) return []
  const folders = fs.readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.map((folder) => ({
    name: "no-circle-of-types",
    comment: "Circles of types through several rooms are refused.",
    severity: "error",
    from: { path: inRooms(name, [folder.name]) },
    to: {
      circular: true,
      viaOnly: { pathNot: inRooms(name, [folder.name]) }
    }
  }))
})

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...onward,
    ...roomOrder,
    {
      name: "redis-imports-only-signing-and-transport",
      comment: "It is beside services and history: neither needs it.",
      severity: "error",
      from: { path: sources("redis") },
      to: { path: "^(packages|@effect-venue)/", pathNot: packages("redis", "signing", "transport") }
    },
    {
      name: "nothing-published-imports-redis",
      severity: "error",
      from: { path: sources(...line, "sandbox") },
      to: { path: packages("redis") }
    },
    {
      name: "sandbox-imports-only-schemas-and-signing",
      comment: "The sandbox checks what the client sends by itself: it must not share the client's code.",
      severity: "error",
      from: { path: sources("sandbox") },
      to: { path: "^(packages|@effect-venue)/", pathNot: packages("sandbox", "schemas", "signing") }
    },
    {
      name: "nothing-imports-sandbox",
      comment: "The sandbox is for tests, examples, measurements and the command.",
      severity: "error",
      from: {
        path: "^packages/[^/]+/src/",
        pathNot: sources("sandbox", "cli", "bench", "clients", "examples", "soak", "simulation")
      },
      to: { path: packages("sandbox") }
    },
    {
      name: "nothing-imports-what-is-private",
      comment: "Tools, measurements and examples are at the end: no published package knows them.",
      severity: "error",
      from: { path: sources(...line, "redis", "sandbox") },
      to: {
        path: packages("tools", "bench", "clients", "examples", "testing", "soak", "simulation")
      }
    },
    {
      name: "no-dev-dependency-in-published-sources",
      comment: "Users install dependencies and peers. The command is bundled.",
      severity: "error",
      from: { path: sources(...line.filter((name) => name !== "cli"), "redis", "sandbox") },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg"],
        dependencyTypesNot: ["npm", "npm-peer", "npm-optional"],
        pathNot: "node_modules/@types/"
      }
    },
    {
      name: "no-tests-in-sources",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { path: "^packages/[^/]+/test/" }
    },
    {
      name: "tests-import-public-modules",
      comment:
        "A test of an internal module holds a shape, not a behaviour. Exceptions: packages/tools/internalTests.cjs.",
      severity: "error",
      from: { path: `^packages/(${[...line, "redis", "sandbox"].join("|")})/test/`, pathNot: testedInside },
      to: { path: ["^packages/[^/]+/src/[a-z][^/]*$", "^packages/[^/]+/src/.+/[a-z][^/]*$"] }
    },
    {
      name: "no-circle",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } }
    },
    ...typeCircles,
    {
      name: "another-package-by-its-name",
      comment: "The exports map of a package decides what others can import.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/[^/]+/src/", pathNot: "^packages/$1/", dependencyTypes: ["local"] }
    },
    {
      name: "examples-import-what-users-import",
      comment: "Modules with `@sibling` are for the packages of this repository.",
      severity: "error",
      from: { path: "^packages/examples/src/" },
      to: { path: siblings }
    },
    {
      name: "docblocks-only-in-print",
      comment: "A program that prints no meaning of a field does not load them.",
      severity: "error",
      from: {
        path: "^packages/[^/]+/src/",
        pathNot: ["^packages/tools/src/", "/OpenApi\\.ts$", "/control/document\\.ts$"]
      },
      to: { path: "/Docblocks(\\.ts)?$" }
    },
    {
      name: "no-barrel",
      comment: "An index is for those who install the package. Inside the repository modules import modules.",
      severity: "error",
      from: { path: "^packages/" },
      to: { path: "^packages/[^/]+/(src|dist)/index\\.[jt]s$" }
    },
    {
      name: "no-built-output",
      severity: "error",
      from: { path: "^packages/[^/]+/(src|test)/" },
      to: { path: "^packages/[^/]+/(dist|build)/" }
    },
    {
      name: "no-unresolvable",
      comment: "Also what the exports map of a package closes, such as its internals.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true }
    },
    {
      name: "platform-node-at-the-edge",
      comment: "Everything else runs wherever @effect/platform does.",
      severity: "error",
      from: {
        path: "^packages/",
        pathNot: [
          "^packages/cli/src/",
          "^packages/sandbox/src/sandbox/Server\\.ts$",
          "/NodeConnections\\.ts$",
          "^packages/[^/]+/test/",
          "^packages/(bench|examples|soak|simulation)/"
        ]
      },
      to: { path: "(^|/)@effect/platform-node(-shared)?(/|$)" }
    }
  ],
  options: {
    doNotFollow: { path: "node_modules|^packages/[^/]+/(dist|build)/" },
    // Imports of types alone, which the compiler drops, are imports here.
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      mainFields: ["module", "main", "types"],
      extensions: [".ts", ".mjs", ".js", ".cjs", ".json", ".d.ts"]
    },
    cache: false
  }
}
