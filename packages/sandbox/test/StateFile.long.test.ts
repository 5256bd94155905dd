// The same tests, and one more: they read the tier.
import "./StateFile.test.js"
