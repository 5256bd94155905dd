/** A registry on this machine that serves packed packages, for an installation before they are published. */
import { createHash } from "node:crypto"
import * as http from "node:http"

/** A packed package: its manifest and the bytes of its tarball. */
export interface Packed {
  readonly manifest: { readonly name: string; readonly version: string }
  readonly bytes: Uint8Array
}

const digest = (algorithm: string, encoding: "hex" | "base64", bytes: Uint8Array): string =>
  createHash(algorithm).update(bytes).digest(encoding)

const packument = (url: string, { bytes, manifest }: Packed): string =>
  JSON.stringify({
    name: manifest.name,
    "dist-tags": { latest: manifest.version },
    versions: {
      [manifest.version]: {
        ...manifest,
        dist: {
          tarball: `${url}/${encodeURIComponent(manifest.name)}/tarball.tgz`,
          shasum: digest("sha1", "hex", bytes),
          integrity: `sha512-${digest("sha512", "base64", bytes)}`
        }
      }
    }
  })

/** Serves the packages on a free port of this machine, until `close` is called. */
export const serve = (packages: ReadonlyArray<Packed>): Promise<{ readonly url: string; readonly close: () => void }> =>
  new Promise((resolve, reject) => {
    const byName = new Map(packages.map((packed) => [packed.manifest.name, packed]))
    let url = ""
    const server = http.createServer((request, response) => {
      const requested = decodeURIComponent(request.url ?? "").slice(1)
      const packed = byName.get(requested.replace(/\/tarball\.tgz$/, ""))
      // npm caches by URL, and the next run may have this port with other tarballs.
      response.setHeader("cache-control", "no-store")
      if (packed === undefined) response.writeHead(404).end()
      else if (requested.endsWith(".tgz")) response.end(packed.bytes)
      else response.setHeader("content-type", "application/json").end(packument(url, packed))
    })
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      url = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`
      resolve({ url, close: () => server.close() })
    })
  })
