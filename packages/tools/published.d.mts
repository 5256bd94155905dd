/** The types of published.mjs, for the tools in TypeScript. */

export interface Manifest {
  readonly version: string
}

export const root: string
export const names: ReadonlyArray<string>
export const folderOf: (name: string) => string
export const manifestOf: (name: string) => Manifest
export const modulesOf: (name: string) => ReadonlyArray<string>
