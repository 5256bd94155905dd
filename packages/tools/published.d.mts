/** The types of published.mjs, for the tools in TypeScript. */

export interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export const tools: string
export const root: string
export const names: ReadonlyArray<string>
export const readJson: (file: string) => unknown
export const folderOf: (name: string) => string
export const manifestOf: (name: string) => Manifest
export const filesOf: (folder: string) => ReadonlyArray<string>
export const modulesOf: (name: string) => ReadonlyArray<string>
export const specifierOf: (name: string, module: string) => string
