// A module of its own, so that undici is loaded only by commands that make calls.
export { layer } from "@effect-venue/transport/NodeConnections"
