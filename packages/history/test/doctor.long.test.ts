// The same tests, with every kind of fault: they read the tier.
import "./doctor.test.js"
