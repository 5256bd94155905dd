// The same tests, with more of each: they read the tier.
import "./retention.test.js"
