import type { Metafile } from "esbuild"

export interface Bundle {
  /** The file to run. */
  readonly file: string
  /** What each file of the bundle is made of. */
  readonly metafile: Metafile
}

/** Builds the command into a folder. Its sources are those of the repository, unless `root` is another. */
export declare const bundle: (folder: string, root?: string) => Promise<Bundle>

/** Builds the program of the published package into a folder. */
export declare const publish: (folder: string) => Promise<Bundle>

/** The file to run of the command as its sources are now, built when there is no build of them yet. */
export declare const current: (root?: string) => Promise<string>
