// The same, with more commands.
import "./invariants.test.js"
