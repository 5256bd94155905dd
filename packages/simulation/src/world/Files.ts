/**
 * A file system in memory, as several processes share it. At a crash it forgets everything that was not synced: the bytes of files, and the names in
 * folders. Every operation is one step.
 */
import * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The identity of a node. */
interface Born {
  /** Reused when no node has it. */
  readonly number: number
  readonly bornAt: number
}

interface Folder extends Born {
  readonly kind: "Directory"
  modifiedAt: number
}

interface File extends Born {
  readonly kind: "File"
  bytes: Uint8Array
  /** The bytes that a crash leaves. */
  synced: Uint8Array
  modifiedAt: number
}

type Node = File | Folder

const empty = new Uint8Array(0)

const joinBytes = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 1))

const normal = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, "") : path)

const fail = (reason: PlatformError.SystemErrorReason, method: string, pathOrDescriptor: string) =>
  new PlatformError.SystemError({ reason, module: "FileSystem", method, pathOrDescriptor })

/** Runs an operation, or ends it; `half` is the operation cut short, if there is such a thing. */
export type FileStep = <A, E>(effect: Effect.Effect<A, E>, half?: Effect.Effect<unknown, E>) => Effect.Effect<A, E>

const attempt = <A>(run: () => A): Effect.Effect<A, PlatformError.PlatformError> =>
  Effect.try({
    try: run,
    catch: (error) => {
      if (error instanceof PlatformError.SystemError) return error
      throw error
    }
  })

const infoOf = (node: Node): FileSystem.File.Info => ({
  type: node.kind,
  mtime: Option.some(new Date(node.modifiedAt)),
  atime: Option.none(),
  birthtime: Option.some(new Date(node.bornAt)),
  dev: 0,
  ino: Option.some(node.number),
  mode: 0,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: FileSystem.Size(node.kind === "File" ? node.bytes.length : 0),
  blksize: Option.none(),
  blocks: Option.none()
})

/** The nodes of a disk by their paths, and the operations on them. */
export class Disk {
  #nodes = new Map<string, Node>([["/", { kind: "Directory", modifiedAt: 0, number: 0, bornAt: 0 }]])
  /** The names that a crash leaves. */
  readonly #durable = new Map<string, Node>(this.#nodes)

  /** Whether the disk has no more space: half of what is appended is written, and the rest fails. */
  isFull = false

  /** `now` is the clock by which files are stamped. */
  constructor(readonly now: () => number) {}

  /** The file system, with `step` around each operation. */
  files(step: FileStep): FileSystem.FileSystem {
    return fileSystemOf(this, step)
  }

  /** Everything that was not synced is gone. `keepsNames`: the names in folders had reached the disk all the same. */
  crash(keepsNames: boolean): void {
    if (keepsNames) for (const [key, node] of this.#nodes) this.#durable.set(key, node)
    if (keepsNames) for (const key of [...this.#durable.keys()]) if (!this.#nodes.has(key)) this.#durable.delete(key)
    const hasParents = (key: string): boolean => key === "/" || (this.#durable.has(key) && hasParents(parentOf(key)))
    this.#nodes = new Map([...this.#durable].filter(([key]) => hasParents(key)))
    for (const node of this.#nodes.values()) if (node.kind === "File") node.bytes = node.synced
  }

  /** The text of a file. */
  read(path: string): string | undefined {
    const node = this.#nodes.get(path)
    return node?.kind === "File" ? new TextDecoder().decode(node.bytes) : undefined
  }

  /** The paths of all files. */
  paths(): ReadonlyArray<string> {
    return [...this.#nodes].filter(([, { kind }]) => kind === "File").map(([path]) => path)
  }

  has(path: string): boolean {
    return this.#nodes.has(normal(path))
  }

  nodeAt(path: string, method: string): Node {
    const node = this.#nodes.get(normal(path))
    if (node === undefined) throw fail("NotFound", method, path)
    return node
  }

  fileAt(path: string, method: string): File {
    const node = this.#nodes.get(normal(path))
    if (node?.kind !== "File") throw fail("NotFound", method, path)
    return node
  }

  childrenOf(path: string): ReadonlyArray<string> {
    this.nodeAt(path, "readDirectory")
    const prefix = `${normal(path)}/`
    return this.#inside(normal(path))
      .map((key) => key.slice(prefix.length))
      .filter((name) => !name.includes("/"))
      .sort()
  }

  put(path: string, node: Node, method: string): void {
    if (!this.#nodes.has(parentOf(path))) throw fail("NotFound", method, path)
    this.#nodes.set(path, node)
  }

  putCopy(path: string, bytes: Uint8Array): void {
    const file: File = { kind: "File", bytes, synced: empty, modifiedAt: this.now(), ...this.#born() }
    this.put(normal(path), file, "copyFile")
  }

  write(file: File, at: number, bytes: Uint8Array): void {
    const before = file.bytes.length >= at ? file.bytes : joinBytes(file.bytes, new Uint8Array(at - file.bytes.length))
    file.bytes = joinBytes(joinBytes(before.subarray(0, at), bytes), before.subarray(at + bytes.length))
    file.modifiedAt = this.now()
  }

  sync(path: string, node: Node): void {
    if (node.kind === "File") {
      node.synced = node.bytes
      return
    }
    const isChild = (key: string) => key !== "/" && parentOf(key) === path
    for (const key of [...this.#durable.keys()].filter(isChild)) if (!this.#nodes.has(key)) this.#durable.delete(key)
    for (const [key, child] of this.#nodes) if (isChild(key)) this.#durable.set(key, child)
  }

  open(path: string, flag: FileSystem.OpenFlag): Node {
    const node = this.#nodes.get(path)
    if (flag.includes("x") && node !== undefined) throw fail("AlreadyExists", "open", path)
    if (flag.startsWith("r")) return this.nodeAt(path, "open")
    const file: Node = node ?? { kind: "File", bytes: empty, synced: empty, modifiedAt: this.now(), ...this.#born() }
    if (node === undefined) this.put(path, file, "open")
    if (flag.startsWith("w") && file.kind === "File") file.bytes = empty
    return file
  }

  rename(from: string, to: string): void {
    const node = this.nodeAt(from, "rename")
    if (node.kind === "Directory" && this.#inside(to).length > 0) throw fail("AlreadyExists", "rename", to)
    this.put(to, node, "rename")
    this.#nodes.delete(from)
    for (const key of this.#inside(from)) {
      const child = this.#nodes.get(key)
      if (child !== undefined) this.#nodes.set(to + key.slice(from.length), child)
      this.#nodes.delete(key)
    }
  }

  remove(path: string, { force = false, recursive = false }: FileSystem.RemoveOptions = {}): void {
    if (!this.#nodes.has(path)) {
      if (force) return
      throw fail("NotFound", "remove", path)
    }
    const below = this.#inside(path)
    if (below.length > 0 && !recursive) throw fail("Unknown", "remove", path)
    for (const key of [path, ...below]) this.#nodes.delete(key)
  }

  makeDirectory(path: string, recursive: boolean): void {
    if (this.#nodes.has(path)) {
      if (recursive) return
      throw fail("AlreadyExists", "makeDirectory", path)
    }
    if (recursive && !this.#nodes.has(parentOf(path))) this.makeDirectory(parentOf(path), true)
    this.put(path, { kind: "Directory", modifiedAt: this.now(), ...this.#born() }, "makeDirectory")
  }

  #inside(path: string): ReadonlyArray<string> {
    return [...this.#nodes.keys()].filter((key) => key.startsWith(`${path}/`))
  }

  /** The smallest number that is free. */
  #born(): Born {
    const taken = new Set([...this.#nodes.values(), ...this.#durable.values()].map(({ number }) => number))
    let number = 0
    while (taken.has(number)) number++
    return { number, bornAt: this.now() }
  }
}

/** A file that is open, with the place at which it is read or written. */
const handleOf = (disk: Disk, path: string, flag: FileSystem.OpenFlag, step: FileStep): FileSystem.File => {
  const node = disk.open(path, flag)
  const file = node.kind === "File" ? node : undefined
  let at = 0
  const append = (bytes: Uint8Array) => {
    if (file === undefined) throw fail("BadResource", "write", path)
    if (flag.startsWith("a")) at = file.bytes.length
    const fitting = disk.isFull ? bytes.subarray(0, bytes.length >> 1) : bytes
    disk.write(file, at, fitting)
    at += fitting.length
    if (disk.isFull) throw fail("WriteZero", "write", path)
  }
  const take = (length: number): Uint8Array => {
    const bytes = file?.bytes.subarray(at, at + length) ?? empty
    at += bytes.length
    return bytes
  }
  const cut = (length: FileSystem.SizeInput | undefined) => {
    if (file !== undefined) file.bytes = file.bytes.subarray(0, Number(length ?? 0))
  }
  return {
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    fd: FileSystem.FileDescriptor(0),
    stat: step(attempt(() => infoOf(node))),
    seek: (offset, from) =>
      Effect.sync(() => {
        at = (from === "start" ? 0 : at) + Number(offset)
      }),
    sync: step(attempt(() => disk.sync(path, node))),
    read: (buffer) =>
      attempt(() => {
        const bytes = take(buffer.length)
        buffer.set(bytes)
        return FileSystem.Size(bytes.length)
      }),
    readAlloc: (size) =>
      attempt(() => {
        const bytes = take(Number(size))
        return bytes.length === 0 ? Option.none() : Option.some(bytes.slice())
      }),
    truncate: (length) => step(attempt(() => cut(length))),
    write: (bytes) =>
      step(
        Effect.as(
          attempt(() => append(bytes)),
          FileSystem.Size(bytes.length)
        )
      ),
    writeAll: (bytes) =>
      step(
        attempt(() => append(bytes)),
        attempt(() => append(bytes.subarray(0, bytes.length >> 1)))
      )
  }
}

const fileSystemOf = (disk: Disk, step: FileStep): FileSystem.FileSystem => {
  const makeStep =
    <Arguments extends ReadonlyArray<unknown>, A>(run: (...given: Arguments) => A) =>
    (...given: Arguments) =>
      step(attempt(() => run(...given)))
  return FileSystem.make({
    // Nothing in the library uses the others.
    ...FileSystem.makeNoop({}),
    access: makeStep((path: string) => void disk.nodeAt(path, "access")),
    stat: makeStep((path: string) => infoOf(disk.nodeAt(path, "stat"))),
    utimes: makeStep((path: string, _: unknown, modifiedAt: Date | number) => {
      const at = typeof modifiedAt === "number" ? modifiedAt * 1_000 : modifiedAt.getTime()
      disk.nodeAt(path, "utimes").modifiedAt = at
    }),
    readFile: makeStep((path: string) => disk.fileAt(path, "readFile").bytes.slice()),
    readDirectory: makeStep((path: string) => [...disk.childrenOf(path)]),
    makeDirectory: makeStep((path: string, options?: FileSystem.MakeDirectoryOptions) => {
      disk.makeDirectory(normal(path), options?.recursive === true)
    }),
    remove: makeStep((path: string, options?: FileSystem.RemoveOptions) => disk.remove(normal(path), options)),
    rename: makeStep((from: string, to: string) => disk.rename(normal(from), normal(to))),
    link: makeStep((from: string, to: string) => {
      const file = disk.fileAt(from, "link")
      if (disk.has(to)) throw fail("AlreadyExists", "link", to)
      disk.put(normal(to), file, "link")
    }),
    copyFile: makeStep((from: string, to: string) => disk.putCopy(to, disk.fileAt(from, "copyFile").bytes)),
    truncate: makeStep((path: string, length?: FileSystem.SizeInput) => {
      const file = disk.fileAt(path, "truncate")
      file.bytes = file.bytes.subarray(0, Number(length ?? 0))
    }),
    writeFile: makeStep((path: string, bytes: Uint8Array) => {
      const file = disk.open(normal(path), "w")
      if (file.kind === "File") disk.write(file, 0, bytes)
    }),
    open: (path, { flag = "r" } = {}) => step(attempt(() => handleOf(disk, normal(path), flag, step)))
  })
}

export const make = (now: () => number): Disk => new Disk(now)
