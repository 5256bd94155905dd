/**
 * Singer messages, which Meltano, dlt and Airbyte read: `SCHEMA`, `RECORD` and `STATE`, one JSON text per line. `History.tap` emits them.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Commit from "./Commit.js"
import * as Streams from "./internal/tap/streams.js"
import type * as Part from "./Part.js"

/**
 * A JSON value.
 *
 * @since 0.1.0
 * @category models
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

/**
 * Precedes the records of a stream, once per run. A stream is a part of an export and has its name.
 *
 * @since 0.1.0
 * @category models
 */
export interface SchemaMessage {
  readonly type: "SCHEMA"
  readonly stream: string
  readonly schema: Json
  readonly key_properties: ReadonlyArray<string>
  readonly bookmark_properties: ReadonlyArray<string>
}

/**
 * A row. `venue_key` is unique in its stream. A record with `_sdc_deleted_at` deletes the earlier record with the same key, because the row has
 * changed; the record of the new version follows.
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordMessage {
  readonly type: "RECORD"
  readonly stream: string
  readonly record: Readonly<Record<string, Json>>
}

/**
 * The checkpoints of all streams, which cover exactly the records before this message.
 *
 * @since 0.1.0
 * @category models
 */
export interface StateMessage {
  readonly type: "STATE"
  readonly value: typeof State.Encoded
}

/**
 * @since 0.1.0
 * @category models
 */
export type Message = SchemaMessage | RecordMessage | StateMessage

/**
 * The value of the last `STATE`: a checkpoint for each stream.
 *
 * @since 0.1.0
 * @category schemas
 */
export const State = Schema.Struct({
  bookmarks: Schema.Record({ key: Schema.String, value: Commit.Checkpoint })
})

/**
 * @since 0.1.0
 * @category models
 */
export type State = typeof State.Type

/**
 * The `SCHEMA` of a part.
 *
 * @since 0.1.0
 * @category constructors
 */
export const schema = <R>({ dataset, name }: Part.Part<unknown, R>): SchemaMessage => ({
  type: "SCHEMA",
  stream: name,
  schema: Streams.schemaOf(dataset),
  key_properties: [Streams.keyName],
  bookmark_properties: Option.match(dataset.instant, { onNone: () => [], onSome: ({ name }) => [name] })
})

/**
 * The entry of a part in a catalog. Streams are selected by default.
 *
 * @since 0.1.0
 * @category constructors
 */
export const catalogEntry = <R>(part: Part.Part<unknown, R>): Readonly<Record<string, Json>> => {
  const { bookmark_properties, key_properties, schema: json, stream } = schema(part)
  return {
    tap_stream_id: stream,
    stream,
    schema: json,
    key_properties,
    metadata: [
      {
        breadcrumb: [],
        metadata: {
          inclusion: "available",
          "selected-by-default": true,
          "table-key-properties": key_properties,
          "valid-replication-keys": bookmark_properties,
          "forced-replication-method": "INCREMENTAL"
        }
      }
    ]
  }
}
