// The same tests, with more of each: they read the tier.
import "./checkpoints.test.js"
