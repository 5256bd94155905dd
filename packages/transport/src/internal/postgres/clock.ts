/** The instant of a statement in SQL: microseconds of Postgres' clock. Another call within the statement is a later instant. */
export const instant = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

/** In microseconds. */
export const day = 86_400_000_000
