import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type * as SchemaAST from "effect/SchemaAST"
import type * as generated from "./generated.js"
import { leftOut, refused } from "./protocol.js"
import type { Read } from "./protocol.js"
import { isStruct } from "./shapes.js"

// The fields of a struct in either direction. The origin is the wire when decoding and the domain when encoding; the destination is the
// reverse.

type Property = SchemaAST.PropertySignature

/** A direction through a schema. */
export interface Direction {
  readonly way: "decode" | "encode"
  /** Compiles a schema for this direction. */
  readonly compile: (ast: SchemaAST.AST) => Read
  /** The annotated reader or writer of a field; `property` is that of the domain. */
  readonly ownField: (property: Property, from: PropertyKey, to: PropertyKey) => generated.ReadField | undefined
}

/** A field whose transformation is in the schema of its wire property. */
const plainField = (
  { compile }: Direction,
  { isOptional, type }: Property,
  from: PropertyKey,
  to: PropertyKey
): generated.ReadField => {
  const value = compile(type)
  return {
    from,
    to,
    read: value,
    absent: isOptional ? () => leftOut : () => value(undefined),
    mayBeLeftOut: isOptional
  }
}

/** A field of a struct whose keys are not renamed. */
export const sameField = (direction: Direction, property: Property): generated.ReadField =>
  direction.ownField(property, property.name, property.name) ??
  plainField(direction, property, property.name, property.name)

/** A field with a transformation from an option of the origin's value to an option of the destination's. */
const compileField = (
  { compile }: Direction,
  origin: Property,
  destination: Property,
  change: (value: Option.Option<unknown>) => Option.Option<unknown>
): generated.ReadField => {
  const before = compile(origin.type)
  const after = compile(destination.type)
  const go = (value: Option.Option<unknown>): unknown =>
    Option.match(change(value), { onNone: () => (destination.isOptional ? leftOut : after(undefined)), onSome: after })
  const present = (input: unknown): unknown => {
    const value = before(input)
    return value === refused ? refused : go(Option.some(value))
  }
  return {
    from: origin.name,
    to: destination.name,
    read: present,
    absent: origin.isOptional ? () => go(Option.none()) : () => present(undefined),
    mayBeLeftOut: destination.isOptional
  }
}

/** The fields of a struct with transformed fields. Each field must have a unique key on both sides. */
export const compileFields = (
  direction: Direction,
  { from, to, transformation }: SchemaAST.Transformation
): ReadonlyArray<generated.ReadField> | undefined => {
  if (from._tag !== "TypeLiteral" || to._tag !== "TypeLiteral" || transformation._tag !== "TypeLiteralTransformation") {
    return undefined
  }
  if (!isStruct(from) || !isStruct(to)) return undefined
  const { way } = direction
  const isDecoding = way === "decode"
  const [origins, destinations] = isDecoding ? [from, to] : [to, from]
  const remaining = new Map(origins.propertySignatures.map((origin) => [origin.name, origin]))
  const names = new Set(remaining.keys())
  const fields: Array<generated.ReadField> = []
  for (const destination of destinations.propertySignatures) {
    const { name } = destination
    const change = transformation.propertySignatureTransformations.find(
      (each) => (isDecoding ? each.to : each.from) === name
    )
    const key = (isDecoding ? change?.from : change?.to) ?? name
    const origin = remaining.get(key)
    // A field renamed to the key of another field could be overwritten.
    const isTaken = key !== name && names.has(name)
    if (origin === undefined || isTaken) return undefined
    remaining.delete(key)
    const [wire, domain] = isDecoding ? [origin, destination] : [destination, origin]
    const changed = change?.[way] ?? identity
    fields.push(
      direction.ownField(domain, key, name) ??
        (changed === identity
          ? plainField(direction, wire, key, name)
          : compileField(direction, origin, destination, changed))
    )
  }
  return remaining.size === 0 ? fields : undefined
}
