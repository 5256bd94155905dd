/**
 * A file system in memory, as several processes share it. It forgets at a crash what was not synced: the bytes of files, and the names in
 * folders. Every operation is one step.
 */
import * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** What distinguishes a node from others. */
interface Born {
  /** Given again once no node has it. */
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
  /** What a crash leaves of it. */
  synced: Uint8Array
  modifiedAt: number
}

type Node = File | Folder

const empty = new Uint8Array(0)

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 1))

const normal = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, "") : path)

const fail = (reason: PlatformError.SystemErrorReason, method: string, pathOrDescriptor: string) =>
  new PlatformError.SystemError({ reason, module: "FileSystem", method, pathOrDescriptor })

export interface Disk {
  /** The file system, with `step` around each operation; `half` is the operation cut short, where there is such a thing. */
  readonly files: (step: Step) => FileSystem.FileSystem
  /** What was not synced is gone. `keepsNames`: the names in folders had reached the disk all the same. */
  readonly crash: (keepsNames: boolean) => void
  /** The text of a file. */
  readonly read: (path: string) => string | undefined
  /** The paths of all files. */
  readonly paths: () => ReadonlyArray<string>
}

export type Step = <A, E>(effect: Effect.Effect<A, E>, half?: Effect.Effect<unknown, E>) => Effect.Effect<A, E>

/** `now` is the clock by which files are stamped. */
export const make = (now: () => number): Disk => {
  let nodes = new Map<string, Node>([["/", { kind: "Directory", modifiedAt: 0, number: 0, bornAt: 0 }]])
  /** The names that a crash leaves. */
  const durable = new Map<string, Node>(nodes)

  /** The smallest number that is free. */
  const born = (): Born => {
    const taken = new Set([...nodes.values(), ...durable.values()].map(({ number }) => number))
    let number = 0
    while (taken.has(number)) number++
    return { number, bornAt: now() }
  }

  const inside = (path: string) => [...nodes.keys()].filter((key) => key.startsWith(`${path}/`))

  const sync = (path: string, node: Node) => {
    if (node.kind === "File") {
      node.synced = node.bytes
      return
    }
    const isChild = (key: string) => key !== "/" && parentOf(key) === path
    for (const key of [...durable.keys()].filter(isChild)) if (!nodes.has(key)) durable.delete(key)
    for (const [key, child] of nodes) if (isChild(key)) durable.set(key, child)
  }

  const crash = (keepsNames: boolean) => {
    if (keepsNames) for (const [key, node] of nodes) durable.set(key, node)
    if (keepsNames) for (const key of [...durable.keys()]) if (!nodes.has(key)) durable.delete(key)
    const hasParents = (key: string): boolean => key === "/" || (durable.has(key) && hasParents(parentOf(key)))
    nodes = new Map([...durable].filter(([key]) => hasParents(key)))
    for (const node of nodes.values()) if (node.kind === "File") node.bytes = node.synced
  }

  const fileAt = (path: string, method: string): File => {
    const node = nodes.get(normal(path))
    if (node?.kind !== "File") throw fail("NotFound", method, path)
    return node
  }

  const put = (path: string, node: Node, method: string) => {
    if (!nodes.has(parentOf(path))) throw fail("NotFound", method, path)
    nodes.set(path, node)
  }

  const write = (file: File, at: number, bytes: Uint8Array) => {
    const before = file.bytes.length >= at ? file.bytes : joined(file.bytes, new Uint8Array(at - file.bytes.length))
    file.bytes = joined(joined(before.subarray(0, at), bytes), before.subarray(at + bytes.length))
    file.modifiedAt = now()
  }

  const opened = (path: string, flag: FileSystem.OpenFlag): Node => {
    const node = nodes.get(path)
    if (flag.includes("x") && node !== undefined) throw fail("AlreadyExists", "open", path)
    if (flag.startsWith("r")) {
      if (node === undefined) throw fail("NotFound", "open", path)
      return node
    }
    const file: Node = node ?? { kind: "File", bytes: empty, synced: empty, modifiedAt: now(), ...born() }
    if (node === undefined) put(path, file, "open")
    if (flag.startsWith("w") && file.kind === "File") file.bytes = empty
    return file
  }

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

  const rename = (from: string, to: string) => {
    const node = nodes.get(from)
    if (node === undefined) throw fail("NotFound", "rename", from)
    if (node.kind === "Directory" && inside(to).length > 0) throw fail("AlreadyExists", "rename", to)
    put(to, node, "rename")
    nodes.delete(from)
    for (const key of inside(from)) {
      const child = nodes.get(key)
      if (child !== undefined) nodes.set(to + key.slice(from.length), child)
      nodes.delete(key)
    }
  }

  const remove = (path: string, { force = false, recursive = false }: FileSystem.RemoveOptions = {}) => {
    if (!nodes.has(path)) {
      if (force) return
      throw fail("NotFound", "remove", path)
    }
    const below = inside(path)
    if (below.length > 0 && !recursive) throw fail("Unknown", "remove", path)
    for (const key of [path, ...below]) nodes.delete(key)
  }

  const makeDirectory = (path: string, recursive: boolean) => {
    if (nodes.has(path)) {
      if (recursive) return
      throw fail("AlreadyExists", "makeDirectory", path)
    }
    if (recursive && !nodes.has(parentOf(path))) makeDirectory(parentOf(path), true)
    put(path, { kind: "Directory", modifiedAt: now(), ...born() }, "makeDirectory")
  }

  const attempt = <A>(run: () => A): Effect.Effect<A, PlatformError.PlatformError> =>
    Effect.try({
      try: run,
      catch: (error) => {
        if (error instanceof PlatformError.SystemError) return error
        throw error
      }
    })

  const handle = (path: string, node: Node, flag: FileSystem.OpenFlag, step: Step): FileSystem.File => {
    let at = 0
    const file = node.kind === "File" ? node : undefined
    const append = (bytes: Uint8Array) => {
      if (file === undefined) throw fail("BadResource", "write", path)
      if (flag.startsWith("a")) at = file.bytes.length
      write(file, at, bytes)
      at += bytes.length
    }
    const take = (length: number): Uint8Array => {
      const bytes = file?.bytes.subarray(at, at + length) ?? empty
      at += bytes.length
      return bytes
    }
    return {
      [FileSystem.FileTypeId]: FileSystem.FileTypeId,
      fd: FileSystem.FileDescriptor(0),
      stat: step(attempt(() => infoOf(node))),
      seek: (offset, from) =>
        Effect.sync(() => {
          at = (from === "start" ? 0 : at) + Number(offset)
        }),
      sync: step(attempt(() => sync(path, node))),
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
      truncate: (length) =>
        step(
          attempt(() => {
            if (file !== undefined) file.bytes = file.bytes.subarray(0, Number(length ?? 0))
          })
        ),
      write: (bytes) =>
        step(
          attempt(() => {
            append(bytes)
            return FileSystem.Size(bytes.length)
          })
        ),
      writeAll: (bytes) =>
        step(
          attempt(() => append(bytes)),
          attempt(() => append(bytes.subarray(0, bytes.length >> 1)))
        )
    }
  }

  const files = (step: Step): FileSystem.FileSystem => {
    const one =
      <Arguments extends ReadonlyArray<unknown>, A>(run: (...given: Arguments) => A) =>
      (...given: Arguments) =>
        step(attempt(() => run(...given)))
    const unsupported = (method: string) => () => Effect.fail(fail("Unknown", method, ""))
    return FileSystem.make({
      access: one((path: string) => {
        if (!nodes.has(normal(path))) throw fail("NotFound", "access", path)
      }),
      stat: one((path: string) => {
        const node = nodes.get(normal(path))
        if (node === undefined) throw fail("NotFound", "stat", path)
        return infoOf(node)
      }),
      utimes: one((path: string, _: unknown, modifiedAt: Date | number) => {
        const node = nodes.get(normal(path))
        if (node === undefined) throw fail("NotFound", "utimes", path)
        node.modifiedAt = typeof modifiedAt === "number" ? modifiedAt * 1_000 : modifiedAt.getTime()
      }),
      readFile: one((path: string) => fileAt(path, "readFile").bytes.slice()),
      readDirectory: one((path: string) => {
        if (!nodes.has(normal(path))) throw fail("NotFound", "readDirectory", path)
        const prefix = `${normal(path)}/`
        return inside(normal(path))
          .map((key) => key.slice(prefix.length))
          .filter((name) => !name.includes("/"))
          .sort()
      }),
      makeDirectory: one((path: string, options?: FileSystem.MakeDirectoryOptions) => {
        makeDirectory(normal(path), options?.recursive === true)
      }),
      remove: one((path: string, options?: FileSystem.RemoveOptions) => remove(normal(path), options)),
      rename: one((from: string, to: string) => rename(normal(from), normal(to))),
      link: one((from: string, to: string) => {
        const file = fileAt(from, "link")
        if (nodes.has(normal(to))) throw fail("AlreadyExists", "link", to)
        put(normal(to), file, "link")
      }),
      copyFile: one((from: string, to: string) => {
        put(
          normal(to),
          { kind: "File", bytes: fileAt(from, "copyFile").bytes, synced: empty, modifiedAt: now(), ...born() },
          "copyFile"
        )
      }),
      truncate: one((path: string, length?: FileSystem.SizeInput) => {
        const file = fileAt(path, "truncate")
        file.bytes = file.bytes.subarray(0, Number(length ?? 0))
      }),
      writeFile: one((path: string, bytes: Uint8Array) => {
        const file = opened(normal(path), "w")
        if (file.kind === "File") write(file, 0, bytes)
      }),
      open: (path, { flag = "r" } = {}) =>
        Effect.map(step(attempt(() => opened(normal(path), flag))), (node) => handle(normal(path), node, flag, step)),
      chmod: unsupported("chmod"),
      chown: unsupported("chown"),
      copy: unsupported("copy"),
      makeTempDirectory: unsupported("makeTempDirectory"),
      makeTempDirectoryScoped: unsupported("makeTempDirectoryScoped"),
      makeTempFile: unsupported("makeTempFile"),
      makeTempFileScoped: unsupported("makeTempFileScoped"),
      readLink: unsupported("readLink"),
      realPath: unsupported("realPath"),
      symlink: unsupported("symlink"),
      watch: () => {
        throw new Error("watch is not simulated")
      }
    })
  }

  return {
    files,
    crash,
    read: (path) => {
      const node = nodes.get(path)
      return node?.kind === "File" ? new TextDecoder().decode(node.bytes) : undefined
    },
    paths: () => [...nodes].filter(([, { kind }]) => kind === "File").map(([path]) => path)
  }
}
