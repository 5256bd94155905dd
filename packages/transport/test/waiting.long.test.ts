// All its seeds.
import "./waiting.test.js"
