import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Manifest from "../model/Manifest.js"
import * as Files from "../files/folderFiles.js"
import * as FolderSession from "./folderSession.js"
import type { Session } from "./folderSession.js"
import { writeRejected, writeRows } from "./writePart.js"
import * as Views from "../formats/views.js"

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

/** Gives the windows of a part without new rows to its last file. */
const withoutFile = (part: Manifest.Part): Manifest.Part => {
  const others = part.files.slice(0, -1)
  const windows = part.windows.length - others.reduce((sum, file) => sum + file.windows, 0)
  return { ...part, files: [...others, ...part.files.slice(-1).map((last) => ({ ...last, windows }))] }
}

/** Writes the files that the journals of a part add, under private names, and returns the part with them. */
const finishPart = (session: Session, part: Manifest.Part) =>
  Effect.gen(function* () {
    const { folder, parts } = session
    const dataset = parts.find(({ name }) => name === part.name)?.dataset
    if (dataset === undefined) return yield* folder.fail(`there is no part ${part.name}`)
    const { rejectedRows, rows } = FolderSession.journalsOf(session, part)
    const ended =
      rows.length === 0 && part.files.length > 0
        ? { part: withoutFile(part), written: [] }
        : yield* writeRows(session, dataset, part, rows)
    return yield* writeRejected(session, ended, rejectedRows)
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
