// The same tests, with more of each: they read the tier.
import "./Trading.test.js"
