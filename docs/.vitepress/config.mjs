/**
 * The site of these files: `pnpm docs:build`. Nothing is loaded from elsewhere, the search included; a dead link fails
 * `check site`.
 */
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const docs = path.resolve(fileURLToPath(import.meta.url), "../..")
const tools = path.resolve(docs, "../packages/tools")

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

/** The ids of headings as the repository's own pages have them, so that one link works in both. */
const slugify = (title) =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-")

/** In the repository a folder's page is `README.md`, on the site `index.html`. VitePress rewrites the file and not the links. */
const folderPages = (md) => {
  const opened = md.renderer.rules.link_open
  md.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const href = tokens[index].attrGet("href") ?? ""
    if (!/^[a-z]+:/i.test(href)) tokens[index].attrSet("href", href.replace(/(^|\/)README\.md(?=#|$)/, "$1index.md"))
    return opened(tokens, index, options, env, self)
  }
}

/** What lies beside the documentation is no page of the site: links to it stay as what they say. */
const outside = (md) => {
  const { link_close: closed, link_open: opened } = md.renderer.rules
  const isOutside = (href, { relativePath = "" }) =>
    href !== null &&
    !/^([a-z]+:|#|\/)/i.test(href) &&
    path.posix.normalize(path.posix.join(path.posix.dirname(relativePath), href)).startsWith("../")
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

const page = (text, link) => ({ text, link })

export default {
  srcDir: ".",
  outDir: path.join(tools, "build", "site"),
  cacheDir: path.join(tools, "build", "site-cache"),
  title: "effect-venue",
  description: "The Effect-native library for an exchange's trading, position and asset service",
  cleanUrls: false,
  lastUpdated: false,
  rewrites: { "README.md": "index.md", ":folder/README.md": ":folder/index.md" },
  markdown: {
    theme: { light: "github-light", dark: "github-dark" },
    anchor: { slugify },
    config: (md) => {
      drawings(md)
      folderPages(md)
      outside(md)
    }
  },
  vite: {
    // What draws is installed beside the other tools, where the pages do not look.
    resolve: { alias: { mermaid: path.join(tools, "node_modules", "mermaid") } },
    build: { chunkSizeWarningLimit: 5000 }
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      page("Getting started", "/getting-started"),
      page("Reference", "/reference/"),
      page("Decisions", "/decisions/")
    ],
    sidebar: [
      {
        text: "Begin",
        items: [
          page("Overview", "/"),
          page("Getting started", "/getting-started"),
          page("Composing", "/composing"),
          page("Migrating from another SDK", "/migrating"),
          page("Examples", "/examples"),
          page("Contributing", "/contributing")
        ]
      },
      {
        text: "Rely on",
        items: [
          page("Failures", "/failures"),
          page("Retries and idempotency", "/money"),
          page("Rate limits and bans", "/rate-limits"),
          page("Signing and credentials", "/signing"),
          page("History exports", "/history"),
          page("Command line", "/cli"),
          page("Observability", "/observability"),
          page("Reliability", "/reliability"),
          page("Performance", "/performance"),
          page("Extending", "/extending")
        ]
      },
      {
        text: "Sandbox",
        items: [page("Testing with the sandbox", "/sandbox"), page("Market maker and its test", "/bot")]
      },
      {
        text: "Reference",
        items: [
          page("All operations", "/reference/"),
          page("Orders", "/reference/orders"),
          page("Positions", "/reference/positions"),
          page("Executions", "/reference/executions"),
          page("Instruments", "/reference/instruments"),
          page("Account", "/reference/account"),
          page("Assets", "/reference/assets"),
          page("Broker", "/reference/broker"),
          page("API limits", "/reference/api-limits"),
          page("Rules and their tests", "/reference/rules"),
          page("Clients of others", "/reference/clients")
        ]
      },
      { text: "Decisions", items: [page("Records", "/decisions/")] }
    ]
  }
}
