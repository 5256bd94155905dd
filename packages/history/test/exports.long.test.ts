// The same tests, with more of each: they read the tier.
import "./exports.test.js"
