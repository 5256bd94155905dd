import * as Schema from "effect/Schema"

/** An account of one of the sandboxes, with its key. */
export const Account = Schema.Struct({
  name: Schema.String,
  uid: Schema.String,
  baseUrl: Schema.String,
  egress: Schema.String,
  apiKey: Schema.String,
  apiSecret: Schema.String
})

export type Account = typeof Account.Type

/** The task of a process of the fleet. */
export const Order = Schema.Struct({
  postgres: Schema.String,
  /** Its address for the other processes. */
  port: Schema.Number,
  /** Addresses of this machine, which are also the names. */
  addresses: Schema.NonEmptyArray(Schema.String),
  /** A file of accounts. */
  accounts: Schema.String,
  /** A file to which it appends each write. */
  writes: Schema.String,
  from: Schema.Number,
  /** How often each account is due, in seconds. */
  every: Schema.Number
})

export type Order = typeof Order.Type

/** A write to an export, in milliseconds of the wall clock. */
export const Write = Schema.Struct({
  pid: Schema.Number,
  /** The export. */
  call: Schema.String,
  address: Schema.String,
  begunAt: Schema.Number
})

export type Write = typeof Write.Type
