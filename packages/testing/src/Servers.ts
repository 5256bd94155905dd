/**
 * The database servers of tests: at the address in the environment, otherwise at the standard port of this machine. Tests without a server
 * are skipped, and their names explain how to start it; with `VENUE_REQUIRE_SERVERS=1` they run and fail. Test files check this while they
 * are collected, outside Effect, so the environment is that of the process instead of a `Config`.
 */
import { connect } from "node:net"

export interface Server {
  /** The URL of the server. */
  readonly url: string
  /** The label in test names: the server, and how to start it if it is unreachable. */
  readonly label: string
  /** Whether its tests are skipped. */
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

/** Whether a server listens at a URL. */
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

// Both functions read the environment by default, because test files call them before a runtime exists.

/** The Postgres server of the tests: `VENUE_TEST_POSTGRES`, otherwise the standard port. */
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

/** The Redis server of the tests: `VENUE_TEST_REDIS`, otherwise the standard port. */
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
