export { make, type Sink } from "../internal/recording/recorder.js"
