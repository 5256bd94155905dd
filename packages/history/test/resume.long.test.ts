// The same tests, with more of each: they read the tier.
import "./resume.test.js"
