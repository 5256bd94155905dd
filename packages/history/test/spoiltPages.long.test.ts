// The same tests, with more of each: they read the tier.
import "./spoiltPages.test.js"
