/**
 * The servers that tests use: at the address in the environment, else at the standard port of this machine. Tests of a server that is not
 * there are skipped, under a name that says how to start one; with `VENUE_REQUIRE_SERVERS=1` they run, and fail.
 *
 * Files of tests ask while they are collected, where no Effect runs: the environment is that of the process, not a `Config`.
 */
import { connect } from "node:net"

export interface Server {
  /** Where it is. */
  readonly url: string
  /** For the names of tests: what it is, and how to start it where it is not reachable. */
  readonly label: string
  /** Its tests are skipped. */
  readonly isSkipped: boolean
}

interface Kind {
  readonly name: string
  readonly variable: string
  readonly standard: string
  readonly port: number
  readonly start: string
}

const connectTimeout = 2000

/** Whether anything listens at a URL. */
const isReachable = (url: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port: named } = new URL(url)
    const socket = connect({ host: hostname, port: named === "" ? port : Number(named), timeout: connectTimeout })
    const end = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once("connect", () => {
      end(true)
    })
    socket.once("timeout", () => {
      end(false)
    })
    socket.once("error", () => {
      end(false)
    })
  })

const find = async (kind: Kind, environment: NodeJS.ProcessEnv): Promise<Server> => {
  const url = environment[kind.variable] ?? kind.standard
  const isThere = await isReachable(url, kind.port)
  return {
    url,
    label: isThere ? kind.name : `${kind.name}, not reachable (${kind.variable} names another): ${kind.start}`,
    isSkipped: !isThere && environment.VENUE_REQUIRE_SERVERS !== "1"
  }
}

// Both read the environment by default: they are called where a file of tests begins, before any runtime.

/** The Postgres of the tests: `VENUE_TEST_POSTGRES`, else the standard port. */
export const postgres = (environment: NodeJS.ProcessEnv = process.env): Promise<Server> =>
  find(
    {
      name: "Postgres",
      variable: "VENUE_TEST_POSTGRES",
      standard: "postgres://postgres@127.0.0.1:5432/postgres",
      port: 5432,
      start: "docker run -p 5432:5432 -e POSTGRES_HOST_AUTH_METHOD=trust postgres"
    },
    environment
  )

/** The Redis of the tests: `VENUE_TEST_REDIS`, else the standard port. */
export const redis = (environment: NodeJS.ProcessEnv = process.env): Promise<Server> =>
  find(
    {
      name: "Redis",
      variable: "VENUE_TEST_REDIS",
      standard: "redis://127.0.0.1:6379",
      port: 6379,
      start: "docker run -p 6379:6379 redis"
    },
    environment
  )
