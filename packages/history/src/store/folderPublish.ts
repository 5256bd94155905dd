import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Manifest from "../model/Manifest.js"
import * as Files from "../files/folderFiles.js"
import * as FolderSession from "./folderSession.js"
import type { Session } from "./folderSession.js"
import { writePart } from "./writePart.js"
import * as Gaps from "../model/gaps.js"
import * as Views from "../formats/views.js"
import type * as Dataset from "../model/Dataset.js"
import * as DatasetWindows from "../model/datasetWindows.js"

const writeViews = (session: Session, manifest: Manifest.Manifest) =>
  Effect.gen(function* () {
    const { folder, format } = session
    const views = Views.make(format, manifest)
    if (views !== (yield* FolderSession.existingViews(session))) yield* folder.replace(folder.at(Views.fileName), views)
  })

/** The files with names of these parts, including those of a run that was frozen or killed while it removed them. */
const filesOfParts = ({ folder, parts }: Session) =>
  Effect.gen(function* () {
    const list = (...names: ReadonlyArray<string>) =>
      Effect.orElseSucceed(folder.fs.readDirectory(folder.at(...names)), (): ReadonlyArray<string> => [])
    const found: Array<string> = []
    const all = yield* list()
    for (const { name: part } of parts) {
      const isOfPart = (name: string) => name.startsWith(`${part}.`) && Files.fileEnding.test(name.slice(part.length))
      found.push(...all.filter(isOfPart))
      if (!all.includes(part)) continue
      for (const month of (yield* list(part)).filter((name) => /^month=\d{4}-\d\d$/.test(name))) {
        found.push(...(yield* list(part, month)).filter(isOfPart).map((name) => `${part}/${month}/${name}`))
      }
    }
    return found
  })

/** Syncs the folders of files to disk. */
const syncFolders = ({ folder, location }: Session, names: ReadonlyArray<string>) => {
  const folders = names.flatMap((name) =>
    name
      .split("/")
      .slice(0, -1)
      .map((_, index, all) => folder.at(...all.slice(0, index + 1)))
  )
  return Effect.forEach(new Set([location, ...folders]), folder.syncFolder, { discard: true })
}

/** Whether two lists of windows leave the same gaps. */
const isSameCoverage = (left: ReadonlyArray<Manifest.Window>, right: ReadonlyArray<Manifest.Window>): boolean =>
  JSON.stringify(Gaps.ofWindows(left)) === JSON.stringify(Gaps.ofWindows(right))

/**
 * Continues a part without new rows: adds no file, and appends the empty windows to those of the last file. If one request can cover them and the gaps
 * stay the same, they are merged with the last window, so that the manifest does not grow with every run.
 */
const withoutFile = (part: Manifest.Part, dataset: Dataset.Dataset<never, unknown>): Manifest.Part => {
  const [last, ...others] = part.files.toReversed()
  if (last === undefined) return part
  const files = others.toReversed()
  const covered = part.files.reduce((sum, { windows }) => sum + windows, 0)
  const [before, added] = [part.windows.slice(0, covered), part.windows.slice(covered)]
  const window = before.at(-1)
  const whole = window === undefined ? undefined : added.reduce(Manifest.joinWindow, window)
  if (window !== undefined && whole !== undefined && isSameCoverage([...before, ...added], before.with(-1, whole))) {
    const isOneRequest = DatasetWindows.windowsOf(dataset, { from: whole.from, to: whole.to }).length === 1
    if (isOneRequest) return { ...part, windows: [...before.slice(0, -1), whole], files: [...files, last] }
  }
  return { ...part, files: [...files, { ...last, windows: last.windows + added.length }] }
}

/** Writes the files that the journals of a part add, under private names, and returns the part with them. */
const finishPart = (session: Session, part: Manifest.Part) =>
  Effect.gen(function* () {
    const { folder, parts } = session
    const dataset = parts.find(({ name }) => name === part.name)?.dataset
    if (dataset === undefined) return yield* folder.fail(`there is no part ${part.name}`)
    const journals = FolderSession.journalsOf(session, part)
    const isEmpty = journals.rows.length === 0 && journals.rejectedRows.length === 0
    if (isEmpty && part.files.length > 0) return { part: withoutFile(part, dataset), written: [] }
    return yield* writePart(session, dataset, part, journals)
  })

/** Publishes the rows under their names, then the manifest, then discards the checkpoint. */
export const publish = (session: Session, unfinished: Manifest.Manifest) =>
  Effect.gen(function* () {
    const { current, folder, journal, manifest, overwrite } = session
    yield* folder.checkLock
    yield* journal.close
    const ended = yield* Effect.forEach(unfinished.parts, (part) => finishPart(session, part))
    const finished = { ...unfinished, parts: ended.map(({ part }) => part) }
    const after = Files.filesOf(Option.some(finished))
    const before = overwrite ? [...Files.filesOf(manifest), ...(yield* filesOfParts(session))] : Files.filesOf(manifest)
    const superseded = [...new Set(before)].filter((name) => !after.includes(name))
    const published = ended.flatMap(({ written }) => written.map(({ name }) => name))
    yield* FolderSession.checkOwned(session, published, Option.isSome(current) ? current.value.head.claimed : [])
    // A run without new rows has no files.
    if (Option.isSome(current) && superseded.length + published.length > 0) {
      yield* FolderSession.saveHead(session, current.value, { superseded, claimed: published })
    }
    for (const name of published) yield* folder.publish(name, folder.at(name))
    if (published.length > 0) yield* syncFolders(session, published)
    // The views name files, and the files that have several versions of a record.
    if (superseded.length + published.length > 0) yield* writeViews(session, finished)
    yield* folder.replace(folder.at(Manifest.fileName), Manifest.encode(finished))
    yield* Files.removeSuperseded(folder, Option.some(finished), superseded)
    yield* FolderSession.forget(session)
    return finished
  })
