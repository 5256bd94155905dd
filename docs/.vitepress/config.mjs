/** The site of these files: `npm run docs`. It loads nothing from another host. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { searchOptions } from "./search.mjs"

const docs = path.resolve(fileURLToPath(import.meta.url), "../..")
const tools = path.resolve(docs, "../packages/tools")

/** The pages: those of docs/, and a page for each module. */
const pages = path.join(tools, "build", "pages")

/** The id of a heading, as in the repository's pages. */
const slugOf = (title) =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-")

/** A block in mermaid's language is drawn by the reader's browser, from the text that is in the file. */
const drawings = (md) => {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { content, info } = tokens[index]
    return info.trim() === "mermaid"
      ? `<Mermaid code="${encodeURIComponent(content)}" />`
      : fence(tokens, index, ...rest)
  }
}

/**
 * In the repository a folder's page is `README.md`, on the site `index.html`; the first of all is the overview, since the site has a home
 * of its own. VitePress rewrites the file and not the links.
 */
const folderPages = (md) => {
  const opened = md.renderer.rules.link_open
  md.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const href = tokens[index].attrGet("href") ?? ""
    if (!/^[a-z]+:/i.test(href)) {
      const folder = path.posix.normalize(path.posix.join(path.posix.dirname(env.relativePath ?? ""), href, ".."))
      const name = folder === "." ? "overview.md" : "index.md"
      tokens[index].attrSet("href", href.replace(/(^|\/)README\.md(?=#|$)/, `$1${name}`))
    }
    return opened(tokens, index, options, env, self)
  }
}

/** Files beside the documentation or its pages are no pages of the site: links to them become their text. */
const outside = (md) => {
  const { link_close: closed, link_open: opened } = md.renderer.rules
  const isOutside = (href, { relativePath = "" }) =>
    href !== null &&
    !/^([a-z]+:|#|\/)/i.test(href) &&
    (/\.(json|service|ya?ml)$/.test(href) ||
      path.posix.normalize(path.posix.join(path.posix.dirname(relativePath), href)).startsWith("../"))
  const open = []
  md.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const out = isOutside(tokens[index].attrGet("href"), env)
    open.push(out)
    if (out) return `<span class="in-the-repository">`
    return opened === undefined ? self.renderToken(tokens, index, options) : opened(tokens, index, options, env, self)
  }
  md.renderer.rules.link_close = (tokens, index, options, env, self) => {
    if (open.pop() === true) return "</span>"
    return closed === undefined ? self.renderToken(tokens, index, options) : closed(tokens, index, options, env, self)
  }
}

/** The pages of modules, by the names that they describe. `npm run check -- site` writes them. */
const addresses = JSON.parse(fs.readFileSync(path.join(tools, "build", "addresses.json"), "utf8"))

/** Code that is the name of a module or of its export, such as `CallOptions.AttemptTimeout`, leads to its page. */
const namedCode = (md) => {
  const code = md.renderer.rules.code_inline
  md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
    const text = code(tokens, index, options, env, self)
    const address = Object.hasOwn(addresses, tokens[index].content) ? addresses[tokens[index].content] : undefined
    const isInLink = tokens[index - 1]?.type === "link_open"
    const folder = env.relativePath ?? ""
    if (address === undefined || isInLink || folder.startsWith("modules/")) return text
    return `<a href="/modules/${address.replace(".md", ".html")}">${text}</a>`
  }
}

const page = (text, link) => ({ text, link })

/** The title of a page: its first heading. */
const titleOf = (file) => /^# (.*)$/m.exec(fs.readFileSync(file, "utf8"))?.[1] ?? file

const decisions = fs
  .readdirSync(path.join(docs, "decisions"))
  .filter((file) => /^\d{4}-.*\.md$/.test(file))
  .sort()
  .map((file) => page(titleOf(path.join(docs, "decisions", file)), `/decisions/${file.replace(/\.md$/, "")}`))

const { version } = JSON.parse(fs.readFileSync(path.resolve(docs, "../packages/services/package.json"), "utf8"))

const sidebar = [
  {
    text: "Begin",
    items: [
      page("Use it in Effect", "/getting-started"),
      page("Export your history", "/export-your-history"),
      page("Test a bot in any language", "/test-a-bot"),
      page("Is it my exchange?", "/service"),
      page("All pages", "/overview")
    ]
  },
  {
    text: "Programs",
    items: [
      page("Composing an application", "/composing"),
      page("Several accounts", "/accounts"),
      page("Recipes", "/recipes"),
      page("Serve orders over HTTP", "/serve-orders"),
      page("Examples", "/examples"),
      page("Migrating from another SDK", "/migrating")
    ]
  },
  {
    text: "Calls",
    items: [
      page("Failures", "/failures"),
      page("Retries and idempotency", "/money"),
      page("Write journal", "/journal"),
      page("Guards", "/guards"),
      page("Rate limits and bans", "/rate-limits"),
      page("Signing and credentials", "/signing"),
      page("Observability", "/observability"),
      page("Reliability", "/reliability"),
      page("The simulation", "/simulation"),
      page("Performance", "/performance"),
      page("Extending", "/extending")
    ]
  },
  {
    text: "History",
    items: [
      page("Export history to files", "/history"),
      page("Streams and sinks", "/streams"),
      page("Read the export", "/read-the-export"),
      page("Books and pipes", "/books"),
      page("Report of an export", "/report"),
      page("Many accounts", "/fleet"),
      page("A fleet in an application", "/fleet-cluster"),
      page("Operations", "/operations/"),
      page("Command line", "/cli"),
      page("Doctor", "/doctor")
    ]
  },
  {
    text: "Tests",
    items: [
      page("Testing", "/testing"),
      page("Testing with the sandbox", "/sandbox"),
      page("The sandbox as a server", "/sandbox-server"),
      page("Faults", "/faults"),
      page("Market maker and its test", "/bot"),
      page("Your bot in Python", "/bot-in-python"),
      page("Your bot in plain TypeScript", "/bot-in-typescript")
    ]
  },
  {
    text: "Operations",
    items: [
      page("All operations", "/reference/"),
      page("Orders", "/reference/orders"),
      page("Positions", "/reference/positions"),
      page("Executions", "/reference/executions"),
      page("Instruments", "/reference/instruments"),
      page("Account", "/reference/account"),
      page("Assets", "/reference/assets"),
      page("Broker", "/reference/broker"),
      page("API limits", "/reference/api-limits")
    ]
  },
  {
    text: "The interface",
    items: [
      page("Limits", "/reference/limits"),
      page("Return codes", "/reference/return-codes"),
      page("Enumerations", "/reference/enumerations"),
      page("Signing", "/reference/signing"),
      page("Responses and errors", "/reference/responses"),
      page("Contradictions", "/reference/contradictions"),
      page("Listed operations", "/reference/listed-operations"),
      page("Rules and their tests", "/reference/rules"),
      page("Other clients", "/reference/clients")
    ]
  },
  {
    text: "Project",
    items: [page("Changelog", "/changelog"), page("Contributing", "/contributing"), page("Effect 4", "/effect-4")]
  },
  { text: "Modules", items: [page("All modules", "/modules/")] },
  { text: "Decisions", items: [page("All decisions", "/decisions/")] }
]

/** Pages that are not named above stand at the end, so that none is without a way to it. */
const linked = new Set(sidebar.flatMap(({ items }) => items.map(({ link }) => link)))

const more = fs
  .readdirSync(docs)
  .filter((file) => file.endsWith(".md") && !["README.md", "home.md"].includes(file))
  .map((file) => page(titleOf(path.join(docs, file)), `/${file.replace(/\.md$/, "")}`))
  .filter(({ link }) => !linked.has(link))

const groups = more.length === 0 ? sidebar : [...sidebar, { text: "More", items: more }]

/** The modules of each package, from the index of their pages. */
const modules = fs
  .readFileSync(path.join(pages, "modules", "README.md"), "utf8")
  .split("\n## ")
  .slice(1)
  .map((text) => ({
    text: text.split("\n", 1)[0],
    items: Array.from(text.matchAll(/^- \[[^/]*\/([^\]]*)\]\((.*)\.md\)/gm), ([, name, link]) =>
      page(name, `/modules/${link}`)
    )
  }))

/** The groups with the operations of a domain below its page. */
const groupsOf = (folder) =>
  groups.map(({ items, text }) => ({
    text,
    items: items.map((item) => {
      if (item.link !== `/reference/${folder}`) return item
      const methods = fs.readdirSync(path.join(docs, "reference", folder)).map((file) => file.replace(/\.md$/, ""))
      return { ...item, items: methods.map((method) => page(method, `/reference/${folder}/${method}`)) }
    })
  }))

const domains = fs
  .readdirSync(path.join(docs, "reference"), { withFileTypes: true })
  .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

export default {
  srcDir: pages,
  outDir: path.join(tools, "build", "site"),
  cacheDir: path.join(tools, "build", "site-cache"),
  lang: "en",
  title: "effect-venue",
  description: "The Effect-native library for an exchange's trading, position and asset service",
  cleanUrls: false,
  lastUpdated: false,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/favicon.svg" }]],
  rewrites: { "home.md": "index.md", "README.md": "overview.md", ":folder/README.md": ":folder/index.md" },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: slugOf },
    config: (md) => {
      drawings(md)
      folderPages(md)
      outside(md)
      namedCode(md)
    }
  },
  vite: {
    // What draws is installed beside the other tools, where the pages do not look.
    resolve: { alias: { mermaid: path.join(tools, "node_modules", "mermaid") } },
    build: { chunkSizeWarningLimit: 5000 }
  },
  themeConfig: {
    logo: "/favicon.svg",
    search: { provider: "local", options: { miniSearch: { searchOptions } } },
    outline: [2, 3],
    nav: [
      page("Effect", "/getting-started"),
      page("Export", "/export-your-history"),
      page("Bots", "/test-a-bot"),
      page("Reference", "/reference/"),
      page("Modules", "/modules/"),
      page(`v${version}`, "/changelog")
    ],
    // Each decision has the others beside it. A group that folds would be a button with a button inside.
    sidebar: {
      "/decisions/": [...groups, { text: "All of them", items: decisions }],
      "/modules/": [
        { text: "Modules", items: [page("All modules", "/modules/"), page("Overview", "/overview")] },
        ...modules
      ],
      ...Object.fromEntries(domains.map((folder) => [`/reference/${folder}`, groupsOf(folder)])),
      "/": groups
    }
  }
}
