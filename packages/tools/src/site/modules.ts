/**
 * A page for each public module, from its declarations and docblocks. The pages are made with the site and not committed. A `{@link}` that leads
 * nowhere is an error.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import {
  Application,
  Comment,
  CommentTag,
  Converter,
  DeclarationReflection,
  LiteralType,
  ReferenceType,
  ReflectionFlag,
  ReflectionKind,
  UnionType,
  UnknownType
} from "typedoc"
import type { Context, ProjectReflection, Reflection, SomeType, TypeDocOptions } from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import { modulesOf, names, sourceOf, specifierOf } from "../repository/published.js"
import { root, tools } from "../repository/repository.js"
import { categoryOf } from "../generators/category.js"
import { aboutOf } from "../reference/docblocks.js"
import { prose } from "../reference/markdown.js"

const program = path.join(tools, "build", "modules.json")

/** The packages that a program imports. `cli` is a command. */
const libraries = names.filter((name) => name !== "cli")

const entries = libraries.flatMap((name) =>
  modulesOf(name)
    .slice(1)
    .map((module) => sourceOf(name, module.name))
)

const options: Partial<TypeDocOptions & PluginOptions> = {
  plugin: ["typedoc-plugin-markdown"],
  tsconfig: program,
  entryPoints: entries,
  entryPointStrategy: "resolve",
  basePath: path.join(root, "packages"),
  skipErrorChecking: true,
  excludeInternal: true,
  excludeExternals: true,
  disableSources: true,
  disableGit: true,
  readme: "none",
  githubPages: false,
  logLevel: "Warn",
  treatWarningsAsErrors: true,
  validation: {
    notExported: false,
    invalidLink: true,
    notDocumented: false,
    rewrittenLink: false,
    unusedMergeModuleWith: false
  },
  notRenderedTags: ["@category"],
  categorizeByGroup: false,
  categoryOrder: ["tags", "references", "models", "failures", "layers", "constructors", "*"],
  pageTitleTemplates: { module: ({ name }: { name: string }) => path.basename(name) },
  router: "module",
  entryFileName: "README",
  membersWithOwnFile: [],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hideGroupHeadings: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  propertyMembersFormat: "table"
}

const isLong = (type: SomeType): boolean => type.toString().length > 100

const etc = new UnknownType("…")

/** A type without the anonymous structures in it, such as the wire side of an endpoint. */
const shortenType = (type: SomeType): SomeType => {
  if (!isLong(type)) return type
  if (type instanceof ReferenceType && type.typeArguments !== undefined) {
    type.typeArguments = type.typeArguments.map(shortenType)
    return type
  }
  const isNamed = type instanceof UnionType && type.types.every((member) => member instanceof ReferenceType)
  return isNamed ? type : etc
}

const declarations = (project: ProjectReflection): ReadonlyArray<DeclarationReflection> =>
  Object.values(project.reflections).filter((reflection) => reflection instanceof DeclarationReflection)

/** Moves the members of `namespace Orders` into the module, as `Orders.Shape`: a page for each would be a page for each type. */
const flattenNamespaces = (project: ProjectReflection): void => {
  for (const namespace of project.getReflectionsByKind(ReflectionKind.Namespace)) {
    const module = namespace.parent
    if (!(namespace instanceof DeclarationReflection && module instanceof DeclarationReflection)) continue
    for (const child of namespace.children ?? []) child.name = `${namespace.name}.${child.name}`
    project.mergeReflections(namespace, module)
  }
}

/** Gives a member of a module the category that follows from its declaration, if its docblock has none. */
const categorize = (reflection: DeclarationReflection, context: Context): void => {
  const declaration = context.getSymbolFromReflection(reflection)?.declarations?.[0]
  if (declaration === undefined) return
  const documented = reflection.signatures?.[0] ?? reflection
  documented.comment ??= new Comment()
  if (documented.comment.getTag("@category") !== undefined) return
  documented.comment.blockTags.push(new CommentTag("@category", [{ kind: "text", text: categoryOf(declaration) }]))
}

/** The classes are tags, references, failures and schemas: their constructors and what they extend are Effect's. */
const beforeResolving = (context: Context): void => {
  const { project } = context
  flattenNamespaces(project)
  for (const reflection of declarations(project)) {
    if (reflection.parent?.kindOf(ReflectionKind.Module) === true) categorize(reflection, context)
    const isOfEffect = reflection.kindOf(ReflectionKind.Constructor) || /^(message|_tag)$/.test(reflection.name)
    if (isOfEffect && reflection.parent?.kindOf(ReflectionKind.Class) === true) project.removeReflection(reflection)
  }
}

const simplify = (reflection: DeclarationReflection): void => {
  delete reflection.inheritedFrom
  delete reflection.overwrites
  delete reflection.implementationOf
  delete reflection.typeHierarchy
  if (reflection.kindOf(ReflectionKind.Class)) {
    for (const child of reflection.children ?? []) delete child.defaultValue
    const [tag] = reflection.extendedTypes ?? []
    // `TagClassShape<"@effect-venue/services/Orders", Orders.Shape, this>`
    const value = tag instanceof ReferenceType && tag.name === "TagClassShape" ? tag.typeArguments?.[1] : undefined
    if (value !== undefined) {
      reflection.comment ??= new Comment()
      reflection.comment.summary.push({ kind: "text", text: `\n\nIts value is \`${value.toString()}\`.` })
    }
  }
  if (reflection.kindOf(ReflectionKind.Variable)) {
    if (!(reflection.type instanceof LiteralType)) delete reflection.defaultValue
    if (reflection.type !== undefined) reflection.type = shortenType(reflection.type)
  }
}

const citation = /\(?\bdocs\/([\w/.-]+)\.md(#[\w-]+)?\)?/g

/** The comment of a reflection, with links to the pages that it cites. */
const cite = ({ comment }: Reflection): void => {
  for (const part of comment?.summary ?? []) {
    if (part.kind !== "text") continue
    part.text = part.text.replaceAll(
      citation,
      (_, page: string, heading = "") => `[(${path.basename(page)})](../../${page}.md${heading})`
    )
  }
}

const rename = (module: DeclarationReflection): void => {
  const [name = "", ...folders] = module.name.split("/")
  const file = folders.at(-1) ?? ""
  const code = `\`\`\`ts\nimport * as ${file} from "${specifierOf(name, file)}"\n\`\`\`\n\n`
  module.comment = new Comment([{ kind: "text", text: `${code}${aboutOf(name, file)}` }])
  module.name = `${name}/${file}`
}

const afterResolving = ({ project }: Context): void => {
  for (const reflection of Object.values(project.reflections)) {
    reflection.setFlag(ReflectionFlag.Readonly, false)
    if (reflection instanceof DeclarationReflection) simplify(reflection)
    if (reflection.parent?.isProject() === true && reflection instanceof DeclarationReflection) rename(reflection)
    cite(reflection)
  }
}

/** The page and heading of each exported name, such as `CallOptions.AttemptTimeout`. */
const addressesIn = (application: Application, project: ProjectReflection): ReadonlyMap<string, string> => {
  const addresses = new Map<string, string>()
  const add = (name: string, reflection: Reflection) => {
    if (!addresses.has(name)) addresses.set(name, application.renderer.router?.getFullUrl(reflection) ?? "")
  }
  for (const module of [...(project.children ?? [])].sort((a, b) => rank(a.name) - rank(b.name))) {
    const [name = "", file = ""] = module.name.split("/")
    add(specifierOf(name, file), module)
    for (const child of module.children ?? []) {
      add(child.name.startsWith(`${file}.`) ? child.name : `${file}.${child.name}`, child)
    }
  }
  return addresses
}

/** Of two modules with one name, the service is meant rather than the schemas. */
const rank = (name: string): number =>
  ["services", "transport", "history", "books", "sandbox", "signing", "fleet", "redis", "schemas"].indexOf(
    name.split("/")[0] ?? ""
  )

/** The modules by package, each with the first sentence of its docblock. */
const overview = (project: ProjectReflection): string =>
  [
    "# Modules",
    "",
    "Every module can be imported alone. The operations of the service with their parameters are in the [reference](../reference/README.md).",
    ...libraries.flatMap((name) => [
      `\n## ${name}\n`,
      ...(project.children ?? [])
        .filter((module) => module.name.startsWith(`${name}/`))
        .map((module) => {
          const about = prose(aboutOf(name, module.name.slice(name.length + 1))).split(/(?<=[^.]\.)\s/)[0] ?? ""
          return `- [${module.name}](${module.name}.md): ${about}`
        })
    ]),
    ""
  ].join("\n")

/** Writes the pages to a folder, and returns their addresses from there by the names that they describe. */
export const writeModules = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  fs.mkdirSync(path.dirname(program), { recursive: true })
  const compilerOptions = { composite: false, incremental: false, declarationMap: false, noEmit: true, types: ["node"] }
  fs.writeFileSync(program, JSON.stringify({ extends: "../../../tsconfig.base.json", files: entries, compilerOptions }))
  const application = await Application.bootstrapWithPlugins({ ...options, out: folder })
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, beforeResolving, 100)
  application.converter.on(Converter.EVENT_RESOLVE_END, afterResolving, -1000)
  const project = await application.convert()
  if (project === undefined) throw new Error("the modules could not be read")
  application.validate(project)
  // The router lives as long as the rendering.
  let addresses: ReadonlyMap<string, string> = new Map()
  application.renderer.postRenderAsyncJobs.push(() => {
    addresses = addressesIn(application, project)
    return Promise.resolve()
  })
  await application.generateOutputs(project)
  const { logger } = application
  if (logger.hasErrors() || logger.hasWarnings()) throw new Error("a docblock of a module has a problem: see above")
  fs.writeFileSync(path.join(folder, "README.md"), overview(project))
  return addresses
}
