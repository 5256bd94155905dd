// The same tests, with more of each: they read the tier.
import "./Signer.test.js"
