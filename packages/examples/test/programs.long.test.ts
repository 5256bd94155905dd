// All of them.
import "./programs.test.js"
