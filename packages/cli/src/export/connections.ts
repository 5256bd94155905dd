// A separate module, so that only commands that make calls load undici.
export { layer } from "@effect-venue/transport/NodeConnections"
