/** llms.txt and llms-full.txt, as llmstxt.org describes them, and the Markdown of every page, which they name. */
import * as fs from "node:fs"
import * as path from "node:path"
import { filesOf } from "../repository/repository.js"

const linksIn = (markdown: string): ReadonlyArray<string> =>
  Array.from(markdown.matchAll(/\]\(([\w/.-]+\.md)\)/g), ([, link = ""]) => link)

/** The overview of the documentation and the list of modules. */
const overview = (home: string, guides: string, modules: string): string =>
  [
    `# effect-venue\n\n> ${/tagline: (.*)/.exec(home)?.[1] ?? ""}`,
    guides.replace(/^# .*\n/, "").replaceAll(/^(\w.*):$/gm, "## $1"),
    modules
      .replaceAll(/^#+ (.*)$/gm, (_, title: string) => (title === "Modules" ? "## Modules" : `### ${title}`))
      .replaceAll(/\]\((?!\.\.\/)/g, "](modules/")
      .replaceAll("](../", "](")
  ].join("\n")

/** Pages about the project rather than its use. */
const aside = /^(decisions\/.*|contributing|changelog|effect-4|performance|reference\/(rules|clients))\.md$/

/** Writes the files for the pages of a folder into the site. */
export const writeLlms = (pages: string, site: string): void => {
  const readPage = (file: string): string => fs.readFileSync(path.join(pages, file), "utf8")
  for (const file of filesOf(pages).filter((one) => one.endsWith(".md") && one !== "home.md")) {
    fs.cpSync(path.join(pages, file), path.join(site, file))
  }
  const [home = "", guides = "", modules = "", reference = ""] = [
    ...["home.md", "README.md", "modules/README.md", "reference/README.md"]
  ].map(readPage)
  const all = [...linksIn(guides), ...linksIn(reference).map((file) => `reference/${file}`)]
  const full = [...new Set(all)].filter((file) => !aside.test(file))
  fs.writeFileSync(path.join(site, "llms.txt"), overview(home, guides, modules))
  fs.writeFileSync(
    path.join(site, "llms-full.txt"),
    full.map((file) => `<!-- ${file} -->\n\n${readPage(file)}`).join("\n\n")
  )
}
