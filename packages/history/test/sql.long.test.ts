// The same tests, with more of each: they read the tier.
import "./sql.test.js"
